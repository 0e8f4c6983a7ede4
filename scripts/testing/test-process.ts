/** A process that runs files of tests one after the other, seen from the one that gives them out. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Report, Task } from './test-worker.ts';

/** What the reporter reads. */
export interface TestEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a shape for each type
  readonly data: any;
}

export interface FileRun {
  readonly file: string;
  readonly milliseconds: number;
  readonly events: readonly TestEvent[];
  readonly end: FileEnd;
}

/** What a file took, or why it did not come to its end. */
export type FileEnd = { readonly processorSeconds: number } | { readonly problem: string };

const WORKER = join(import.meta.dirname, 'test-worker.ts');

/** A file whose tests come to no end for so long hangs, or left something open. The longest test takes half of it on a busy machine. */
const SILENCE_LIMIT_MS = 300_000;
/** For what a process does when it has no more files: it drops its databases. */
const CLOSING_LIMIT_MS = 30_000;

export class TestProcess {
  readonly #child: ChildProcess;
  readonly #gone: Promise<string>;
  #isUsable = true;
  /** Takes what the process says about the file that it runs. */
  #note: (event: TestEvent) => void = () => {};

  /** @param env What the environment of its tests has beside this process's. */
  constructor(env: NodeJS.ProcessEnv = {}) {
    this.#child = fork(WORKER, {
      env: { ...process.env, ...env },
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Its group ends with it: what a test has started and left would hold the two pipes open for ever.
      detached: true,
    });
    for (const [type, stream] of Object.entries({ 'test:stdout': this.#child.stdout, 'test:stderr': this.#child.stderr }))
      stream?.on('data', (text: Buffer) => this.#note({ type, data: { message: text.toString() } }));
    this.#gone = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#killGroup();
        resolve(`the process ended with ${signal ?? code}`);
      });
    });
  }

  /** Not after a file that did not come to its end. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  async run(task: Task): Promise<FileRun> {
    const startedAt = performance.now();
    const events: TestEvent[] = [];
    const end = await this.#follow(task, events);
    // What the file wrote is in a pipe of its own, which may be read after the report of its end: at the latest in the next turn.
    for (let turn = 0; turn < 2; turn++) await setImmediate();
    if ('problem' in end) this.kill();
    return { file: task.file, milliseconds: performance.now() - startedAt, events, end };
  }

  #follow(task: Task, events: TestEvent[]): Promise<FileEnd> {
    const child = this.#child;
    let silence: NodeJS.Timeout;
    return new Promise<FileEnd>((resolve) => {
      const hang = () => resolve({ problem: `nothing happened for ${SILENCE_LIMIT_MS / 1000} s` });
      silence = setTimeout(hang, SILENCE_LIMIT_MS);
      this.#note = (event) => events.push(event);
      child.on('message', (report: Report) => {
        // What it writes is no sign of life: a service that it left running may write for ever.
        silence.refresh();
        if ('event' in report) events.push(readEvent(report.event));
        else resolve(report);
      });
      void this.#gone.then((problem) => resolve({ problem }));
      child.send(task);
    }).finally(() => {
      clearTimeout(silence);
      child.removeAllListeners('message');
    });
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const impatience = setTimeout(() => this.kill(), CLOSING_LIMIT_MS);
    await this.#gone;
    clearTimeout(impatience);
  }

  kill(): void {
    this.#isUsable = false;
    this.#killGroup();
  }

  #killGroup(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // Nobody of it is left.
    }
  }
}

/** The reporter prints an error as it is inspected: here as it was there. */
function readEvent({ type, data }: { readonly type: string; readonly data: unknown }): TestEvent {
  const { details } = data as { details?: { error?: { text: string; failureType?: string } } };
  if (!details?.error) return { type, data };
  const { text, failureType } = details.error;
  return { type, data: { ...(data as object), details: { ...details, error: { failureType, [inspect.custom]: () => text } } } };
}
