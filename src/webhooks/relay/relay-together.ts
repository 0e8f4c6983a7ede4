import { randomUUID } from 'node:crypto';
import { DELIVERY_LEASE_MS } from '../../domain/webhooks/delivery-lease.ts';
import { ATTEMPTS_MAX } from '../../domain/webhooks/retry-schedule.ts';
import { receivesEvent } from '../../domain/webhooks/subscription.ts';
import { type BodyTools, type MadeBody, makeEventBodies } from '../../operations/events/event-bodies.ts';
import type { Connection, Database } from '../../store/database.ts';
import type { OutboxRange } from '../../store/events/event-outbox.ts';
import { insertTakenEvents, type NewDelivery, type TakenEvent, takeUnsequencedEvents } from '../../store/events/taken-events.ts';
import { deliveryIdOf } from '../../store/webhooks/delivery-id.ts';
import { listRecipientEndpoints, type RecipientEndpoint } from '../../store/webhooks/due-endpoint.ts';
import { watchEndpoints } from '../../store/webhooks/endpoint-watch.ts';
import type { Handed, HandOverIntake } from '../delivery/hand-over-intake.ts';

export interface TogetherTools extends BodyTools {
  readonly intake: HandOverIntake;
}

export interface Together {
  /** Due deliveries that no process has claimed. */
  readonly due: number;
  readonly sequenced: number;
  /** Partners whose counters were locked here, so that none of their events in the range was left. */
  readonly heldIds: readonly string[];
  /** No event in the range of these partners was left over. */
  readonly isAll: boolean;
}

export const NONE_TOGETHER: Together = { due: 0, sequenced: 0, heldIds: [], isAll: true };

/**
 * Assigns sequences to events of several partners in one transaction, stores them with their bodies, and hands their deliveries to the
 * dispatcher of this process up to its capacity: those are claimed at their creation. The others are due for all. A failure is reported;
 * then no event has a sequence, or the outcome is unknown. Claimed deliveries are due again after the lease.
 *
 * @throws Error When the session is no longer usable.
 */
export async function relayTogether(
  { client, database }: { client: Connection; database: Pick<Database, 'isDistributed'> },
  { range, partnerIds, limit }: { range: OutboxRange; partnerIds: readonly string[]; limit: number },
  tools: TogetherTools,
): Promise<Together> {
  const claimedAtMs = performance.now();
  const { handOvers } = tools.intake;
  const ended = handOvers.takeEnded();
  let ending: Promise<string> | undefined;
  try {
    // Outside of a transaction events would be removed from the outbox without getting a sequence.
    await client.query('begin');
    const [taken, endpoints] = await Promise.all([
      takeUnsequencedEvents(client, range, partnerIds, limit),
      listRecipientEndpoints(client, partnerIds),
    ]);
    const { events, counters, isAll } = taken;
    const plan = await planDeliveries(events, endpoints, tools.intake);
    const bodies = await makeEventBodies(client, tools, eventsOf(plan.deliveries));
    const deliveries = plan.deliveries.map((each) => ({ ...each, isClaimed: each.isClaimed && bodies.has(each.event.eventId) }));
    const bodyOf = ({ eventId }: TakenEvent) => bodies.get(eventId);
    const handOverId = randomUUID();
    const insert = { deliveries, counters, bodyOf, attemptsMax: ATTEMPTS_MAX, leaseMs: DELIVERY_LEASE_MS, handOverId, ended };
    const writing = [insertTakenEvents(client, events, insert), watchEndpoints(client, database, plan.unwatched)] as const;
    ending = commit(client);
    const [command, leaseEndsAt] = await Promise.all([ending, ...writing]);
    if (command !== 'COMMIT') throw new Error(`The COMMIT was answered with ${command}.`);
    const claims = deliveries.filter(({ isClaimed }) => isClaimed);
    const onEnd = handOvers.begin({ handOverId, leaseEndsAt }, claims.length);
    handOver({ claims, bodies, leaseEndsAt, claimedAtMs, onEnd }, plan, tools.intake);
    const heldIds = counters.map(({ partnerId }) => partnerId);
    return { due: deliveries.length - claims.length, sequenced: events.length, heldIds, isAll };
  } catch (error) {
    handOvers.restoreEnded(ended);
    // When this fails too, the state of the session is unknown.
    await (ending ?? client.query('rollback'));
    tools.onError(error);
    return NONE_TOGETHER;
  }
}

/**
 * @returns The command tag of the answer: ROLLBACK for a failed transaction, without an error.
 */
async function commit(client: Connection): Promise<string> {
  return (await client.query('commit')).command;
}

interface Plan {
  readonly deliveries: readonly NewDelivery[];
  readonly endpoints: readonly RecipientEndpoint[];
  readonly unwatched: readonly RecipientEndpoint[];
}

async function planDeliveries(
  events: readonly TakenEvent[],
  endpoints: readonly RecipientEndpoint[],
  intake: HandOverIntake,
): Promise<Plan> {
  const healthy = endpoints.filter(({ status, health, isOpen }) => status === 'active' && health === 'healthy' && !isOpen);
  const verified = events.length === 0 ? [] : await intake.keepVerified(healthy);
  const room = new Map(verified.map((endpoint) => [endpoint.endpointId, intake.roomForNew(endpoint)]));
  const ofPartner = Map.groupBy(endpoints, ({ partnerId }) => partnerId);
  const deliveries: NewDelivery[] = [];
  const used = new Set<string>();
  for (const event of events)
    for (const endpoint of ofPartner.get(event.partnerId) ?? []) {
      if (!receivesEvent(endpoint, event.eventType)) continue;
      const { endpointId } = endpoint;
      const left = room.get(endpointId) ?? 0;
      room.set(endpointId, left - 1);
      used.add(endpointId);
      const deliveryId = deliveryIdOf(event.eventId, endpointId);
      deliveries.push({ event, deliveryId, endpointId, isClaimed: left > 0 });
    }
  const unwatched = endpoints.filter(({ endpointId, isWatched }) => used.has(endpointId) && !isWatched);
  return { deliveries, endpoints, unwatched };
}

/** Each once. A delivery to a disabled endpoint counts too: the body costs less now than when it is sent. */
function eventsOf(deliveries: readonly NewDelivery[]): TakenEvent[] {
  return [...new Set(deliveries.map(({ event }) => event))];
}

interface Claims {
  readonly claims: readonly NewDelivery[];
  readonly bodies: ReadonlyMap<string, MadeBody>;
  readonly leaseEndsAt: Date;
  readonly claimedAtMs: number;
  readonly onEnd: () => void;
}

function handOver({ claims, bodies, leaseEndsAt, claimedAtMs, onEnd }: Claims, plan: Plan, intake: HandOverIntake): void {
  const made = Map.groupBy(plan.deliveries, ({ endpointId }) => endpointId);
  const ofEndpoint = Map.groupBy(claims, ({ endpointId }) => endpointId);
  for (const endpoint of plan.endpoints) {
    const own = ofEndpoint.get(endpoint.endpointId) ?? [];
    if (own.length === 0) continue;
    const handed = own.map(({ event, deliveryId, endpointId }): Handed => {
      const { partnerId, eventId, eventType, sequence } = event;
      const about = { partnerId, deliveryId, endpointId, eventId, eventType, sequence, body: null };
      const claimed = { ...about, trigger: 'event', attempts: 0, attemptsLeft: ATTEMPTS_MAX, lease: 1n, leaseEndsAt } as const;
      const { body } = bodies.get(eventId) as MadeBody;
      return { claimed, content: { body, correlationId: event.correlationId ?? eventId }, claimedAtMs, onEnd };
    });
    intake.take(endpoint, handed, own.length === made.get(endpoint.endpointId)?.length);
  }
}
