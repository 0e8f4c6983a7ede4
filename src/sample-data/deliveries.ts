import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RecentContributions } from '../operations/events/recent-contributions.ts';
import { UNCOUNTED } from '../operations/quotas/storage-usage.ts';
import { NodeReader } from '../store/node-reader.ts';
import { findPastStep, insertPastStep } from '../store/sandbox/past-clock.ts';
import { countUnsent } from '../store/webhooks/unsent-delivery.ts';
import { Dispatcher } from '../webhooks/delivery/dispatcher.ts';
import type { HandOverIntake } from '../webhooks/delivery/hand-over-intake.ts';
import { reopenDue } from '../webhooks/delivery/healing.ts';
import { Pace } from '../webhooks/delivery/pace.ts';
import { addEndpoint } from '../webhooks/endpoints/add-endpoint.ts';
import { beginRelaySession, type RelaySession, relayOnce } from '../webhooks/relay/relay.ts';
import { openSecrets } from '../webhooks/security/endpoint-secrets.ts';
import { openGuardedAgent } from '../webhooks/security/guarded-agent.ts';
import { DAY_MS, HOUR_MS, type Plan } from './plan.ts';
import { openReceivers, type Receivers } from './receivers.ts';
import type { Sample, Scene } from './sample.ts';
import type { Slug } from './sample-partners.ts';

/** How the endpoint of a partner fares, by days before the end. */
interface Endpoint {
  readonly slug: Slug;
  readonly addedDays: number;
  readonly eventTypes: readonly string[];
}

const ENDPOINTS: readonly Endpoint[] = [
  { slug: 'nordlicht', addedDays: 44, eventTypes: [] },
  { slug: 'brightline', addedDays: 34, eventTypes: [] },
  { slug: 'oasis', addedDays: 26, eventTypes: ['impact.transaction.confirmed', 'settlement.closed'] },
];
/** From then on the receiver of `nordlicht` is gone, and that of `oasis` fails. */
const GONE_DAYS = 12;
const FAILING_HOURS = 44;
/** In these last hours, due deliveries are retried most often. */
const LATE_HOURS = 20;
/** Such a share of the deliveries of `brightline` fails at first, but none of the last hours. */
const FLAKY = 0.04;
const STEADY_HOURS = 12;
/** The contributions of every 25th order it refuses at every attempt: those deliveries are exhausted in the end. */
const REFUSED = /"impact\.transaction\.confirmed".*"partner_order_ref":"BR-\d*(?:00|25|50|75)"/;

const PORT = 'port of the receivers';
const LOOK_EVERY_MS = 2;
const SENT_WITHIN_MS = 500;

/** The relay and the dispatcher of the service, in the past, and the receivers of the partners. */
export class Deliveries {
  readonly #sample: Sample;
  readonly #receivers: Receivers;
  readonly #session: RelaySession;
  readonly #dispatcher: Dispatcher;
  readonly #bodies = { environment: 'sandbox', recent: new RecentContributions() } as const;

  static async open(sample: Sample, receivers: Receivers): Promise<Deliveries> {
    return new Deliveries(sample, receivers, beginRelaySession(await sample.past.pool.connect()));
  }

  constructor(sample: Sample, receivers: Receivers, session: RelaySession) {
    const { past: database, tools } = sample;
    this.#sample = sample;
    this.#receivers = receivers;
    this.#session = session;
    this.#dispatcher = new Dispatcher({
      database,
      environment: 'sandbox',
      pace: new Pace(),
      usage: UNCOUNTED,
      clock: Date.now,
      client: openGuardedAgent({ allowInsecure: false, allowThisMachine: true }),
      openSecrets: (endpoint) => openSecrets(tools.endpointTools.secretBox, endpoint),
      onAttempt: () => {},
      onDisabled: () => {},
      onError: this.#report,
    });
  }

  readonly #report = (error: unknown): void => {
    if (!this.#sample.tools.signal.aborted) this.#sample.tools.onProgress(`Sample data: a delivery: ${(error as Error).message}`);
  };

  /** Numbers what waits, and sends it at this time. */
  async flush(): Promise<void> {
    const { past } = this.#sample;
    let handed = 0;
    const { intake } = this.#dispatcher;
    const counting: HandOverIntake = {
      handOvers: intake.handOvers,
      keepVerified: (endpoints) => intake.keepVerified(endpoints),
      roomForNew: (endpoint) => intake.roomForNew(endpoint),
      take(endpoint, deliveries, isAll) {
        handed += deliveries.length;
        intake.take(endpoint, deliveries, isAll);
      },
    };
    await relayOnce(past, this.#session, { ...this.#bodies, onError: this.#report, intake: counting });
    if (handed > 0) await this.#until(async () => (await this.#count()).underWay === 0);
  }

  /** Sends as {@link flush} does, but only after the first endpoint exists. Before that, events get their sequences once a day. */
  async flushIfSent(): Promise<void> {
    if (this.#sample.at.getTime() >= firstEndpointMs(this.#sample.plan)) await this.flush();
  }

  /** Sends what failed before and is due at this time. */
  async retry(): Promise<void> {
    await this.flush();
    await reopenDue(this.#sample.past, new NodeReader(this.#sample.past));
    await this.#until(async () => {
      const { due, underWay } = await this.#count();
      if (due > 0) this.#dispatcher.wake();
      return due + underWay === 0;
    });
  }

  async addEndpoint({ slug, eventTypes }: Endpoint): Promise<void> {
    const { tools } = this.#sample;
    const partnerId = await this.#sample.partnerId(slug);
    const url = `http://127.0.0.1:${this.#receivers.port}/${slug}`;
    const operator = await this.#sample.person('operator');
    await this.#sample.once(
      `endpoint ${slug}`,
      (database) => addEndpoint({ ...tools.endpointTools, database }, operator, { partnerId, url, eventTypes }),
      ({ endpointId }: { endpointId: string }) => endpointId,
    );
  }

  async close(): Promise<void> {
    this.#session.client.release();
    await this.#dispatcher.close();
    this.#receivers.close();
  }

  async #count(): ReturnType<typeof countUnsent> {
    const partnerIds = await Promise.all(ENDPOINTS.map(({ slug }) => this.#sample.partnerId(slug)));
    return countUnsent(this.#sample.past.pool, partnerIds);
  }

  /** What takes longer is sent at a later time. */
  async #until(isDone: () => Promise<boolean>): Promise<void> {
    const untilMs = performance.now() + SENT_WITHIN_MS;
    while (!(await isDone()) && performance.now() < untilMs) await sleep(LOOK_EVERY_MS);
  }
}

export async function openDeliveries(sample: Sample): Promise<Deliveries> {
  const known = await findPastStep(sample.past.pool, PORT);
  const receivers = await openReceivers(Number(known ?? 0), (path, body) => answerOf(sample, path, body));
  if (known === undefined) await insertPastStep(sample.past.pool, PORT, String(receivers.port));
  return Deliveries.open(sample, receivers);
}

function answerOf({ at, plan: { endsAt } }: Sample, path: string, body: string): number {
  const leftMs = endsAt.getTime() - at.getTime();
  if (path === '/nordlicht') return leftMs < GONE_DAYS * DAY_MS ? 410 : 204;
  if (path === '/oasis') return leftMs < FAILING_HOURS * HOUR_MS ? 503 : 204;
  if (REFUSED.test(body)) return 422;
  const share = Number.parseInt(hash('sha256', `${at.getTime()} ${body}`).slice(0, 6), 16) / 0xffffff;
  return share < FLAKY && leftMs > STEADY_HOURS * HOUR_MS ? 500 : 204;
}

/** Endpoints are added, and deliveries that failed are repeated. */
export function deliveryScenes({ startsAt, endsAt }: Plan, deliveries: Deliveries): Scene[] {
  const scenes: Scene[] = ENDPOINTS.map((endpoint) => ({
    at: new Date(endsAt.getTime() - endpoint.addedDays * DAY_MS),
    run: () => deliveries.addEndpoint(endpoint),
  }));
  const retries = { from: firstEndpointMs({ endsAt }), run: () => deliveries.retry() };
  const [failingAt, lateAt] = [FAILING_HOURS, LATE_HOURS].map((hours) => endsAt.getTime() - hours * HOUR_MS) as [number, number];
  const repeat = (from: number, until: number, everyMs: number) => {
    for (let at = from; at < until; at += everyMs) scenes.push({ at: new Date(at), run: retries.run });
  };
  repeat(retries.from, failingAt, 8 * HOUR_MS);
  repeat(failingAt, lateAt, 2 * HOUR_MS);
  repeat(lateAt, endsAt.getTime(), HOUR_MS / 2);
  for (let at = startsAt.getTime() + HOUR_MS; at < retries.from; at += DAY_MS)
    scenes.push({ at: new Date(at), run: () => deliveries.flush() });
  return scenes;
}

function firstEndpointMs({ endsAt }: Pick<Plan, 'endsAt'>): number {
  return endsAt.getTime() - Math.max(...ENDPOINTS.map(({ addedDays }) => addedDays)) * DAY_MS;
}
