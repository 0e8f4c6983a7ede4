import type { Queryable } from '../database.ts';
import { ONE_BY_ONE, run, type Statement } from '../query.ts';
import { insertDueDeliveries } from '../webhooks/delivery.ts';
import { RECEIVES_EVENT } from '../webhooks/webhook-endpoint.ts';
import { isUnchangedCounter, type OutboxRange, TAKING_UNCHANGED } from './event-outbox.ts';

const OLDEST =
  'select ctid as place, written_by, position from event_outbox where partner_id = $1 and exists (select from counter)';

/**
 * Takes the oldest events of the outbox, in the order of their transactions and then of their positions, numbers what it took in the order
 * of the positions alone, and makes a delivery of each for every endpoint that wants it. What began after another had committed has the
 * higher transaction and the higher position: in either order it comes after the other. The counter's row is held meanwhile, so that there is one numbering at a time and no number is left out; who finds it held leaves the
 * partner to its holder. The rows are taken by their places, which nothing changes as long as the statement sees them.
 */
const NUMBER: Statement = {
  name: 'assign_sequences',
  text: `with counter as materialized (
      select last_sequence from event_counter where partner_id = $1 and ${isUnchangedCounter('partner_id = $1')} for update skip locked
    ), oldest as materialized (
      select place, written_by from (
        (${OLDEST} and written_by = any ($5::xid8[]) order by written_by, position limit $2)
        union all
        (${OLDEST} and written_by >= $4::xid8 order by written_by, position limit $2)
      ) unsequenced order by written_by, position limit $2
    ), taken as (
      delete from event_outbox where ctid = any (array(select place from oldest))
      returning *
    ), numbered as (
      insert into event (partner_id, sequence, event_id, event_type, subject_id, correlation_id, occurred_at, data)
      select partner_id, last_sequence + row_number() over (order by position), event_id, event_type, subject_id, correlation_id,
        occurred_at, data
      from taken cross join counter
      returning partner_id, sequence, event_id, event_type
    ), delivered as (
      ${insertDueDeliveries({ trigger: 'event', attemptsMax: '$3' })}
      from numbered n join webhook_endpoint e on e.partner_id = $1 and ${RECEIVES_EVENT}
      returning 1
    ), counted as (
      update event_counter set last_sequence = last_sequence + (select count(*) from numbered)
      where partner_id = $1 and exists (select from numbered)
      returning 1
    )
    select (select count(*) from delivered)::int4 as deliveries, (select count(*) from numbered)::int4 as sequenced,
      (select count(*) from counted),
      (select count(*) from counter) = 1 and (select count(*) from oldest) < $2 as "isComplete",
      (select count(*) from oldest) = $2 as "isFull"`,
};

export interface Sequenced {
  /** How many events. */
  readonly sequenced: number;
  readonly deliveries: number;
  /** Every event in the range that the statement could see has its sequence. */
  readonly isComplete: boolean;
  /** Whether as many events were found as requested, so that there are probably more. */
  readonly isFull: boolean;
}

/** Assigns sequences to at most `limit` events of a partner; on a distributed database `assignSequencesOnNode` does. */
export async function assignSequences(
  db: Queryable,
  partnerId: string,
  { limit, attemptsMax, range }: { limit: number; attemptsMax: number; range: OutboxRange },
): Promise<Sequenced> {
  const values = [partnerId, limit, attemptsMax, range.from, range.late];
  const rows = await run<Sequenced>(db, NUMBER, values);
  return rows[0] as Sequenced;
}

const NUMBER_SEVERAL: Statement = {
  name: 'assign_sequences_of_several',
  text: `with ${TAKING_UNCHANGED}, sequenced as (
      select *, first_value(last_sequence) over own + row_number() over own - 1 as sequence
      from (
        select partner_id, last_sequence, 0 as position, null as event_id, null as event_type, null as subject_id,
          null as correlation_id, null::timestamptz as occurred_at, null as data
        from counter
        union all
        select partner_id, null, position, event_id, event_type, subject_id, correlation_id, occurred_at, data from taken
      ) counter_and_events
      window own as (partition by partner_id order by position)
    ), numbered as (
      insert into event (partner_id, sequence, event_id, event_type, subject_id, correlation_id, occurred_at, data)
      select partner_id, sequence, event_id, event_type, subject_id, correlation_id, occurred_at, data
      from sequenced where event_id is not null
      returning partner_id, sequence, event_id, event_type
    ), delivered as (
      ${insertDueDeliveries({ trigger: 'event', attemptsMax: '$5' })}
      from numbered n cross join lateral (
        select * from webhook_endpoint where partner_id = n.partner_id order by endpoint_id ${ONE_BY_ONE}
      ) e
      where ${RECEIVES_EVENT}
      returning partner_id
    ), counted as (
      update event_counter set last_sequence = last.sequences[array_position(last.partner_ids, partner_id)]
      from (
        select array_agg(partner_id) as partner_ids, array_agg(sequence) as sequences
        from (select partner_id, max(sequence) as sequence from numbered group by partner_id) l
      ) last where partner_id = any (last.partner_ids)
      returning 1
    )
    select (select count(*) from oldest)::int4 as found, (select count(*) from numbered)::int4 as sequenced,
      (select count(*) from delivered)::int4 as deliveries, (select count(*) from counted),
      array(select partner_id from counter) as "heldIds", array(select distinct partner_id from delivered) as "deliveredIds"`,
};

export interface SequencedTogether {
  readonly sequenced: number;
  readonly deliveries: number;
  /** Partners whose events got their sequences, if they had any. */
  readonly heldIds: readonly string[];
  /** Partners for whose endpoints the statement made deliveries. */
  readonly deliveredIds: readonly string[];
  /** Nothing in the range of these partners was left over. */
  readonly isAll: boolean;
}

/**
 * Assigns sequences to events of several partners in one statement, in which no event leaves the database: for partners who have no
 * endpoint. An endpoint that was created meanwhile gets its deliveries, due for all. A partner whose counter another process holds is left to it.
 */
export async function assignSequencesOfSeveral(
  db: Queryable,
  { from, late }: OutboxRange,
  partnerIds: readonly string[],
  { limit, attemptsMax }: { readonly limit: number; readonly attemptsMax: number },
): Promise<SequencedTogether> {
  type Row = Omit<SequencedTogether, 'isAll'> & { readonly found: number };
  const rows = await run<Row & Record<string, unknown>>(db, NUMBER_SEVERAL, [from, late, partnerIds, limit, attemptsMax]);
  const [{ found, ...assigned }] = rows as [Row];
  return { ...assigned, isAll: found < limit };
}
