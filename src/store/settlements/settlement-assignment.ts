import { LATE } from '../../domain/settlements/settlement-line.ts';
import type { Queryable } from '../database.ts';
import { findLastSequence } from '../events/event.ts';
import { type LongStatements, runLong, type Statement } from '../query.ts';
import { databaseOf } from '../transaction.ts';
import { readExact } from './exact-totals.ts';
import { amountOfPoints, priceLists } from './price-of-points.ts';
import { DUE, type DueContributions, dueValues, lineOf, UNSETTLED } from './unsettled-contribution.ts';

/** The values of {@link ASSIGN} after {@link dueValues}. */
const [SETTLEMENT, AFTER_LINE, CURRENCY, START, LAST_SEQUENCE] = ['$6', '$7', '$8', '$9', '$10'] as const;

const LINES = `insert into settlement_line (partner_id, settlement_id, line_no, line_type, transaction_id, partner_event_id, partner_order_ref, points,
        amount, currency, confirmed_at, contribution_rule_version, point_conversion_version, tree_cost_version, calculation_id,
        association_status, reason_code)`;
const LINES_OF_DUE = `select $1, ${SETTLEMENT}, ${AFTER_LINE}::int4 + row_number() over (order by confirmed_at, transaction_id), 'contribution', transaction_id, partner_event_id,
        partner_order_ref, points, amount, case when amount is not null then ${CURRENCY} end, confirmed_at, contribution_rule_version,
        point_conversion_version, tree_cost_version, calculation_id,
        case when calculation_id is not null then 'associated' else association_outcome end, case when confirmed_at < ${START} then '${LATE}' end
      from (
        select due.*, (select calculation_id from emissions_link k where k.partner_id = $1 and k.transaction_id = due.transaction_id)
        from due
      ) linked`;
/**
 * An event that gets its sequence meanwhile may be seen by one part of the statement and not by another: a distributed database reads
 * again for each. So the next settlement begins at the first event after the end that was seen, since sequences have no gaps; without one
 * it follows the last sequence before any part read.
 */
const followsEvent = (lastSequence: string) =>
  `coalesce((select min(sequence) - 1 from unsettled where confirmed_at >= $5), ${lastSequence}::int8) as "followsEvent"`;

const ASSIGN: Statement = {
  name: 'assign_settlement_lines',
  text: `with ${UNSETTLED}, ${DUE}, written as (
      ${LINES}
      ${LINES_OF_DUE}
    )
    select (select count(*) from due) as count, (select coalesce(sum(points), 0) from due) as points, (select sum(amount) from due) as amount,
      ${followsEvent(LAST_SEQUENCE)}`,
};

/**
 * On a distributed database {@link ASSIGN} would send its rows by way of every node; these are statements of the partner's node alone. What
 * comes between them has a later sequence than the first has seen, so that the next settlement reads it, whether or not it is on a line.
 */
const FIND_NEXT: Statement = {
  name: 'find_event_of_next_settlement',
  text: `with ${UNSETTLED} select ${followsEvent('$6')}`,
};
const WRITE: Statement = { name: 'insert_settlement_lines', text: `${LINES} with ${UNSETTLED}, ${DUE} ${LINES_OF_DUE}` };
/** By the contributions, as the totals of the settlement are by its lines. */
const SUM_WRITTEN: Statement = {
  name: 'sum_settled_contributions',
  text: `select count(*) as count, coalesce(sum(c.points), 0) as points,
      sum(${amountOfPoints('c.points', 'c.point_conversion_version', ['$3', '$4'])}) as amount
    from settlement_line l join contribution c on c.partner_id = l.partner_id and c.transaction_id = l.transaction_id
    where l.partner_id = $1 and c.partner_id = $1 and l.settlement_id = $2 and l.line_type = 'contribution'`,
};

export interface Assignment extends DueContributions {
  readonly settlementId: string;
  readonly startsAt: Date;
  /** The number of the line before the first. */
  readonly afterLine: number;
}

/** The sums of the assigned contributions themselves. */
export interface Assigned {
  readonly count: bigint;
  readonly points: bigint;
  readonly amount: bigint | null;
  /** For the next settlement. */
  readonly followsEvent: bigint;
}

interface AssignedRow {
  readonly count: bigint;
  readonly points: string;
  readonly amount: string | null;
  readonly followsEvent: bigint;
}

/** Writes a line for each due contribution. The unique index on their contributions lets none be settled twice. */
export async function assignContributions(db: Queryable, assignment: Assignment, long: LongStatements): Promise<Assigned> {
  const { partnerId, settlementId, startsAt, afterLine, prices } = assignment;
  const lastSequence = await findLastSequence(db, partnerId);
  const ofLines = [...dueValues(assignment), settlementId, afterLine, prices.currency, startsAt];
  const assign = async () => runLong<AssignedRow>(db, ASSIGN, [...ofLines, lastSequence], long);
  const assignOnNode = async () => {
    const next = await runLong<AssignedRow>(db, FIND_NEXT, [...dueValues(assignment), lastSequence], long);
    await runLong(db, WRITE, ofLines, long);
    const sums = await runLong<AssignedRow>(db, SUM_WRITTEN, [partnerId, settlementId, ...priceLists(prices)], long);
    return [{ ...next[0], ...sums[0] } as AssignedRow];
  };
  const [row] = await (databaseOf(db).isDistributed ? assignOnNode() : assign());
  const { count, points, amount, followsEvent: next } = row as AssignedRow;
  return { count, points: BigInt(points), amount: readExact(amount), followsEvent: next };
}

const DELETE_SETTLED_CANDIDATES: Statement = {
  name: 'delete_settled_candidates',
  text: `delete from settlement_candidate c where c.partner_id = $1 and ${lineOf('c.transaction_id')} is not null`,
};

export async function deleteSettledCandidates(db: Queryable, partnerId: string, long: LongStatements): Promise<void> {
  await runLong(db, DELETE_SETTLED_CANDIDATES, [partnerId], long);
}
