import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAIN } from './operator.ts';

/** A service of its own on an empty database, which may send events to this machine; both gone when it is closed. */
export interface Sandbox {
  readonly baseUrl: string;
  /** The settings that its operator's commands need too. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** What of the surroundings would lead elsewhere is emptied. */
const ELSEWHERE = {
  DATABASE_URL: '',
  SECRETS_KEY: '',
  AUDIT_KEY: '',
  TRUSTED_PROXIES: '',
  WEBHOOK_ALLOW_INSECURE: '',
  SERVICE_ENVIRONMENT: 'sandbox',
  HOST: '127.0.0.1',
};

export async function openSandbox(): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'partner-impact-tour-'));
  const settings = { ...ELSEWHERE, DATA_DIR: folder, PORT: '0', OPERATIONS_PORT: '0' };
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: { ...process.env, ...settings, LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const close = async () => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  };
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk));
  const baseUrl = await new Promise<string | undefined>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
      const [, url] = /listens on (\S+)/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => resolve(undefined));
  });
  if (baseUrl !== undefined) return { baseUrl, settings, close };
  await close();
  throw new Error(`The sandbox of the tour did not start: ${said.trim()}`);
}
