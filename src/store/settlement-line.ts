import type { LineType, SettlementLine } from '../domain/settlement-line.ts';
import { type LongStatements, type Queryable, run, runLong, type Statement } from './database.ts';
import { readExact, writeExact } from './settlement.ts';

interface LineRow {
  readonly line_no: number;
  readonly line_type: LineType;
  readonly transaction_id: string | null;
  readonly adjustment_id: string | null;
  readonly partner_event_id: string | null;
  readonly partner_order_ref: string | null;
  readonly points: bigint;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly confirmed_at: Date | null;
  readonly posted_at: Date | null;
  readonly contribution_rule_version: string | null;
  readonly point_conversion_version: string | null;
  readonly tree_cost_version: string | null;
  readonly calculation_id: string | null;
  readonly association_status: SettlementLine['associationStatus'];
  readonly reason_code: string | null;
  readonly original_settlement_id: string | null;
}

function readRow(row: LineRow): SettlementLine {
  return {
    lineNo: row.line_no,
    lineType: row.line_type,
    transactionId: row.transaction_id,
    adjustmentId: row.adjustment_id,
    partnerEventId: row.partner_event_id,
    partnerOrderRef: row.partner_order_ref,
    points: row.points,
    amount: readExact(row.amount),
    currency: row.currency,
    confirmedAt: row.confirmed_at,
    postedAt: row.posted_at,
    contributionRuleVersion: row.contribution_rule_version,
    pointConversionVersion: row.point_conversion_version,
    treeCostVersion: row.tree_cost_version,
    calculationId: row.calculation_id,
    associationStatus: row.association_status,
    reasonCode: row.reason_code,
    originalSettlementId: row.original_settlement_id,
  };
}

const COLUMNS = `line_no, line_type, transaction_id, adjustment_id, partner_event_id, partner_order_ref, points, amount, currency,
    confirmed_at, posted_at, contribution_rule_version, point_conversion_version, tree_cost_version, calculation_id,
    association_status, reason_code, original_settlement_id`;

const LIST: Statement = {
  name: 'list_settlement_lines',
  text: `select ${COLUMNS} from settlement_line where partner_id = $1 and settlement_id = $2 and line_no > $3 order by line_no limit $4`,
};

export interface LinePage {
  readonly partnerId: string;
  readonly settlementId: string;
  /** 0 is before the first. */
  readonly afterLine: number;
  readonly limit: number;
}

export async function listSettlementLines(
  db: Queryable,
  { partnerId, settlementId, afterLine, limit }: LinePage,
): Promise<SettlementLine[]> {
  return (await run<LineRow>(db, LIST, [partnerId, settlementId, afterLine, limit])).map(readRow);
}

const PAGE_SIZE = 1_000;

/** All lines in order, page by page: a million need no more memory than a thousand. */
export async function* eachSettlementLine(
  db: Queryable,
  { partnerId, settlementId }: Pick<LinePage, 'partnerId' | 'settlementId'>,
): AsyncGenerator<SettlementLine> {
  for (let page: SettlementLine[] | undefined; page === undefined || page.length === PAGE_SIZE; ) {
    const afterLine = page?.at(-1)?.lineNo ?? 0;
    page = await listSettlementLines(db, { partnerId, settlementId, afterLine, limit: PAGE_SIZE });
    yield* page;
  }
}

const INSERT_CARRIED: Statement = {
  name: 'insert_carried_line',
  text: `insert into settlement_line (partner_id, settlement_id, line_no, line_type, points, amount, currency, original_settlement_id)
    values ($1, $2, $3, 'carried_forward', $4, $5, $6, $7)`,
};

export interface CarriedLine extends Pick<SettlementLine, 'lineNo' | 'points' | 'amount' | 'currency'> {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly originalSettlementId: string;
}

export async function insertCarriedLine(db: Queryable, line: CarriedLine): Promise<void> {
  const { partnerId, settlementId, lineNo, points, amount, currency, originalSettlementId } = line;
  const values = [partnerId, settlementId, lineNo, points, writeExact(amount), currency, originalSettlementId];
  await run(db, INSERT_CARRIED, values);
}

/**
 * The line of a contribution, found by the one index that has it. As a joined table it might be read from end to end for each
 * contribution, where the plan was made while it was empty; so might the contributions beside their events.
 */
function lineOf(transactionId: string): string {
  return `(
        select line_no from settlement_line l
        where l.partner_id = $1 and l.transaction_id = ${transactionId} and l.line_type = 'contribution'
      )`;
}

/**
 * The contributions of a partner that may be on no line yet. The event of a confirmation is written in its transaction and numbered
 * after its commit, without gaps: whatever was committed has a number, or waits for one in the outbox, or has left its
 * mark among the candidates. No clock has a say in it, and nothing that was settled long ago is read.
 */
const NUMBERED = `select subject_id as transaction_id, sequence from event
      where partner_id = $1 and sequence > $2 and event_type = 'impact.transaction.confirmed'`;
const WITHOUT_NUMBER = `union all
      select subject_id, null from event_outbox where partner_id = $1 and event_type = 'impact.transaction.confirmed'
      union all
      select transaction_id, null from settlement_candidate where partner_id = $1 and coalesce(sequence > $2, true)`;

const unsettledOf = (source: string) => `found as materialized (
      ${source}
    ), unsettled as materialized (
      select f.sequence, c.*,
        c.points * (select value from unnest($3::text[], $4::numeric[]) as price (version, value) where version = c.point_conversion_version) as amount
      from found f cross join lateral (
          select transaction_id, partner_event_id, partner_order_ref, points, confirmed_at, contribution_rule_version, point_conversion_version,
            tree_cost_version, association_outcome, status
          from contribution where partner_id = $1 and transaction_id = f.transaction_id
          offset 0
        ) c
      where c.status = 'confirmed' and ${lineOf('c.transaction_id')} is null
    )`;

const UNSETTLED = unsettledOf(`${NUMBERED} ${WITHOUT_NUMBER}`);

/** Those that two events, or an event and a candidate, lead to are there once. */
const DUE = `due as materialized (
      select distinct on (confirmed_at, transaction_id) * from unsettled where confirmed_at < $5 order by confirmed_at, transaction_id
    )`;

const ASSIGN: Statement = {
  name: 'assign_settlement_lines',
  text: `with ${UNSETTLED}, ${DUE}, written as (
      insert into settlement_line (partner_id, settlement_id, line_no, line_type, transaction_id, partner_event_id, partner_order_ref, points,
        amount, currency, confirmed_at, contribution_rule_version, point_conversion_version, tree_cost_version, calculation_id,
        association_status, reason_code)
      select $1, $6, $7::int4 + row_number() over (order by confirmed_at, transaction_id), 'contribution', transaction_id, partner_event_id,
        partner_order_ref, points, amount, case when amount is not null then $8 end, confirmed_at, contribution_rule_version,
        point_conversion_version, tree_cost_version, calculation_id,
        case when calculation_id is not null then 'associated' else association_outcome end, case when confirmed_at < $9 then 'late' end
      from (
        select due.*, (select calculation_id from emissions_link k where k.partner_id = $1 and k.transaction_id = due.transaction_id)
        from due
      ) linked
    )
    select (select count(*) from due) as count, (select coalesce(sum(points), 0) from due) as points, (select sum(amount) from due) as amount,
      coalesce(
        (select min(sequence) - 1 from unsettled where confirmed_at >= $5),
        (select last_sequence from event_counter where partner_id = $1),
        $2
      ) as "followsEvent"`,
};

export interface Assignment {
  readonly partnerId: string;
  readonly settlementId: string;
  /** Of the settlement that closes. */
  readonly followsEvent: bigint;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** The number of the line before the first. */
  readonly afterLine: number;
  readonly prices: Prices;
}

/** What one point is worth, by the version label; a version that is not there gives no amount. */
export interface Prices {
  readonly currency: string | null;
  readonly values: ReadonlyMap<string, bigint>;
}

/** What was assigned, added up over the contributions themselves. */
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

/** Writes a line for each contribution that is due. The unique index on their contributions lets none be settled twice. */
export async function assignContributions(
  db: Queryable,
  { partnerId, settlementId, followsEvent, startsAt, endsAt, afterLine, prices }: Assignment,
  long: LongStatements,
): Promise<Assigned> {
  const values = [partnerId, followsEvent, ...priceLists(prices), endsAt, settlementId, afterLine, prices.currency, startsAt];
  const [row] = await runLong<AssignedRow>(db, ASSIGN, values, long);
  const { count, points, amount, followsEvent: next } = row as AssignedRow;
  return { count, points: BigInt(points), amount: readExact(amount), followsEvent: next };
}

/** The parameters of what amounts are computed by. */
export function priceLists({ values }: Prices): [string[], (string | null)[]] {
  return [[...values.keys()], [...values.values()].map(writeExact)];
}

const FORGET: Statement = {
  name: 'delete_settled_candidates',
  text: `delete from settlement_candidate c where c.partner_id = $1 and ${lineOf('c.transaction_id')} is not null`,
};

export async function deleteSettledCandidates(db: Queryable, partnerId: string, long: LongStatements): Promise<void> {
  await runLong(db, FORGET, [partnerId], long);
}

const sumOf = (unsettled: string) => `with ${unsettled}, ${DUE}
    select contribution_rule_version as "contributionRuleVersion", point_conversion_version as "pointConversionVersion",
      tree_cost_version as "treeCostVersion", count(*) as count, sum(points) as points, sum(amount) as amount
    from due group by 1, 2, 3`;

const SUM: Statement = { name: 'sum_unsettled', text: sumOf(UNSETTLED) };
const SUM_NUMBERED: Statement = { name: 'sum_unsettled_numbered', text: sumOf(unsettledOf(`${NUMBERED} and sequence <= $6`)) };

export interface UnsettledSum {
  readonly contributionRuleVersion: string;
  readonly pointConversionVersion: string;
  readonly treeCostVersion: string;
  readonly count: bigint;
  readonly points: bigint;
  readonly amount: bigint | null;
}

type SumRow = Omit<UnsettledSum, 'points' | 'amount'> & { readonly points: string; readonly amount: string | null };

export interface SumOptions {
  /** In a transaction that allows it. */
  readonly long?: LongStatements | undefined;
  /** Only what has an event up to this number. */
  readonly throughEvent?: bigint | undefined;
}

/** What an open settlement would close over now, by version. */
export async function sumUnsettled(
  db: Queryable,
  { partnerId, followsEvent, endsAt, prices }: Pick<Assignment, 'partnerId' | 'followsEvent' | 'endsAt' | 'prices'>,
  { long, throughEvent }: SumOptions = {},
): Promise<UnsettledSum[]> {
  const values = [partnerId, followsEvent, ...priceLists(prices), endsAt];
  const [statement, all] = throughEvent === undefined ? [SUM, values] : [SUM_NUMBERED, [...values, throughEvent]];
  const rows = await (long ? runLong<SumRow>(db, statement, all, long) : run<SumRow>(db, statement, all));
  return rows.map((row) => ({ ...row, points: BigInt(row.points), amount: readExact(row.amount) }));
}

const INSERT_PROOFS: Statement = {
  name: 'insert_settlement_line_proofs',
  text: 'insert into settlement_line_proof (partner_id, settlement_id, first_line_no, proofs) values ($1, $2, $3, $4)',
};

export interface LineProofs {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly firstLineNo: number;
  readonly proofs: Buffer;
}

export async function insertLineProofs(
  db: Queryable,
  { partnerId, settlementId, firstLineNo, proofs }: LineProofs,
): Promise<void> {
  await run(db, INSERT_PROOFS, [partnerId, settlementId, firstLineNo, proofs]);
}

const FIND_PROOFS: Statement = {
  name: 'find_settlement_line_proofs',
  text: 'select proofs from settlement_line_proof where partner_id = $1 and settlement_id = $2 and first_line_no = $3',
};

export async function findLineProofs(
  db: Queryable,
  { partnerId, settlementId, firstLineNo }: Omit<LineProofs, 'proofs'>,
): Promise<Buffer | undefined> {
  const [row] = await run<{ proofs: Buffer }>(db, FIND_PROOFS, [partnerId, settlementId, firstLineNo]);
  return row?.proofs;
}

const UNREACHABLE: Statement = {
  name: 'list_unreachable_contributions',
  text: `with page as materialized (
      select transaction_id, status from contribution where partner_id = $1 and transaction_id > $2 order by transaction_id limit $4
    ), reachable as materialized (
      select subject_id from event_outbox where partner_id = $1
    )
    select (select max(transaction_id) from page) as "lastTransactionId", array(
      select p.transaction_id from page p
      where p.status = 'confirmed' and ${lineOf('p.transaction_id')} is null
        and coalesce((
          select sequence from event e where e.partner_id = $1 and e.event_id = 'evt_' || substr(p.transaction_id, 5)
        ) <= $3, true)
        and (select k.transaction_id from settlement_candidate k where k.partner_id = $1 and k.transaction_id = p.transaction_id) is null
        and p.transaction_id not in (select subject_id from reachable)
    ) as unreachable`,
};

const CONTRIBUTIONS_AT_ONCE = 5_000;

/**
 * Of the contributions that follow in the order of their ids, those that are confirmed, on no line, and that no closing would find.
 * There are none, unless somebody wrote into the tables.
 */
export async function listUnreachable(
  db: Queryable,
  partnerId: string,
  { after, followsEvent }: { after: string; followsEvent: bigint },
): Promise<{ readonly unreachable: readonly string[]; readonly lastTransactionId: string | null }> {
  type Page = { readonly unreachable: string[]; readonly lastTransactionId: string | null };
  const [page] = await run<Page>(db, UNREACHABLE, [partnerId, after, followsEvent, CONTRIBUTIONS_AT_ONCE]);
  return page as Page;
}
