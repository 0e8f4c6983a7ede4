/** `kill -9` at random moments: of the whole service, or of one of the processes that share its work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from '../harness/installation.ts';
import type { Random } from '../harness/random.ts';
import { untilBack } from '../harness/until-back.ts';

export interface Kill {
  readonly of: 'service' | 'process';
  readonly atMs: number;
  readonly readyAfterMs: number;
}

const SERVICE_SHARE = 0.4;

export class KillerOverTime {
  readonly kills: Kill[] = [];
  readonly #installation: Installation;
  readonly #random: Random;
  readonly #report: (violation: string) => void;

  constructor(installation: Installation, random: Random, report: (violation: string) => void) {
    this.#installation = installation;
    this.#random = random;
    this.#report = report;
  }

  /** So many kills, spread over about so long; each comes after the service is back from the one before. */
  async kill(count: number, overMs: number): Promise<void> {
    const startedAt = performance.now();
    const share = overMs / count;
    for (let index = 0; index < count; index++) {
      await sleep(Math.max(0, startedAt + (index + this.#random.fraction()) * share - performance.now()));
      await this.#strikeOnce();
    }
  }

  async #strikeOnce(): Promise<void> {
    const workers = this.#installation.listWorkers();
    const worker = workers[this.#random.whole(0, Math.max(0, workers.length - 1))];
    const atMs = Date.now();
    if (worker === undefined || this.#random.chance(SERVICE_SHARE)) {
      await this.#installation.killService();
      await this.#installation.startService();
      this.kills.push({ of: 'service', atMs, readyAfterMs: Date.now() - atMs });
    } else {
      process.kill(worker, 'SIGKILL');
      const isReplaced = () => this.#installation.listWorkers().filter((pid) => pid !== worker).length >= workers.length;
      await untilBack(this.#installation, { killed: 'a process', isReplaced, report: this.#report });
      this.kills.push({ of: 'process', atMs, readyAfterMs: Date.now() - atMs });
    }
  }
}
