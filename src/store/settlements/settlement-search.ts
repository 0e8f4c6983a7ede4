import type { Queryable } from '../database.ts';
import { EVERY_PARTNER } from '../partner-ids.ts';
import { rowOf, run, type Statement } from '../query.ts';

/** The settlement of a statement, or of a contribution. */
export interface FoundSettlement {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly periodLabel: string;
}

const FIND_BY_SHA256: Statement = {
  name: 'find_statement_owner',
  text: `select partner_id as "partnerId", settlement_id as "settlementId", period_label as "periodLabel" from settlement
    where csv_sha256 = $1 order by partner_id, sequence limit 1`,
};

/**
 * Finds the settlement, of any partner, whose statement has these bytes. Statements without lines are all the same: the first is returned.
 */
export async function findStatementOwner(db: Queryable, csvSha256: string): Promise<FoundSettlement | undefined> {
  const [owner] = await run<FoundSettlement & Record<string, unknown>>(db, FIND_BY_SHA256, [csvSha256]);
  return owner;
}

/** @param partnerId SQL. */
const settlementOf = (partnerId: string, transactionId: string) =>
  `${rowOf('settlement_line', { partnerId, key: 'transaction_id', value: transactionId, condition: "line_type = 'contribution'" })} l
    cross join lateral ${rowOf('settlement', { partnerId, key: 'settlement_id', value: 'l.settlement_id' })} s`;
const SELECT = 'select s.partner_id as "partnerId", s.settlement_id as "settlementId", s.period_label as "periodLabel"';

const FIND_BY_CONTRIBUTION: Statement = {
  name: 'find_settlement_of_contribution',
  text: `${SELECT} from ${settlementOf('$1', '$2')}`,
};

export async function findSettlementOfContribution(
  db: Queryable,
  partnerId: string,
  transactionId: string,
): Promise<FoundSettlement | undefined> {
  const [owner] = await run<FoundSettlement & Record<string, unknown>>(db, FIND_BY_CONTRIBUTION, [partnerId, transactionId]);
  return owner;
}

const FIND_OF_ANY_PARTNER: Statement = {
  name: 'find_settlement_of_contribution_of_any_partner',
  text: `${SELECT} from ${EVERY_PARTNER} cross join lateral ${settlementOf('p.partner_id', '$1')} limit 1`,
};

/** Looks the contribution up once for each partner. */
export async function findSettlementOfAnyPartner(db: Queryable, transactionId: string): Promise<FoundSettlement | undefined> {
  const [owner] = await run<FoundSettlement & Record<string, unknown>>(db, FIND_OF_ANY_PARTNER, [transactionId]);
  return owner;
}
