/**
 * From a committed event to the partner's endpoint: the relay assigns sequences, the dispatcher sends. The content of an event is decided
 * in the transaction of its change.
 */

import { lookOut } from '../../concurrency/look-out.ts';
import { type Connection, canPrepare, type Database } from '../../store/database.ts';
import { isOfReadOnlySession } from '../../store/database-problem.ts';
import { assignSequences, assignSequencesOfSeveral } from '../../store/events/assign-sequences.ts';
import {
  findUnsequencedEvents,
  listPartnersWithUnsequencedEvents,
  type OutboxRange,
  type Unsequenced,
  type UnsequencedEvents,
  WHOLE_OUTBOX,
} from '../../store/events/event-outbox.ts';
import { watchEndpointsOf } from '../../store/webhooks/endpoint-watch.ts';
import { relayOnNodes } from './relay-on-nodes.ts';
import { RELAY_BATCH, type Relay, type Relayed } from './relay-round.ts';
import { NONE_TOGETHER, relayTogether, type Together, type TogetherTools } from './relay-together.ts';

export interface RelayOptions extends TogetherTools {
  readonly database: Database;
  /** Called when deliveries were created, so that they are sent at once. */
  readonly onDeliveries: () => void;
}

/** Events that are committed within this time get their sequences together. */
const PAUSE_MIN_MS = 5;
/** The longest wait of an event of another process for its sequence: it can be fetched within a second of its commit. */
const PAUSE_MAX_MS = 500;
/** A distributed database is asked about every partner each time. */
const PAUSE_MIN_DISTRIBUTED_MS = 200;
/** Bodies of events that are written together with their sequences. */
const EVENTS_TOGETHER = 512;
/** Transactions of several partners in one round; then partners beyond them get a batch each. */
const JOINT_BATCHES_MAX = 4;
/** Where more wait every partner is looked at, which takes hundreds of milliseconds for 100,000. */
const EVENTS_LOOKED_AT = 10_000;

/**
 * Assigns sequences to the events of all partners: to those of this process as soon as they are committed. Any number of processes may do
 * so at once.
 *
 * @returns A function that stops it, and resolves when the work under way is done.
 */
export function openRelay(options: RelayOptions): () => Promise<void> {
  const { database, onDeliveries, onError } = options;
  const { once, leave } = database.isDistributed ? relayOnNodes(database, onError) : relayOnServer(options);
  const looking = lookOut({
    pauseMinMs: database.isDistributed ? PAUSE_MIN_DISTRIBUTED_MS : PAUSE_MIN_MS,
    pauseMaxMs: PAUSE_MAX_MS,
    onError,
    async work() {
      const { sequenced, deliveries, hasMore } = await once();
      if (deliveries > 0) onDeliveries();
      if (hasMore) return 'more';
      return sequenced > 0 ? 'some' : 'nothing';
    },
  });
  database.committedEvents.listen(looking.wake);
  return async () => {
    await looking.end();
    leave?.();
  };
}

function relayOnServer({ database, ...options }: RelayOptions): Relay {
  let session: RelaySession | undefined;
  let isReadOnly = false;
  const leave = (failure?: Error | boolean) => {
    session?.client.release(failure);
    session = undefined;
    isReadOnly = false;
  };
  const onError = (error: unknown) => {
    isReadOnly ||= isOfReadOnlySession(error);
    options.onError(error);
  };
  const tools = { ...options, onError };
  return {
    async once() {
      session ??= beginRelaySession(await database.pool.connect());
      try {
        const relayed = await relayOnce(database, session, tools);
        if (isReadOnly) leave(true);
        return relayed;
      } catch (error) {
        leave(error as Error);
        throw error;
      }
    },
    leave,
  };
}

/**
 * A connection, and the range in which its server may have events without a sequence. The range is valid for this connection only: a
 * server that was restored or took over counts transactions anew, and a pooler may change the server unseen.
 */
export interface RelaySession {
  readonly client: Connection;
  range: OutboxRange;
  /** Partners with events left over, and their range. */
  behind: ReadonlyMap<string, OutboxRange>;
}

export function beginRelaySession(client: Connection): RelaySession {
  return { client, range: WHOLE_OUTBOX, behind: new Map() };
}

/**
 * Assigns sequences to events of several partners together, the oldest first; other partners with events get one batch each, so that none
 * waits for another's backlog. A failure for one is reported and left for the next run.
 */
export async function relayOnce(database: Database, session: RelaySession, tools: TogetherTools): Promise<Relayed> {
  const { client, range } = session;
  const { found, heldIds, isWhole, relayed } = await relayOldest(database, session, tools);
  const held = new Set(heldIds);
  const { partnerIds: waitingIds, next } = isWhole ? found : await listWaiting(client, range);
  const partnerIds = new Set([...waitingIds.filter((partnerId) => !held.has(partnerId)), ...session.behind.keys()]);
  const alone = await relayAlone(database, session, partnerIds, tools.onError);
  // Partners of the joint batch may have events left, and are not behind.
  if (canPrepare(client)) Object.assign(session, { range: isWhole || held.size === 0 ? next : range, behind: alone.behind });
  return {
    sequenced: relayed.sequenced + alone.relayed.sequenced,
    deliveries: relayed.deliveries + alone.relayed.deliveries,
    hasMore: relayed.hasMore || alone.relayed.hasMore,
  };
}

interface Oldest extends Pick<Together, 'heldIds'> {
  readonly found: UnsequencedEvents;
  /** Every partner with an event in the range was found, and those held here have none left. */
  readonly isWhole: boolean;
  /** What all of the transactions did. */
  readonly relayed: Relayed;
}

/** @returns What the last of the transactions found and held. */
async function relayOldest(database: Database, { client, range, behind }: RelaySession, tools: TogetherTools): Promise<Oldest> {
  let [sequenced, deliveries] = [0, 0];
  for (let batch = 1; ; batch++) {
    const found = await findUnsequencedEvents(client, range, EVENTS_TOGETHER);
    // Partners that are behind may have older events elsewhere, which come first.
    const partnerIds = found.partnerIds.filter((partnerId) => !behind.has(partnerId));
    const several = { range, partnerIds, withoutEndpointIds: found.withoutEndpointIds };
    const together = await relaySeveral({ client, database }, several, tools);
    const isWhole = found.isAll && together.isAll;
    sequenced += together.sequenced;
    deliveries += together.due;
    if (!isWhole && together.sequenced > 0 && batch < JOINT_BATCHES_MAX) continue;
    // Events whose partner fails are no reason to continue at once.
    const hasMore = !together.isAll && together.sequenced > 0;
    return { found, heldIds: together.heldIds, isWhole, relayed: { sequenced, deliveries, hasMore } };
  }
}

/** All partners with events in the range. */
async function listWaiting(client: Connection, range: OutboxRange): Promise<Unsequenced> {
  const found = await findUnsequencedEvents(client, range, EVENTS_LOOKED_AT);
  return found.isAll ? found : listPartnersWithUnsequencedEvents(client, range);
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
  tools.recent.setHeard(withoutEndpoints, false);
  tools.recent.setHeard(withEndpoints, true);
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
    sequenced: one.sequenced + other.sequenced,
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
    const { deliveries, deliveredIds, ...assigned } = await assignSequencesOfSeveral(client, range, partnerIds, RELAY_BATCH);
    for (const partnerId of deliveredIds) await watchEndpointsOf(client, database, partnerId);
    return { ...assigned, due: deliveries };
  } catch (error) {
    onError(error);
    return NONE_TOGETHER;
  }
}

interface Alone extends Pick<RelaySession, 'behind'> {
  readonly relayed: Relayed;
}

async function relayAlone(
  database: Database,
  { client, range, behind: wasBehind }: RelaySession,
  partnerIds: ReadonlySet<string>,
  onError: (error: unknown) => void,
): Promise<Alone> {
  const relayed = { sequenced: 0, deliveries: 0, hasMore: false };
  const behind = new Map<string, OutboxRange>();
  for (const partnerId of partnerIds) {
    const rangeOfPartner = wasBehind.get(partnerId) ?? range;
    behind.set(partnerId, rangeOfPartner);
    try {
      const batch = { ...RELAY_BATCH, range: rangeOfPartner };
      const assigned = await assignSequences(client, partnerId, batch);
      if (assigned.deliveries > 0) await watchEndpointsOf(client, database, partnerId);
      relayed.deliveries += assigned.deliveries;
      relayed.sequenced += assigned.sequenced;
      if (assigned.isComplete) behind.delete(partnerId);
      else relayed.hasMore ||= assigned.isFull;
    } catch (error) {
      onError(error);
    }
  }
  return { behind, relayed };
}
