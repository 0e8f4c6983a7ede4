import type { ContributionStatus } from '../../domain/contributions/contribution-status.ts';
import { insertListed, type ListedInsert, NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import { eachRow } from '../each-page.ts';
import { run, type Statement } from '../query.ts';

/** The settlements that a batch pools. A contribution is in the batch of the settlement with its line. */
export interface BatchSettlement {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly contributionCount: bigint;
}

type SettlementOfPartner = Pick<BatchSettlement, 'partnerId' | 'settlementId'>;

interface AddedSettlement extends BatchSettlement {
  readonly impactBatchId: string;
}

const ADDED: ListedInsert<AddedSettlement> = {
  table: 'impact_batch_settlement',
  columns: [
    ['partner_id', 'text', (settlement) => settlement.partnerId],
    ['settlement_id', 'text', (settlement) => settlement.settlementId],
    ['impact_batch_id', 'text', (settlement) => settlement.impactBatchId],
    ['contribution_count', 'int8', (settlement) => settlement.contributionCount],
  ],
  computed: () => ({ added_at: NOW }),
  onStored: 'skip',
  returning: 'partner_id as "partnerId", settlement_id as "settlementId"',
};

/**
 * Settlements of any partners.
 *
 * @returns Those that were inserted: the key allows a settlement in one batch only, however many transactions race.
 */
export async function insertBatchSettlements(
  db: Queryable,
  impactBatchId: string,
  settlements: readonly BatchSettlement[],
): Promise<SettlementOfPartner[]> {
  const added = settlements.map((settlement) => ({ ...settlement, impactBatchId }));
  return insertListed<AddedSettlement, SettlementOfPartner & Record<string, unknown>>(db, ADDED, added);
}

const LIST: Statement = {
  name: 'list_impact_batch_settlements',
  text: `select partner_id as "partnerId", settlement_id as "settlementId", contribution_count as "contributionCount"
    from impact_batch_settlement where impact_batch_id = $1 and (partner_id, settlement_id) > ($2, $3)
    order by partner_id, settlement_id limit $4`,
};

const PAGE_SIZE = 1_000;

/** Gives the settlements of a batch, whichever partner they belong to, in the order of their ids, page by page. */
export function eachBatchSettlement(db: Queryable, impactBatchId: string): AsyncGenerator<BatchSettlement> {
  return eachRow<BatchSettlement>(PAGE_SIZE, (last, limit) =>
    run<BatchSettlement>(db, LIST, [impactBatchId, last?.partnerId ?? '', last?.settlementId ?? '', limit]),
  );
}

const LIST_OF_PARTNER = durableRead({
  name: 'list_impact_batch_settlements_of_partner',
  text: `select settlement_id as "settlementId" from impact_batch_settlement where partner_id = $1 and impact_batch_id = $2
    order by settlement_id`,
});

/** In the order of their ids, which is that of their creation. */
export async function listBatchSettlementsOf(db: Queryable, partnerId: string, impactBatchId: string): Promise<string[]> {
  const rows = await run<{ settlementId: string }>(db, LIST_OF_PARTNER, [partnerId, impactBatchId]);
  return rows.map(({ settlementId }) => settlementId);
}

const COUNT_OF_PARTNER = durableRead({
  name: 'count_pooled_contributions',
  text: `select coalesce(sum(contribution_count), 0)::int8 as "contributionCount"
    from impact_batch_settlement where partner_id = $1 and impact_batch_id = $2`,
});

/** How many contributions of one partner the batch has. */
export async function countPooledContributions(db: Queryable, partnerId: string, impactBatchId: string): Promise<bigint> {
  const [row] = await run<{ contributionCount: bigint }>(db, COUNT_OF_PARTNER, [partnerId, impactBatchId]);
  return row?.contributionCount ?? 0n;
}

/** Where a contribution is. */
export interface PooledContribution {
  readonly transactionId: string;
  readonly status: ContributionStatus;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  /** The settlement that has the contribution's line; `null` while it is on no closed settlement. */
  readonly settlementId: string | null;
  readonly impactBatchId: string | null;
}

/** Every part is found by a key of the partner, so that a distributed database uses one node. */
const FIND = durableRead({
  name: 'find_pooled_contribution',
  text: `with line as materialized (
      select settlement_id from settlement_line where partner_id = $1 and transaction_id = $2 and line_type = 'contribution'
    )
    select c.transaction_id as "transactionId", c.status, c.created_at as "createdAt", c.confirmed_at as "confirmedAt",
      (select settlement_id from line) as "settlementId",
      (
        select p.impact_batch_id from impact_batch_settlement p where p.partner_id = $1 and p.settlement_id = (select settlement_id from line)
      ) as "impactBatchId"
    from contribution c where c.partner_id = $1 and c.transaction_id = $2`,
});

export async function findPooledContribution(
  db: Queryable,
  partnerId: string,
  transactionId: string,
): Promise<PooledContribution | undefined> {
  const [row] = await run<PooledContribution>(db, FIND, [partnerId, transactionId]);
  return row;
}

const FIND_POOLING: Statement = {
  name: 'find_pooling_of_settlement',
  text: `select impact_batch_id as "impactBatchId", added_at as "addedAt" from impact_batch_settlement
    where partner_id = $1 and settlement_id = $2`,
};

/** The batch of a settlement, and when it was added to that. */
export interface Pooling {
  readonly impactBatchId: string;
  readonly addedAt: Date;
}

/** `undefined` while the settlement is in no batch. */
export async function findPooling(db: Queryable, partnerId: string, settlementId: string): Promise<Pooling | undefined> {
  const [row] = await run<Pooling & Record<string, unknown>>(db, FIND_POOLING, [partnerId, settlementId]);
  return row;
}

/** A contribution of a batch, by the line of its settlement. */
export interface BatchTransaction {
  readonly transactionId: string;
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  readonly points: bigint;
  readonly confirmedAt: Date;
  readonly settlementId: string;
  readonly lineNo: number;
}

const TRANSACTION_COLUMNS = `transaction_id as "transactionId", partner_event_id as "partnerEventId", partner_order_ref as "partnerOrderRef",
    points, confirmed_at as "confirmedAt", settlement_id as "settlementId", line_no as "lineNo"`;

const LIST_TRANSACTIONS = durableRead({
  name: 'list_impact_batch_transactions',
  text: `select ${TRANSACTION_COLUMNS} from settlement_line
    where partner_id = $1 and settlement_id = $2 and line_no > $3 and line_type = 'contribution' order by line_no limit $4`,
});

/** The contributions of one settlement, in the order of its lines. */
export async function listTransactionsOfSettlement(
  db: Queryable,
  { partnerId, settlementId, afterLine, limit }: { partnerId: string; settlementId: string; afterLine: number; limit: number },
): Promise<BatchTransaction[]> {
  return run<BatchTransaction>(db, LIST_TRANSACTIONS, [partnerId, settlementId, afterLine, limit]);
}

const FIND_LINE = durableRead({
  name: 'find_line_of_contribution',
  text: `select settlement_id as "settlementId", line_no as "lineNo" from settlement_line
    where partner_id = $1 and transaction_id = $2 and line_type = 'contribution'`,
});

/** The settlement and line of a contribution. */
export async function findLineOfContribution(
  db: Queryable,
  partnerId: string,
  transactionId: string,
): Promise<Pick<BatchTransaction, 'settlementId' | 'lineNo'> | undefined> {
  const [row] = await run<Pick<BatchTransaction, 'settlementId' | 'lineNo'>>(db, FIND_LINE, [partnerId, transactionId]);
  return row;
}
