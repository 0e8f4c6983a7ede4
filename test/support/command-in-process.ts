import { mock } from 'node:test';
import { runCommand } from '../../src/commands/program.ts';
import type { Outcome } from './command-line.ts';

/** A command in this process, for tests of every command: a hundred programs would be started otherwise. It has no terminal to ask on. */
export async function runHere(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<Outcome> {
  const former = { ...process.env };
  Object.assign(process.env, settings);
  const written = { stdout: '', stderr: '' };
  const keep = (name: keyof typeof written) =>
    mock.method(process[name], 'write', (text: string) => {
      written[name] += text;
      return true;
    });
  const mocks = [keep('stdout'), keep('stderr')];
  try {
    return { code: await runCommand(args), ...written };
  } finally {
    for (const each of mocks) each.mock.restore();
    process.exitCode = undefined;
    process.env = former;
  }
}
