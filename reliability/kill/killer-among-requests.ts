/** Kills the service or its database in the middle of the work, again and again, and measures how it comes back. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from '../harness/installation.ts';
import type { Random } from '../harness/random.ts';
import { untilBack } from '../harness/until-back.ts';
import { untilEnded } from '../harness/until-ended.ts';

export type Target = 'service' | 'database';

export interface KillOptions {
  readonly installation: Installation;
  readonly target: Target;
  readonly kills: number;
  /** How many confirmations the run has at least: the kills are spread over them. */
  readonly confirmations: number;
  readonly random: Random;
  /** How many requests are under way at this moment. */
  readonly countUnderWay: () => number;
  readonly report: (violation: string) => void;
}

/** One kill and what came of it. */
export interface Kill {
  readonly requestsCut: number;
  /** From the kill until `/readyz` says that the service can work. */
  readyAfterMs: number;
  /** From the kill until the next contribution was confirmed. */
  confirmedAfterMs: number;
}

/** So that a kill falls anywhere in the life of a batch, which takes some milliseconds. */
const AIM_MS_MAX = 15;
/** A first confirmation comes at the latest so long after any fault. */
export const CONFIRMED_WITHIN_MS = 10_000;

export class KillerAmongRequests {
  readonly kills: Kill[] = [];
  readonly #options: KillOptions;
  readonly #thresholds: number[];
  #sent = 0;
  #struckAtMs = 0;
  #settledUntilMs = 0;
  /** Rejects when the service cannot be brought back: there is nothing more to learn then. */
  readonly #broken = Promise.withResolvers<never>();
  #work: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(options: KillOptions) {
    this.#options = options;
    const { kills, confirmations, random } = options;
    const share = confirmations / (kills + 1);
    this.#thresholds = Array.from({ length: kills }, (_, index) => Math.floor(share * (index + 0.5 + random.fraction())));
  }

  /** To be told of every confirmation that is sent. */
  noteSent(): void {
    this.#sent++;
    const [next] = this.#thresholds;
    if (next === undefined || this.#sent < next) return;
    this.#thresholds.shift();
    this.#work = this.#work.then(() => this.#strike()).catch(this.#broken.reject);
  }

  /** To be told of every contribution that is confirmed. */
  noteConfirmed(): void {
    const last = this.kills.at(-1);
    if (last?.confirmedAfterMs === Number.POSITIVE_INFINITY) last.confirmedAfterMs = performance.now() - this.#struckAtMs;
  }

  /** Of the last kill that the database did not survive, in milliseconds since 1970: transactions that began before are over. */
  get settledUntilMs(): number {
    return this.#settledUntilMs;
  }

  get broken(): Promise<never> {
    return this.#broken.promise;
  }

  /** Nothing more will be confirmed. Resolves when the last kill is over and the service is back. */
  finish(): Promise<void> {
    this.#isOver = true;
    return this.#work;
  }

  async #strike(): Promise<void> {
    const { installation, target, random, countUnderWay, report } = this.#options;
    await this.#untilConfirmed();
    await sleep(random.fraction() * AIM_MS_MAX);
    const requestsCut = countUnderWay();
    this.#struckAtMs = performance.now();
    const struckAt = Date.now();
    const kill: Kill = {
      requestsCut,
      readyAfterMs: Number.POSITIVE_INFINITY,
      confirmedAfterMs: Number.POSITIVE_INFINITY,
    };
    const worker = target === 'service' && random.chance(0.5) ? installation.listWorkers()[0] : undefined;
    if (worker !== undefined) {
      kill9(worker);
      this.kills.push(kill);
      await untilBack(installation, {
        killed: 'a process',
        isReplaced: () => !installation.listWorkers().includes(worker),
        report,
      });
    } else if (target === 'service') {
      await installation.killService();
      this.kills.push(kill);
      const settled = this.#untilSettled(struckAt);
      await installation.startService();
      await settled;
    } else {
      const killed = installation.findPostmaster();
      if (killed === undefined) return report('there was no database server to kill');
      // The postmaster alone leaves sessions that finish their statement; all at once cuts them in the middle of it.
      for (const pid of random.chance(0.5) ? [killed] : installation.listDatabaseProcesses()) kill9(pid);
      this.kills.push(kill);
      const settled = this.#untilSettled(struckAt);
      await untilBack(installation, {
        killed: 'its database',
        isReplaced: () => ![undefined, killed].includes(installation.findPostmaster()),
        report,
      });
      await settled;
    }
    kill.readyAfterMs = performance.now() - this.#struckAtMs;
  }

  /** From when the last session of the killed server has ended: no later look-up meets it, and none of its transactions commits any more. */
  async #untilSettled(struckAt: number): Promise<void> {
    await untilEnded(this.#options.installation.listDatabaseProcesses());
    this.#settledUntilMs = struckAt;
  }

  /** A kill right behind another one would show nothing: the service first has to do some work. */
  async #untilConfirmed(): Promise<void> {
    const isWaiting = () => !this.#isOver && this.kills.at(-1)?.confirmedAfterMs === Number.POSITIVE_INFINITY;
    for (const since = performance.now(); isWaiting() && performance.now() - since < CONFIRMED_WITHIN_MS; ) await sleep(1);
  }
}

function kill9(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // A session that ended by itself in this moment.
  }
}
