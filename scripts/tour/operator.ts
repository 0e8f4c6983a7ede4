import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const MAIN = fileURLToPath(new URL('../../bin/partner-impact.mjs', import.meta.url));

/**
 * Runs a command of `partner-impact` in a process of its own, as an operator would.
 *
 * @returns What it printed.
 * @throws Error With what it said, when it did not succeed.
 */
export async function runCommand(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<string> {
  const env = { ...process.env, ...settings };
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], { env }).catch(
    (failure: { stderr: string }) => {
      throw new Error(`partner-impact ${args.slice(0, 2).join(' ')}: ${failure.stderr.trim()}`);
    },
  );
  return stdout;
}

/** `partner-impact webhook listen` under way. */
export interface Listener {
  readonly url: string;
  /** The next line about an event; `undefined` when none comes in time. */
  nextLine(withinMs: number): Promise<string | undefined>;
  stop(): Promise<void>;
}

/** @param secret What signatures are checked by, if they are. */
export async function startListener(port: number, secret = ''): Promise<Listener> {
  const args = [MAIN, 'webhook', 'listen', '--port', String(port)];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await readUrl(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let next = lines.next();
  return {
    url,
    async nextLine(withinMs) {
      const line = await Promise.race([next, sleep(withinMs, undefined, { ref: false })]);
      if (line === undefined || line.done) return undefined;
      next = lines.next();
      return line.value;
    },
    async stop() {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    },
  };
}

async function readUrl({ stderr }: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    said += chunk;
    const [, url] = /Receiving events at (\S+)/.exec(said) ?? [];
    if (url !== undefined) {
      stderr?.resume();
      return url;
    }
  }
  throw new Error(`partner-impact webhook listen: ${said.trim()}`);
}
