import assert from 'node:assert/strict';
import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { uniqueId } from './client.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const COMMAND_PROCESS = fileURLToPath(new URL('command-process.ts', import.meta.url));

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandLine {
  /**
   * In a process that runs other commands before and after it, because starting one takes longer than most commands.
   *
   * @param input What it reads from standard input.
   */
  run(args: readonly string[], env?: Record<string, string>, input?: string): Promise<Outcome>;
  /** The same in a process of its own, as in a shell. */
  runApart(args: readonly string[], env?: Record<string, string>, input?: string): Promise<Outcome>;
  /** Its standard output is closed before it has begun to run: its first word finds nobody. */
  runUnread(args: readonly string[]): Promise<Pick<Outcome, 'code' | 'stderr'>>;
  /** The same in a process of its own, as in a shell. */
  runUnreadApart(args: readonly string[]): Promise<Pick<Outcome, 'code' | 'stderr'>>;
  /** With `--json`; the command has to succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: what a program reads from a command
  runJson(...args: string[]): Promise<any>;
}

/** The program `partner-impact`, with settings. */
export function commandLine(settings: Record<string, string>): CommandLine {
  const environment = (env: Record<string, string> = {}) => ({ ...process.env, ...settings, ...env });
  const run: CommandLine['run'] = (args, env, input = '') => ask({ args, env: environment(env), input });
  return {
    run,
    runApart: (args, env, input = '') =>
      new Promise((resolve) => {
        const options = { env: environment(env) };
        const child = execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
        );
        // A command that ends without having read is none of ours.
        child.stdin?.on('error', () => {}).end(input);
      }),
    async runUnread(args) {
      const { code, stderr } = await ask({ args, env: environment(), input: '', isUnread: true });
      return { code, stderr };
    },
    runUnreadApart: (args) => {
      const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: environment() });
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

/** To `command-process.ts`. */
export interface Question {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: string;
  /** Standard output is a pipe whose reader has left. */
  readonly isUnread?: boolean;
}

export interface Answer extends Outcome {
  /** What would keep a process of its own from ending. */
  readonly leftOpen: readonly string[];
}

/** Those that run no command now; they end with this process. Commands at once run in several. */
const idle: ChildProcess[] = [];

/** A process that ends over a command takes it for the command's own end, as a shell does. */
async function ask(question: Question): Promise<Outcome> {
  const child = idle.pop() ?? start();
  setHeld(child, true);
  let written = '';
  const note = (chunk: Buffer) => (written += chunk);
  child.stderr?.on('data', note);
  try {
    const { leftOpen, ...outcome } = await new Promise<Answer>((resolve, reject) => {
      const end = (code: number | null) => resolve({ code: Number(code), stdout: '', stderr: written, leftOpen: [] });
      child.once('close', end);
      child.once('message', (answer) => {
        child.off('close', end);
        idle.push(child);
        resolve(answer as Answer);
      });
      child.send(question, (error) => error && reject(error));
    });
    assert.deepEqual(leftOpen, [], `partner-impact ${question.args.join(' ')} would not end: it left something open`);
    return outcome;
  } finally {
    child.stderr?.off('data', note);
    child.removeAllListeners('message');
    setHeld(child, false);
  }
}

/** Only while it runs a command may it keep this process from ending. */
function setHeld(child: ChildProcess, isHeld: boolean): void {
  for (const handle of [child, child.channel, child.stderr as Socket | null]) isHeld ? handle?.ref() : handle?.unref();
}

function start(): ChildProcess {
  return fork(COMMAND_PROCESS, { execArgv: [], stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
}

/** Creates an operator, and signs in on the machine of `home`. */
export async function signInOn(
  owner: CommandLine,
  home: CommandLine,
  { name, role }: { name: string; role: string },
): Promise<CommandLine> {
  const account = ['--name', name, '--email', `${uniqueId(name)}@example.org`, '--role', role];
  const { sign_in_code } = await owner.runJson('operator', 'create', ...account);
  const { code, stderr } = await home.run(['login'], {}, `${sign_in_code}\n`);
  assert.equal(code, 0, stderr);
  return home;
}
