/** A PostgreSQL server on this machine that somebody else started, known by its data folder. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const PORT_LINE = 3;

const pidFileOf = (folder: string) => join(folder, 'postmaster.pid');

/** Whether a server was started on the folder. */
export const isRunning = (folder: string): boolean => existsSync(pidFileOf(folder));

export class Worker {
  readonly port: number;
  readonly #folder: string;
  readonly #pgCtl: string;
  readonly #owner: { readonly uid: number; readonly gid: number };

  /** @throws Error When no server runs on the folder. */
  constructor(folder: string) {
    const [pid = '', , , port = ''] = readFileSync(pidFileOf(folder), 'utf8').split('\n', PORT_LINE + 1);
    this.port = Number(port);
    this.#folder = folder;
    this.#pgCtl = join(dirname(readlinkSync(`/proc/${pid}/exe`)), 'pg_ctl');
    const { uid, gid } = statSync(folder);
    this.#owner = { uid, gid };
  }

  /** Ends the server at once, as a crash does: nothing is flushed, and its clients are cut off. */
  async kill(): Promise<void> {
    await this.#control('stop', '-m', 'immediate');
  }

  /** Resolves when it takes connections; at once when it runs already. */
  async start(): Promise<void> {
    const isRunning = await this.#control('status').then(
      () => true,
      () => false,
    );
    if (!isRunning) await this.#control('start', '-l', `${this.#folder}.log`);
  }

  async #control(...words: string[]): Promise<void> {
    await promisify(execFile)(this.#pgCtl, ['-D', this.#folder, '-w', ...words], {
      ...this.#owner,
      cwd: '/',
      stdio: 'ignore',
    } as object);
  }
}
