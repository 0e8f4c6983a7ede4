import type { VersionTotals } from '../../domain/settlements/settlement-totals.ts';
import type { Queryable } from '../database.ts';
import { eachRow } from '../each-page.ts';
import { type LongStatements, rowOf, run, runLong, type Statement } from '../query.ts';
import { readExact, readVersionSums, type VersionSumsRow } from '../settlements/exact-totals.ts';
import { amountOfPoints, type Prices, priceLists } from '../settlements/price-of-points.ts';
import { databaseOf } from '../transaction.ts';

/** The adjustments that a settlement with this end closes over: posted, and on no line yet. */
const due = (endsAt: '$3' | '$4') => `partner_id = $1 and status = 'posted' and settlement_id is null and posted_at < ${endsAt}`;

/**
 * The amount of a restatement is stated; any other is the points times the value of one point. `$2` and `$3` are its {@link priceLists}.
 */
const priced = (which: string) => `select a.*, coalesce(amount_delta,
        ${amountOfPoints('points_delta', 'a.point_conversion_version', ['$2', '$3'])}
      ) as amount
    from adjustment a where ${which}`;

const SUM_UNSETTLED: Statement = {
  name: 'sum_unsettled_adjustments',
  text: `with due as materialized (${priced(due('$4'))})
    select contribution_rule_version as "contributionRuleVersion", point_conversion_version as "pointConversionVersion",
      tree_cost_version as "treeCostVersion", count(*) as count, sum(points_delta)::text as points, sum(amount)::text as amount
    from due group by 1, 2, 3`,
};

/** The adjustments that an open settlement would contain now, by version; the counts are of adjustments. */
export async function sumUnsettledAdjustments(
  db: Queryable,
  { partnerId, endsAt, prices }: { partnerId: string; endsAt: Date; prices: Prices },
): Promise<VersionTotals[]> {
  const rows = await run<VersionSumsRow>(db, SUM_UNSETTLED, [partnerId, ...priceLists(prices), endsAt]);
  return rows.map(readVersionSums);
}

/** First they are marked, then the marked ones are written: one that is posted meanwhile is in neither, and on the next settlement. */
const MARK: Statement = {
  name: 'mark_adjustments',
  text: `update adjustment set settlement_id = $2 where ${due('$3')} returning adjustment_id as "adjustmentId"`,
};

const MARKED = `marked as materialized (${priced('partner_id = $1 and adjustment_id = any ($4::text[])')})`;
const LINES = `insert into settlement_line (partner_id, settlement_id, line_no, line_type, transaction_id, adjustment_id, partner_event_id,
        partner_order_ref, points, amount, currency, confirmed_at, posted_at, contribution_rule_version, point_conversion_version,
        tree_cost_version, reason_code, original_settlement_id)`;
const LINES_OF_MARKED = `select $1, $5, $6::int4 + row_number() over (order by posted_at, adjustment_id), 'adjustment', transaction_id, adjustment_id,
        partner_event_id, partner_order_ref, points_delta, amount, case when amount is not null then $7 end, confirmed_at, posted_at,
        contribution_rule_version, point_conversion_version, tree_cost_version, reason_code, coalesce(original_settlement_id, (
          select l.settlement_id from settlement_line l
          where l.partner_id = $1 and l.transaction_id = marked.transaction_id and l.line_type = 'contribution'
        ))
      from marked`;
const SUMS = 'select count(*) as count, coalesce(sum(points_delta), 0)::text as points, sum(amount)::text as amount from marked';
const WRITE: Statement = {
  name: 'insert_adjustment_lines',
  text: `with ${MARKED}, written as (
      ${LINES}
      ${LINES_OF_MARKED}
    )
    ${SUMS}`,
};

/** On a distributed database {@link WRITE} would send its rows by way of every node; these are statements of the partner's node alone. */
const WRITE_ON_NODE: Statement = {
  name: 'insert_adjustment_lines_on_node',
  text: `${LINES} with ${MARKED} ${LINES_OF_MARKED}`,
};
const SUM_MARKED: Statement = { name: 'sum_marked_adjustments', text: `with ${MARKED} ${SUMS}` };

export interface AdjustmentAssignment {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly endsAt: Date;
  /** The number of the line before the first. */
  readonly afterLine: number;
  readonly prices: Prices;
}

export interface AssignedAdjustments {
  readonly count: bigint;
  readonly points: bigint;
  readonly amount: bigint | null;
}

/** Writes a line for each due adjustment, and records its settlement on it. */
export async function assignAdjustments(
  db: Queryable,
  { partnerId, settlementId, endsAt, afterLine, prices }: AdjustmentAssignment,
  long: LongStatements,
): Promise<AssignedAdjustments> {
  const marked = await runLong<{ adjustmentId: string }>(db, MARK, [partnerId, settlementId, endsAt], long);
  const adjustmentIds = marked.map(({ adjustmentId }) => adjustmentId);
  const which = [partnerId, ...priceLists(prices), adjustmentIds];
  const values = [...which, settlementId, afterLine, prices.currency];
  type WrittenRow = { count: bigint; points: string; amount: string | null };
  const { isDistributed } = databaseOf(db);
  const written = await runLong<WrittenRow>(db, isDistributed ? WRITE_ON_NODE : WRITE, values, long);
  const [row] = isDistributed ? await runLong<WrittenRow>(db, SUM_MARKED, which, long) : written;
  const { count, points, amount } = row as WrittenRow;
  if (count !== BigInt(marked.length))
    throw new Error(`Only ${count} of ${marked.length} adjustments were put on the settlement.`);
  return { count, points: BigInt(points), amount: readExact(amount) };
}

const SETTLED: Statement = {
  name: 'find_settled_adjustments',
  text: `select l.adjustment_id as "adjustmentId" from unnest($3::text[]) as wanted (id)
    cross join lateral ${rowOf('settlement_line', { partnerId: '$1', key: 'adjustment_id', value: 'wanted.id', condition: "line_type = 'adjustment'" })} l
    where l.settlement_id <> $2`,
};

/** Which of these are on a line of another settlement. */
export async function findSettledAdjustments(
  db: Queryable,
  { partnerId, settlementId }: { readonly partnerId: string; readonly settlementId: string },
  adjustmentIds: readonly string[],
): Promise<Set<string>> {
  type Row = { readonly adjustmentId: string };
  const rows = adjustmentIds.length === 0 ? [] : await run<Row>(db, SETTLED, [partnerId, settlementId, adjustmentIds]);
  return new Set(rows.map(({ adjustmentId }) => adjustmentId));
}

const MISPLACED: Statement = {
  name: 'list_misplaced_adjustments',
  text: `with page as materialized (
      select adjustment_id, settlement_id, status from adjustment where partner_id = $1 and adjustment_id > $2 order by adjustment_id limit $3
    )
    select adjustment_id as "adjustmentId", settlement_id is not distinct from (
        select l.settlement_id from settlement_line l
        where l.partner_id = $1 and l.adjustment_id = page.adjustment_id and l.line_type = 'adjustment'
      ) as "isInPlace"
    from page`,
};

const ADJUSTMENTS_AT_ONCE = 1_000;

/** Adjustments that name another settlement than the one with their line. There are none, unless somebody edited the tables. */
export async function* eachMisplacedAdjustment(db: Queryable, partnerId: string): AsyncGenerator<string> {
  type Placed = { readonly adjustmentId: string; readonly isInPlace: boolean };
  const rows = eachRow<Placed>(ADJUSTMENTS_AT_ONCE, (last, limit) =>
    run<Placed>(db, MISPLACED, [partnerId, last?.adjustmentId ?? '', limit]),
  );
  for await (const { adjustmentId, isInPlace } of rows) if (!isInPlace) yield adjustmentId;
}
