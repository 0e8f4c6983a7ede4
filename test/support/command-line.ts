import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandLine {
  /** @param input What it reads from standard input. */
  run(args: readonly string[], env?: Record<string, string>, input?: string): Promise<Outcome>;
  /** With `--json`; the command has to succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: what a program reads from a command
  runJson(...args: string[]): Promise<any>;
}

/** The program `partner-impact` in a process of its own, with settings. */
export function commandLine(settings: Record<string, string>): CommandLine {
  const run = (args: readonly string[], env: Record<string, string> = {}, input = ''): Promise<Outcome> =>
    new Promise((resolve) => {
      const options = { env: { ...process.env, ...settings, ...env } };
      const child = execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
      // A command that ends without having read is none of ours.
      child.stdin?.on('error', () => {}).end(input);
    });
  return {
    run,
    async runJson(...args) {
      const { code, stdout, stderr } = await run([...args, '--json']);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    },
  };
}
