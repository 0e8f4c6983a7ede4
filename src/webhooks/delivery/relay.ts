/**
 * From a committed change to the partner's endpoint: the relay gives events their place, the dispatcher sends them. Nothing here
 * decides what is told; that stands in the transaction of the change.
 */

import { lookOut } from '../../concurrency/look-out.ts';
import { ATTEMPTS_MAX } from '../../domain/webhooks/retry-schedule.ts';
import { type Connection, canPrepare, type Database } from '../../store/database.ts';
import {
  assignSequences,
  findUnsequencedEvents,
  listPartnersWithUnsequencedEvents,
  type OutboxRange,
  WHOLE_OUTBOX,
} from '../../store/events/event-outbox.ts';
import { assignSequencesOfSeveral } from '../../store/events/sequence-together.ts';
import { watchEndpointsOf } from '../../store/webhooks/endpoint-watch.ts';
import { NONE_TOGETHER, relayTogether, type Together, type TogetherTools } from './relay-together.ts';

export interface RelayOptions extends TogetherTools {
  readonly database: Database;
  /** Told when deliveries were made, so that they need not wait to be found. */
  readonly onDeliveries: () => void;
}

/** What comes in so short a time is numbered together. */
const PAUSE_MIN_MS = 5;
/** How long an event of another process waits at most before it has its place: it may be fetched within a second of its commit. */
const PAUSE_MAX_MS = 500;
/** A distributed database is asked about every partner each time. */
const PAUSE_MIN_DISTRIBUTED_MS = 200;
const EVENTS_AT_ONCE = 1_000;
/** Their bodies are made meanwhile. */
const EVENTS_TOGETHER = 512;

/**
 * Numbers the events of all partners: those of this process as soon as they are committed. Any number of processes may do so at once.
 *
 * @returns A function that ends it, and resolves when what is under way is done.
 */
export function openRelay({ database, onDeliveries, ...tools }: RelayOptions): () => Promise<void> {
  const { onError } = tools;
  let session: Session | undefined;
  const leave = (error?: Error) => {
    session?.client.release(error);
    session = undefined;
  };
  const looking = lookOut({
    pauseMinMs: database.isDistributed ? PAUSE_MIN_DISTRIBUTED_MS : PAUSE_MIN_MS,
    pauseMaxMs: PAUSE_MAX_MS,
    onError,
    async work() {
      session ??= beginSession(await database.pool.connect());
      try {
        const { numbered, deliveries, hasMore } = await relayOnce(database, session, onError, tools);
        if (deliveries > 0) onDeliveries();
        if (hasMore) return 'more';
        return numbered > 0 ? 'some' : 'nothing';
      } catch (error) {
        leave(error as Error);
        throw error;
      }
    },
  });
  database.committedEvents.listen(looking.wake);
  return async () => {
    await looking.end();
    leave();
  };
}

/**
 * A connection, and where the server behind it may have events without a number. That holds for this connection alone: a server that
 * was restored or took over counts transactions anew, and a pooler may change the server unseen.
 */
export interface Session {
  readonly client: Connection;
  range: OutboxRange;
  /** Partners of whose events some were left over, and where those may be. */
  behind: ReadonlyMap<string, OutboxRange>;
}

export function beginSession(client: Connection): Session {
  return { client, range: WHOLE_OUTBOX, behind: new Map() };
}

/**
 * Numbers what is found of several partners together; whoever else has events gets one batch, so that none waits for another's backlog. What
 * fails for one is told and left for the next time.
 *
 * @param tools Without them each partner's events are numbered by themselves.
 */
export async function relayOnce(
  database: Database,
  session: Session,
  onError: (error: unknown) => void,
  tools?: TogetherTools,
): Promise<Relayed> {
  const { client, range } = session;
  const found = await findUnsequencedEvents(client, database, range, EVENTS_TOGETHER);
  // Of those that are behind older events may wait elsewhere, which come first.
  const partnerIds = found.partnerIds.filter((partnerId) => !session.behind.has(partnerId));
  const isTogether = tools !== undefined && !database.isDistributed;
  const several = { range, partnerIds, withoutEndpointIds: found.withoutEndpointIds };
  const together = isTogether ? await relaySeveral({ client, database }, several, tools) : NONE_TOGETHER;
  const held = new Set(together.heldIds);
  const isWhole = found.isAll && together.isAll;
  const { partnerIds: waitingIds, next } = isWhole ? found : await listPartnersWithUnsequencedEvents(client, database, range);
  // What stays where it is, because its partner's cannot be numbered, is no reason to go on at once.
  const hasMore = !together.isAll && together.numbered > 0;
  const relayed = { numbered: together.numbered, deliveries: together.due, hasMore };
  const alone = new Set([...waitingIds.filter((partnerId) => !held.has(partnerId)), ...session.behind.keys()]);
  const behind = await relayAlone(database, session, { partnerIds: alone, relayed, onError });
  // Those that were numbered together may have left some, and are not behind.
  if (canPrepare(client)) Object.assign(session, { range: isWhole || held.size === 0 ? next : range, behind });
  return relayed;
}

interface Several {
  readonly range: OutboxRange;
  readonly partnerIds: readonly string[];
  readonly withoutEndpointIds: readonly string[];
}

/** Events that are sent nowhere stay in the database. */
async function relaySeveral(
  place: { readonly client: Connection; readonly database: Database },
  { range, partnerIds, withoutEndpointIds }: Several,
  tools: TogetherTools,
): Promise<Together> {
  const withoutEndpoint = new Set(withoutEndpointIds);
  const withoutEndpoints = partnerIds.filter((id) => withoutEndpoint.has(id));
  const withEndpoints = partnerIds.filter((id) => !withoutEndpoint.has(id));
  const parts = [
    withoutEndpoints.length === 0
      ? NONE_TOGETHER
      : await relayWithoutEndpoints(place, { range, partnerIds: withoutEndpoints }, tools.onError),
    withEndpoints.length === 0
      ? NONE_TOGETHER
      : await relayTogether(place, { range, partnerIds: withEndpoints, limit: EVENTS_TOGETHER }, tools),
  ] as const;
  const [one, other] = parts;
  return {
    due: one.due + other.due,
    numbered: one.numbered + other.numbered,
    heldIds: [...one.heldIds, ...other.heldIds],
    isAll: one.isAll && other.isAll,
  };
}

async function relayWithoutEndpoints(
  { client, database }: { readonly client: Connection; readonly database: Database },
  { range, partnerIds }: Omit<Several, 'withoutEndpointIds'>,
  onError: (error: unknown) => void,
): Promise<Together> {
  try {
    const batch = { limit: EVENTS_AT_ONCE, attemptsMax: ATTEMPTS_MAX };
    const { deliveries, deliveredIds, ...numbered } = await assignSequencesOfSeveral(client, range, partnerIds, batch);
    for (const partnerId of deliveredIds) await watchEndpointsOf(client, database, partnerId);
    return { ...numbered, due: deliveries };
  } catch (error) {
    onError(error);
    return NONE_TOGETHER;
  }
}

interface Relayed {
  /** Events. */
  numbered: number;
  /** That are due, and claimed by nobody. */
  deliveries: number;
  hasMore: boolean;
}

interface Alone {
  readonly partnerIds: ReadonlySet<string>;
  /** Counted on. */
  readonly relayed: Relayed;
  readonly onError: (error: unknown) => void;
}

/** @returns Partners of whose events some were left over. */
async function relayAlone(
  database: Database,
  { client, range, behind: wasBehind }: Session,
  { partnerIds, relayed, onError }: Alone,
): Promise<Map<string, OutboxRange>> {
  const behind = new Map<string, OutboxRange>();
  for (const partnerId of partnerIds) {
    const rangeOfPartner = wasBehind.get(partnerId) ?? range;
    behind.set(partnerId, rangeOfPartner);
    try {
      const batch = { limit: EVENTS_AT_ONCE, attemptsMax: ATTEMPTS_MAX, range: rangeOfPartner };
      const numbered = await assignSequences(client, database, partnerId, batch);
      if (numbered.deliveries > 0) await watchEndpointsOf(client, database, partnerId);
      relayed.deliveries += numbered.deliveries;
      relayed.numbered += numbered.numbered;
      if (numbered.isComplete) behind.delete(partnerId);
      else relayed.hasMore ||= numbered.isFull;
    } catch (error) {
      onError(error);
    }
  }
  return behind;
}
