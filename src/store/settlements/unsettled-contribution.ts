import type { VersionTotals } from '../../domain/settlements/settlement-totals.ts';
import { millisecondsOf } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { eachPage } from '../each-page.ts';
import { type LongStatements, rowOf, run, runLong, type Statement } from '../query.ts';
import { readVersionSums, type VersionSumsRow } from './exact-totals.ts';
import { amountOfPoints, type Prices, priceLists } from './price-of-points.ts';

/**
 * The line of a contribution, found by the one index on it. As a joined table it might be read completely for each contribution, with a
 * plan from an empty table; so might the contributions beside their events. `$1` is the partner.
 */
export function lineOf(transactionId: string): string {
  return `(
        select line_no from settlement_line l
        where l.partner_id = $1 and l.transaction_id = ${transactionId} and l.line_type = 'contribution'
      )`;
}

/**
 * The contributions of a partner that may be on no line yet. The event of a confirmation is written in its transaction and gets its
 * sequence after its commit, without gaps: every committed contribution has a sequence, or waits for one in the outbox, or is among the
 * candidates. No clock is used, and nothing that was settled long ago is read.
 */
const SEQUENCED = `select subject_id as transaction_id, sequence from event
      where partner_id = $1 and sequence > $2 and event_type = 'impact.transaction.confirmed'`;
const UNSEQUENCED = `union all
      select subject_id, null from event_outbox where partner_id = $1 and event_type = 'impact.transaction.confirmed'
      union all
      select transaction_id, sequence from settlement_candidate where partner_id = $1 and coalesce(sequence > $2, true)`;

/** SQL: the contributions with sequences up to `$6`, whether or not their events still exist. */
const SEQUENCED_THROUGH = `${SEQUENCED} and sequence <= $6
      union all
      select transaction_id, sequence from settlement_candidate where partner_id = $1 and sequence > $2 and sequence <= $6`;

const unsettledOf = (source: string) => `found as materialized (
      ${source}
    ), unsettled as materialized (
      select f.sequence, c.*, ${amountOfPoints('c.points', 'c.point_conversion_version', ['$3', '$4'])} as amount
      from found f cross join lateral (
          select transaction_id, partner_event_id, partner_order_ref, points, confirmed_at, contribution_rule_version, point_conversion_version,
            tree_cost_version, association_outcome, status
          from contribution where partner_id = $1 and transaction_id = f.transaction_id
          offset 0
        ) c
      where c.status = 'confirmed' and ${lineOf('c.transaction_id')} is null
    )`;

/**
 * The values of `$1` to `$5` in {@link UNSETTLED} and {@link DUE}: the partner, the event that the settlement follows, its prices, its
 * end.
 */
export function dueValues({ partnerId, followsEvent, prices, endsAt }: DueContributions): unknown[] {
  return [partnerId, followsEvent, ...priceLists(prices), endsAt];
}

export const UNSETTLED = unsettledOf(`${SEQUENCED} ${UNSEQUENCED}`);

/**
 * SQL: the unsettled contributions before the end of the settlement. A contribution that two events, or an event and a candidate, lead to is listed once.
 */
export const DUE = `due as materialized (
      select distinct on (confirmed_at, transaction_id) * from unsettled where confirmed_at < $5 order by confirmed_at, transaction_id
    )`;

/** The contributions that a settlement closes over, and their values. */
export interface DueContributions {
  readonly partnerId: string;
  /** The last event before those of the settlement. */
  readonly followsEvent: bigint;
  readonly endsAt: Date;
  readonly prices: Prices;
}

const sumOf = (unsettled: string) => `with ${unsettled}, ${DUE}
    select contribution_rule_version as "contributionRuleVersion", point_conversion_version as "pointConversionVersion",
      tree_cost_version as "treeCostVersion", count(*) as count, sum(points) as points, sum(amount) as amount
    from due group by 1, 2, 3`;

const SUM: Statement = { name: 'sum_unsettled', text: sumOf(UNSETTLED) };
const SUM_SEQUENCED: Statement = { name: 'sum_unsettled_sequenced', text: sumOf(unsettledOf(SEQUENCED_THROUGH)) };

export interface SumOptions {
  /** In a transaction that allows long statements. */
  readonly long?: LongStatements | undefined;
  /** Only those with a sequence up to this one, whether or not the event still exists. */
  readonly throughEvent?: bigint | undefined;
}

/** The sums of an open settlement, if it were closed now, by version. */
export async function sumUnsettled(
  db: Queryable,
  due: DueContributions,
  { long, throughEvent }: SumOptions = {},
): Promise<VersionTotals[]> {
  const values = dueValues(due);
  const [statement, all] = throughEvent === undefined ? [SUM, values] : [SUM_SEQUENCED, [...values, throughEvent]];
  const rows = await (long ? runLong<VersionSumsRow>(db, statement, all, long) : run<VersionSumsRow>(db, statement, all));
  return rows.map(readVersionSums);
}

const SEQUENCED_LEFT: Statement = {
  name: 'list_left_contributions',
  text: `select subject_id as "transactionId", sequence from event
    where partner_id = $1 and sequence > $2 and event_type = 'impact.transaction.confirmed' and ${lineOf('event.subject_id')} is null
    order by sequence limit $3`,
};

const UNSEQUENCED_LEFT: Statement = {
  name: 'list_left_unsequenced_contributions',
  text: `select transaction_id as "transactionId" from (
      select subject_id as transaction_id from event_outbox where partner_id = $1 and event_type = 'impact.transaction.confirmed'
      union
      select transaction_id from settlement_candidate where partner_id = $1
    ) waiting
    where transaction_id > $2 and ${lineOf('waiting.transaction_id')} is null order by transaction_id limit $3`,
};

const LEFT_AT_ONCE = 1_000;

/**
 * The ids of all confirmed contributions without a line, page by page: those left for the next settlement, and those that an edit hid
 * from the closing. Some may be listed twice.
 */
export async function* eachLeft(
  db: Queryable,
  { partnerId, followsEvent }: Pick<DueContributions, 'partnerId' | 'followsEvent'>,
  long: LongStatements,
): AsyncGenerator<string[]> {
  type Sequenced = { readonly transactionId: string; readonly sequence: bigint };
  const sequenced = eachPage<Sequenced>(LEFT_AT_ONCE, (last, limit) =>
    runLong<Sequenced>(db, SEQUENCED_LEFT, [partnerId, last?.sequence ?? followsEvent, limit], long),
  );
  for await (const page of sequenced) yield page.map(({ transactionId }) => transactionId);
  type Unsequenced = { readonly transactionId: string };
  const unsequenced = eachPage<Unsequenced>(LEFT_AT_ONCE, (last, limit) =>
    runLong<Unsequenced>(db, UNSEQUENCED_LEFT, [partnerId, last?.transactionId ?? '', limit], long),
  );
  for await (const page of unsequenced) yield page.map(({ transactionId }) => transactionId);
}

/**
 * SQL: the ids that the event of a confirmed contribution `p` may have. That of an operator's decision has the time of the decision in the
 * place of that of the recording; that of an earlier release has not.
 */
const EVENT_IDS = `array['evt_' || substr(p.transaction_id, 5), case when p.first_status = 'pending' then 'evt_' || (
            select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (${millisecondsOf('p.confirmed_at')}::int8 >> 5 * place & 31)::int4, 1), '' order by place desc)
            from generate_series(0, 9) place
          ) || substr(p.transaction_id, 15) end]`;

/**
 * Each event is a row of its own key: the highest sequence of a list of ids might be searched from the partner's last event backwards, by a
 * plan from a small table.
 */
const UNREACHABLE: Statement = {
  name: 'list_unreachable_contributions',
  text: `with page as materialized (
      select transaction_id, status, first_status, confirmed_at, ${lineOf('c.transaction_id')} is null as is_unsettled
      from contribution c where partner_id = $1 and transaction_id > $2 order by transaction_id limit $4
    ), reachable as materialized (
      select subject_id from event_outbox where partner_id = $1
    )
    select (select max(transaction_id) from page) as "lastTransactionId", array(select transaction_id from page where is_unsettled) as unsettled, array(
      select p.transaction_id from page p
      where p.status = 'confirmed' and p.is_unsettled
        and coalesce((
          select max(e.sequence) from unnest(${EVENT_IDS}) as wanted (event_id)
            cross join lateral ${rowOf('event', { partnerId: '$1', key: 'event_id', value: 'wanted.event_id' })} e
        ) <= $3, true)
        and (
          select k.transaction_id from settlement_candidate k
          where k.partner_id = $1 and k.transaction_id = p.transaction_id and coalesce(k.sequence > $3, true)
        ) is null
        and p.transaction_id not in (select subject_id from reachable)
    ) as unreachable`,
};

const CONTRIBUTIONS_AT_ONCE = 5_000;

export interface UnreachablePage {
  /** Confirmed, on no line, and hidden from every closing. There are none, unless somebody edited the tables. */
  readonly unreachable: readonly string[];
  /** Without a line, whatever their status. */
  readonly unsettled: readonly string[];
  /** `null` after the last. */
  readonly lastTransactionId: string | null;
}

/** Looks at the next contributions in the order of their ids, and returns those without a line. */
export async function listUnreachable(
  db: Queryable,
  partnerId: string,
  { after, followsEvent }: { after: string; followsEvent: bigint },
): Promise<UnreachablePage> {
  const [page] = await run<UnreachablePage & Record<string, unknown>>(db, UNREACHABLE, [
    partnerId,
    after,
    followsEvent,
    CONTRIBUTIONS_AT_ONCE,
  ]);
  return page as UnreachablePage;
}
