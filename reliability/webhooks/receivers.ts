import { type ChildProcess, fork } from 'node:child_process';
import type { Fault } from './faults.ts';
import type { Arrival, Holding, Order, Report, Tls } from './messages.ts';

type Done = Report & { kind: 'done' };

const PROGRAM = new URL('receivers-process.ts', import.meta.url).pathname;

export interface ReceiversOptions {
  readonly endpoints: readonly number[];
  readonly host: string;
  readonly tls: Tls | undefined;
  readonly onArrival: (arrival: Arrival) => void;
  readonly onHolding: (holding: Holding) => void;
}

/** Receivers of some endpoints, in a process of their own. */
export class Receivers {
  /** By endpoint. */
  ports: Readonly<Record<number, number>> = {};
  /** Connections, so far, to where nobody may be sent. */
  reachedInward = 0;
  readonly #child: ChildProcess;
  readonly #unanswered = new Map<number, PromiseWithResolvers<Done>>();
  #orders = 0;

  private constructor({ onArrival, onHolding }: ReceiversOptions) {
    this.#child = fork(PROGRAM, { serialization: 'advanced', execArgv: [] });
    this.#child.on('message', (report: Report) => {
      if (report.kind === 'done') return this.#unanswered.get(report.order)?.resolve(report);
      this.reachedInward = report.reachedInward;
      report.arrivals.forEach(onArrival);
      report.holdings.forEach(onHolding);
    });
    this.#child.once('exit', () => {
      for (const { reject } of this.#unanswered.values()) reject(new Error('The receivers have ended.'));
    });
  }

  static async open(options: ReceiversOptions): Promise<Receivers> {
    const receivers = new Receivers(options);
    const { endpoints, host, tls } = options;
    const { ports = {} } = await receivers.#give({ kind: 'open', endpoints, host, tls });
    receivers.ports = ports;
    return receivers;
  }

  /** From then on what arrives is verified. */
  async learnSecret(endpoint: number, secret: string): Promise<void> {
    await this.#give({ kind: 'secret', endpoint, secret });
  }

  /** `undefined` makes it healthy. */
  async behave(endpoint: number, fault: Fault | undefined): Promise<void> {
    await this.#give({ kind: 'behave', endpoint, fault });
  }

  /** Everything that has arrived so far is known afterwards. */
  async handOver(): Promise<void> {
    await this.#give({ kind: 'hand_over' });
  }

  close(): void {
    this.#child.kill();
  }

  async #give(order: Order): Promise<Done> {
    const number = ++this.#orders;
    const answer = Promise.withResolvers<Done>();
    this.#unanswered.set(number, answer);
    this.#child.send({ number, order });
    return answer.promise.finally(() => this.#unanswered.delete(number));
  }
}
