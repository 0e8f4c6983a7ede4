/** A primary and its synchronous standby under a failover manager, as a command starts, shows and stops them. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

export interface Node {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline: string;
  /** Process ids; `undefined` for one that does not run. */
  readonly manager: number | undefined;
  readonly postmaster: number | undefined;
}

/** A whole machine is its server and its failover manager. */
export type Part = 'server' | 'machine';

const LOOK_EVERY_MS = 200;
const HEALED_WITHIN_MS = 120_000;

export class Pair {
  /** Leads to the primary, whichever that is. */
  readonly databaseUrl: string;
  readonly #command: string;
  readonly #folder: string;

  private constructor(command: string, folder: string, databaseUrl: string) {
    [this.#command, this.#folder, this.databaseUrl] = [command, folder, databaseUrl];
  }

  /** @param command Takes `start FOLDER PORT`, which prints the address; `status`, `run FOLDER NAME` and `stop FOLDER`. */
  static async start(command: string, folder: string, port: number): Promise<Pair> {
    const { stdout } = await runFile(command, ['start', folder, String(port)]);
    return new Pair(command, folder, stdout.trim());
  }

  async listNodes(): Promise<Node[]> {
    const { stdout } = await runFile(this.#command, ['status', this.#folder]);
    return stdout.trim().split('\n').map(readNode);
  }

  /** @throws Error When no node calls itself the primary. */
  async findPrimary(): Promise<Node> {
    return this.#find(({ role }) => PRIMARY.has(role), 'primary');
  }

  async findStandby(): Promise<Node> {
    return this.#find(({ role }) => !PRIMARY.has(role), 'standby');
  }

  /** `kill -9`, of the server alone or with its manager. */
  kill({ manager, postmaster }: Node, part: Part): void {
    for (const pid of part === 'machine' ? [manager, postmaster] : [postmaster])
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }

  /** Starts the manager of a machine that was killed, which then brings its server back. */
  async revive({ name }: Node): Promise<void> {
    await runFile(this.#command, ['run', this.#folder, name]);
  }

  /** @returns After how many milliseconds another node than the given one was the primary. */
  async untilReplaced(primary: Node): Promise<number> {
    return this.#until(`${primary.name} is replaced`, (nodes) =>
      nodes.some(({ name, role, state }) => name !== primary.name && PRIMARY.has(role) && state === 'running'),
    );
  }

  /** Resolves when a standby streams synchronously. */
  async untilSynchronous(): Promise<number> {
    return this.#until('a synchronous standby streams', (nodes) => {
      const hasPrimary = nodes.some(({ role, state }) => PRIMARY.has(role) && state === 'running');
      return hasPrimary && nodes.some(({ role, state }) => role === 'sync_standby' && /^(running|streaming)$/.test(state));
    });
  }

  async stop(): Promise<void> {
    await runFile(this.#command, ['stop', this.#folder]);
  }

  async #find(isIt: (node: Node) => boolean, what: string): Promise<Node> {
    const nodes = await this.listNodes();
    const found = nodes.find(isIt);
    if (!found) throw new Error(`There is no ${what}: ${JSON.stringify(nodes)}`);
    return found;
  }

  async #until(what: string, isSo: (nodes: readonly Node[]) => boolean): Promise<number> {
    const since = performance.now();
    let nodes: Node[] = [];
    while (performance.now() - since < HEALED_WITHIN_MS) {
      nodes = await this.listNodes();
      if (isSo(nodes)) return performance.now() - since;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error(`Not within ${HEALED_WITHIN_MS / 1000} s: ${what}. The nodes: ${JSON.stringify(nodes)}`);
  }
}

const PRIMARY: ReadonlySet<string> = new Set(['master', 'primary']);

/** A line of `status`: name, role, state, timeline, port, the manager's process id, the postmaster's. */
function readNode(line: string): Node {
  const [name = '', role = '', state = '', timeline = '', , manager = '-', postmaster = '-'] = line.split(' ');
  const readPid = (text: string) => (text === '-' ? undefined : Number(text));
  return { name, role, state, timeline, manager: readPid(manager), postmaster: readPid(postmaster) };
}
