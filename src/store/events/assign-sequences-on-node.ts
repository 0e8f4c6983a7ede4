import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import { insertDueDeliveries } from '../webhooks/delivery.ts';
import { RECEIVES_EVENT } from '../webhooks/webhook-endpoint.ts';
import type { Sequenced } from './assign-sequences.ts';

const HOLD: Statement = {
  name: 'hold_event_counter',
  text: `with oldest as materialized (
      select position, written_by from event_outbox where partner_id = $1 order by written_by, position limit $2
    )
    select last_sequence as "lastSequence", array(select position from oldest) as positions,
      (select o.written_by::text from oldest o order by o.written_by limit 1) as first,
      (select o.written_by::text from oldest o order by o.written_by desc limit 1) as last
    from event_counter where partner_id = $1 for update skip locked`,
};

interface HeldCounter {
  readonly lastSequence: bigint;
  readonly positions: readonly bigint[];
  /** The transactions that wrote the oldest and the newest of these events; `null` without any. */
  readonly first: string | null;
  readonly last: string | null;
}

/** Reads the part of the key that the events lie in, and offers nothing else to the plan. */
const IS_OLDEST = `partner_id = $1 and position + 0 = any ($2::int8[]) and written_by >= $3::xid8 and written_by <= $4::xid8`;

const NUMBER: Statement = {
  name: 'insert_events_of_node',
  text: `insert into event (partner_id, sequence, event_id, event_type, subject_id, correlation_id, occurred_at, data)
    select partner_id, $5::int8 + row_number() over (order by position), event_id, event_type, subject_id, correlation_id, occurred_at, data
    from event_outbox where ${IS_OLDEST}
    returning 1`,
};

const DELIVER: Statement = {
  name: 'insert_deliveries_of_node',
  text: `${insertDueDeliveries({ trigger: 'event', attemptsMax: '$4::int4' })}
    from (select * from event where partner_id = $1 and sequence > $2 order by sequence limit $3) n
    join webhook_endpoint e on e.partner_id = n.partner_id
    where e.partner_id = $1 and ${RECEIVES_EVENT}
    returning 1`,
};

const COUNT: Statement = {
  name: 'count_events_of_node',
  text: `with taken as (delete from event_outbox where ${IS_OLDEST} returning 1)
    update event_counter set last_sequence = $5 where partner_id = $1`,
};

/**
 * Assigns sequences to at most `limit` events of a partner of a distributed database, in a transaction: each statement is one of the
 * partner's node alone. In one statement the rows between its parts would go by way of every node.
 */
export async function assignSequencesOnNode(
  db: Queryable,
  partnerId: string,
  { limit, attemptsMax }: { readonly limit: number; readonly attemptsMax: number },
): Promise<Sequenced> {
  const [counter] = await run<HeldCounter & Record<string, unknown>>(db, HOLD, [partnerId, limit]);
  if (!counter) return { sequenced: 0, deliveries: 0, isComplete: false, isFull: false };
  const { lastSequence, positions, first, last } = counter;
  const isFull = positions.length === limit;
  if (positions.length === 0) return { sequenced: 0, deliveries: 0, isComplete: true, isFull };
  const oldest = [partnerId, positions, first, last];
  const numbered = await run(db, NUMBER, [...oldest, lastSequence]);
  const delivered = await run(db, DELIVER, [partnerId, lastSequence, numbered.length, attemptsMax]);
  await run(db, COUNT, [...oldest, lastSequence + BigInt(numbered.length)]);
  return { sequenced: numbered.length, deliveries: delivered.length, isComplete: !isFull, isFull };
}
