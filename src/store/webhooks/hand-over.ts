import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, runAnew, type Statement } from '../query.ts';
import { deliveriesOf } from './delivery.ts';

/**
 * Deliveries that one transaction created and claimed for its process. Their rows are in no index of what waits: they are found by their
 * hand-over when its lease ends.
 */
export interface HandOver {
  readonly handOverId: string;
  /** The end of the lease, by the database's clock. */
  readonly leaseEndsAt: Date;
}

/** SQL: the deliveries, `d`, without a result of the events of a partner from one sequence to another. */
function handedOver(partnerId: string, [first, last]: readonly [string, string]): string {
  const condition = "status = 'handed_over' and ended_at is null";
  return `(
      select event_id from event where partner_id = ${partnerId} and sequence between ${first} and ${last} order by sequence
    ) v
    cross join lateral ${deliveriesOf({ partnerId, eventId: 'v.event_id', condition })} d`;
}

/**
 * SQL: the deliveries of `h` (a hand-over) that have no result, `d`. The orders make any plan begin with the hand-over and find the rest by
 * their keys, also one that was made while the tables were empty.
 */
export const HANDED_OVER = `cross join lateral unnest(h.partner_ids, h.first_sequences, h.last_sequences)
      as part (partner_id, first_sequence, last_sequence)
    cross join lateral ${handedOver('part.partner_id', ['part.first_sequence', 'part.last_sequence'])}`;

export interface EndedHandOver extends HandOver {
  readonly partnerIds: readonly string[];
  readonly firstSequences: readonly unknown[];
  readonly lastSequences: readonly unknown[];
}

const LIST_ENDED: Statement = {
  name: 'list_ended_hand_overs',
  text: `select lease_ends_at as "leaseEndsAt", hand_over_id as "handOverId", partner_ids as "partnerIds",
      first_sequences as "firstSequences", last_sequences as "lastSequences"
    from delivery_hand_over where (lease_ends_at, hand_over_id) > ($1, $2) and lease_ends_at <= now()
    order by lease_ends_at, hand_over_id limit $3`,
};

/** Hand-overs after this one whose lease has ended, the oldest first. */
export async function listEndedHandOvers(db: Queryable, after: HandOver, limit: number): Promise<EndedHandOver[]> {
  return run<EndedHandOver>(db, LIST_ENDED, [after.leaseEndsAt, after.handOverId, limit]);
}

const RELEASE_PART: Statement = {
  name: 'release_handed_over_deliveries',
  text: `update delivery d set status = 'waiting', next_attempt_at = ${NOW}
    where d.partner_id = $1 and d.delivery_id = any (array(
      select d.delivery_id from ${handedOver('$1', ['$2', '$3'])}
    )) and d.status = 'handed_over' and d.ended_at is null
    returning d.delivery_id`,
};

const DELETE: Statement = {
  name: 'delete_hand_over',
  text: 'delete from delivery_hand_over where lease_ends_at = $1 and hand_over_id = $2',
};

export interface ReleasedParts {
  /** The partners with deliveries that are due now. */
  readonly partnerIds: readonly string[];
  /** By partner: why its deliveries could not be released. */
  readonly failures: ReadonlyMap<string, unknown>;
}

interface EndingOptions {
  /** Once it is aborted, no further partner is released. */
  readonly signal?: AbortSignal;
  /** Partners that are left for later. */
  readonly without?: ReadonlySet<string>;
}

/**
 * Makes the deliveries of a hand-over due that have no result: the process that claimed them has died, or the outcome of its transaction
 * was unknown to it. The hand-over stays until it is released for every partner. Repeating it changes nothing.
 */
export async function endHandOver(
  db: Queryable,
  handOver: EndedHandOver,
  { signal, without }: EndingOptions = {},
): Promise<ReleasedParts> {
  const [partnerIds, failures]: [string[], Map<string, unknown>] = [[], new Map()];
  let isWhole = true;
  for (const [index, partnerId] of handOver.partnerIds.entries()) {
    if (signal?.aborted || without?.has(partnerId)) {
      isWhole = false;
      continue;
    }
    const range = [handOver.firstSequences[index], handOver.lastSequences[index]];
    try {
      if ((await runAnew(db, RELEASE_PART, [partnerId, ...range])).length > 0) partnerIds.push(partnerId);
    } catch (error) {
      failures.set(partnerId, error);
    }
  }
  if (isWhole && failures.size === 0) await run(db, DELETE, [handOver.leaseEndsAt, handOver.handOverId]);
  return { partnerIds, failures };
}

const SHORTEN_LEASES: Statement = {
  name: 'shorten_hand_over_leases',
  text: `update delivery_hand_over set lease_ends_at = ${NOW} + $1 * interval '1 millisecond'
    where lease_ends_at > now() + $2 * interval '1 millisecond'`,
};

/** Lets leases of hand-overs end after `leaseMs` that would last for longer than `longerThanMs`. */
export async function shortenHandOverLeases(
  db: Queryable,
  { leaseMs, longerThanMs }: { leaseMs: number; longerThanMs: number },
): Promise<void> {
  await run(db, SHORTEN_LEASES, [leaseMs, longerThanMs]);
}
