import { setTimeout as sleep } from 'node:timers/promises';
import { writeEventBodies } from '../../src/operations/events/event-bodies.ts';
import { listEvents } from '../../src/store/events/event.ts';
import { type Bench, measureChecked } from '../cells.ts';
import { newToken } from '../rows/identifiers.ts';
import { settle } from '../subject/database.ts';
import { type Installation, readServiceUsage } from '../subject/installation.ts';
import type { Receiver } from './receiver.ts';

/** As the receiver saw it, with the processor time of each delivery. */
export interface Sent {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  /** `undefined` where no database takes part, or one on another machine. */
  readonly databaseCpuMicroseconds: number | undefined;
}

const CONFIRMING = { scenario: 'confirm', connections: 128, seconds: 1 } as const;
const BODIES_MAX = 20_000;
const LOOK_EVERY_MS = 50;
/** Nothing has changed for so long: what is missing will not come. */
const PATIENCE_MS = 30_000;

/** A partner of its own, with so many endpoints that are disabled between the measurements. */
export class Sender {
  /** What the receiver knows its deliveries by. */
  readonly run = newToken();
  readonly #bench: Bench;
  readonly #installation: Installation;
  readonly #receiver: Receiver;
  readonly #endpointIds: string[] = [];

  private constructor(bench: Bench, installation: Installation, receiver: Receiver) {
    this.#bench = bench;
    this.#installation = installation;
    this.#receiver = receiver;
  }

  static async open(bench: Bench, installation: Installation, to: { receiver: Receiver; endpoints: number }): Promise<Sender> {
    const partner = await installation.subject.makePartner();
    const sender = new Sender(bench, { ...installation, partner }, to.receiver);
    const url = to.receiver.urlOf(sender.run);
    for (let made = 0; made < to.endpoints; made++)
      sender.#endpointIds.push(await installation.subject.addEndpoint(partner.partnerId, `${url}?endpoint=${made}`));
    await sender.#change('disable');
    return sender;
  }

  /** Confirms at least so many contributions, then lets their events go, and waits until every delivery is recorded. */
  async sendBacklog(events: number): Promise<Sent> {
    const { run } = this;
    const deliveries = (await this.#confirm(events)) * this.#endpointIds.length;
    await this.#receiver.forget(run);
    const before = readServiceUsage(this.#installation);
    await this.#change('enable');
    // To ask the database meanwhile would be part of what is measured.
    await this.#untilNothing(async () => Math.max(deliveries - (await this.#receiver.read(run)).count, 0));
    await this.#untilNothing(() => this.#countWaiting());
    const after = readServiceUsage(this.#installation);
    await this.#change('disable');
    const { count, seconds } = await this.#receiver.read(run);
    if (count !== deliveries) {
      const repeated = await this.#count('select sum(attempts) - count(*) as count from delivery where partner_id = $1');
      this.#bench.problems.push(`deliveries: ${deliveries} were due and ${count} came; ${repeated} attempts were not the first`);
    }
    const each = (from: number, to: number) => ((to - from) / deliveries) * 1e6;
    return {
      perSecond: count / seconds,
      cpuMicroseconds: each(before.service.cpuSeconds, after.service.cpuSeconds),
      databaseCpuMicroseconds: before.database && after.database && each(before.database.cpuSeconds, after.database.cpuSeconds),
    };
  }

  /** The bodies of what was to be sent so far, as they are sent. */
  async listBodies(): Promise<string[]> {
    const { pool, partner } = this.#installation;
    const events = await listEvents(pool, partner.partnerId, { afterSequence: 0n, limit: BODIES_MAX });
    const stored = events.filter(({ bodyValues, packedBody }) => (bodyValues ?? packedBody) !== null);
    return (await writeEventBodies(pool, 'sandbox', stored)).map(({ body }) => body.toString());
  }

  /** What a later measurement would pay for is taken away. */
  async close(): Promise<void> {
    await this.#change('remove');
  }

  /** @returns How many were confirmed; each has its place among the partner's events then. */
  async #confirm(events: number): Promise<number> {
    const stored = () => this.#count('select count(*) from contribution where partner_id = $1');
    const before = await stored();
    while ((await stored()) - before < events) await measureChecked(this.#bench, this.#installation, CONFIRMING);
    await this.#untilNothing(() => this.#count('select count(*) from event_outbox where partner_id = $1'));
    await settle(this.#installation.pool);
    // What was under way when a load ended is stored a moment later.
    return (await stored()) - before;
  }

  #countWaiting(): Promise<number> {
    return this.#count('select count(*) from delivery where partner_id = $1 and ended_at is null');
  }

  async #change(what: 'enable' | 'disable' | 'remove'): Promise<void> {
    const { subject, partner } = this.#installation;
    for (const endpointId of this.#endpointIds) await subject.changeEndpoint(partner.partnerId, endpointId, what);
  }

  async #untilNothing(count: () => Promise<number>): Promise<void> {
    for (let [fewest, since] = [Number.POSITIVE_INFINITY, performance.now()]; ; await sleep(LOOK_EVERY_MS)) {
      this.#bench.signal.throwIfAborted();
      const left = await count();
      if (left === 0) return;
      if (left < fewest) [fewest, since] = [left, performance.now()];
      if (performance.now() - since > PATIENCE_MS) throw new Error(`${left} deliveries or events do not get on.`);
    }
  }

  async #count(text: string): Promise<number> {
    const { rows } = await this.#query<{ count: number }>(text);
    return rows[0]?.count ?? 0;
  }

  #query<Row extends object>(text: string, values: readonly unknown[] = []) {
    const { pool, partner } = this.#installation;
    return pool.query<Row>(text, [partner.partnerId, ...values]);
  }
}
