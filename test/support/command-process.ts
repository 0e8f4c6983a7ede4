/**
 * Runs commands in this process one after the other, as `main.ts` runs one in a process of its own: each with settings, standard input and
 * output, and an exit code of its own. Started and asked by `command-line.ts`. Ends when it is parted from whoever started it.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { finishWithoutOutput, runCommand } from '../../src/commands/program.ts';
import type { Answer, Outcome, Question } from './command-line.ts';

process.on('message', async (question: Question) => {
  const open = listOpen();
  const outcome = await answer(question);
  process.send?.({ ...outcome, leftOpen: await settle(open) } satisfies Answer);
});

const CLOSING_LIMIT_MS = 5_000;

/** A process of its own would end only when nothing is open. @returns What stays open. */
async function settle(before: readonly string[]): Promise<string[]> {
  const deadline = performance.now() + CLOSING_LIMIT_MS;
  for (;;) {
    const left = listOpen();
    for (const each of before) if (left.includes(each)) left.splice(left.indexOf(each), 1);
    if (left.length === 0 || performance.now() > deadline) return left;
    await sleep(5);
  }
}

function listOpen(): string[] {
  return process.getActiveResourcesInfo().filter((each) => each !== 'Immediate');
}

async function answer({ args, env, input, isUnread }: Question): Promise<Outcome> {
  setEnvironment(env);
  process.exitCode = undefined;
  const stdout = isUnread ? new ClosedPipe() : new Collected();
  const stderr = new Collected();
  for (const [name, value] of Object.entries({ stdin: Readable.from(input === '' ? [] : [input]), stdout, stderr }))
    Object.defineProperty(process, name, { value, configurable: true });
  finishWithoutOutput();
  const code = await runCommand(args);
  process.exitCode = code === 0 ? (process.exitCode ?? 0) : code;
  for (const stream of [stdout, stderr]) if (!stream.destroyed) await finished(stream.end()).catch(() => {});
  const outcome = { code: Number(process.exitCode), stdout: stdout.text(), stderr: stderr.text() };
  process.exitCode = 0;
  return outcome;
}

/** In the process's own variables, because some of them, such as the time zone, work when they are set there. */
function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && process.env[name] !== value) process.env[name] = value;
}

class Collected extends Writable {
  readonly #chunks: Buffer[] = [];

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}

/** A pipe whose reader has left. */
class ClosedPipe extends Socket {
  constructor() {
    super({ fd: openUnread(), readable: false, writable: true });
  }

  text(): string {
    return '';
  }
}

function openUnread(): number {
  fifo ??= makeFifo();
  // A writer cannot be opened before there is a reader.
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(fifo, constants.O_WRONLY);
  closeSync(reader);
  return writer;
}

let fifo: string | undefined;

function makeFifo(): string {
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-pipe-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}
