import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
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
  /** Its standard output is closed before it has begun to run: its first word finds nobody. */
  runUnread(args: readonly string[]): Promise<Pick<Outcome, 'code' | 'stderr'>>;
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
    runUnread: (args) => {
      const child = spawn(process.execPath, [MAIN, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...settings },
      });
      child.stdout.destroy();
      let stderr = '';
      child.stderr.on('data', (chunk) => (stderr += chunk));
      return new Promise((resolve) => child.on('close', (code) => resolve({ code: Number(code), stderr })));
    },
    async runJson(...args) {
      const { code, stdout, stderr } = await run([...args, '--json']);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    },
  };
}
