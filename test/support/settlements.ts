import type { Actor, Role } from '../../src/domain/access/role.ts';
import { newId } from '../../src/domain/identifiers.ts';
import { readUnitPrice } from '../../src/domain/numbers/money.ts';
import { closesAt } from '../../src/domain/settlements/closing-delay.ts';
import { openSealKeys } from '../../src/domain/settlements/settlement-seal.ts';
import { type Closed, closeSettlement } from '../../src/operations/settlements/close-settlement.ts';
import { openFirstSettlement } from '../../src/operations/settlements/open-settlement.ts';
import type { PricesOf, SettlementTools } from '../../src/operations/settlements/settlement-tools.ts';
import { findPartner, type Partner } from '../../src/store/access/partner.ts';
import type { Database } from '../../src/store/database.ts';
import { findOpenSettlement, type Settlement } from '../../src/store/settlements/settlement.ts';
import { eachSettlementLine } from '../../src/store/settlements/settlement-line.ts';
import { inTransaction } from '../../src/store/transaction.ts';
import { auditKeys } from './actor.ts';
import { signedInOperator } from './operator-client.ts';
import type { TestService } from './service.ts';

export const sealKeys = openSealKeys(auditKeys);

/** Points under the default version are worth so much of the partner's currency; without a price, nothing. */
export const priced =
  (price?: string, currency = 'SAR'): PricesOf =>
  async () => ({ currency, values: new Map(price === undefined ? [] : [['default-1', readUnitPrice(price) as bigint]]) });

export const tools = (price?: string, currency?: string): SettlementTools => ({
  ...sealKeys,
  pricesOf: priced(price, currency),
  doubtsOf: () => async () => undefined,
});

export const actor = (role: Role = 'approver'): Actor => ({ operatorId: 'opr_of_a_test', role, correlationId: newId('corr') });

export async function openFirst(database: Database, partner: Partner): Promise<Settlement> {
  await inTransaction(database, { lockTimeoutMs: 1_000 }, (db) => openFirstSettlement(db, partner, newId('corr')));
  return getOpen(database, partner.partnerId);
}

/** A partner with its first settlement open. */
export async function newSettledPartner({ newPartner, database }: Pick<TestService, 'newPartner' | 'database'>) {
  const { partner, client } = await newPartner();
  return { partner, partnerId: partner.partnerId, client, open: await openFirst(database, partner) };
}

export async function getOpen(database: Database, partnerId: string): Promise<Settlement> {
  const open = await findOpenSettlement(database.pool, partnerId);
  if (!open) throw new Error('The partner has no open settlement.');
  return open;
}

/** By hand, at this moment of the database or at another. */
export async function closeNow(database: Database, partnerId: string, using = tools(), now?: Date): Promise<Closed> {
  const closed = await closeSettlement(database, actor(), { partnerId, isEarly: true, now }, using);
  if (!closed) throw new Error('There was nothing to close.');
  return closed;
}

/** Through the interface of operators: sealed with the keys of the service. */
export async function closeThrough(
  service: TestService,
  { partnerId, settlementId }: Pick<Settlement, 'partnerId' | 'settlementId'>,
): Promise<void> {
  const approver = await signedInOperator(service, 'approver');
  const path = `/operator/v1/partners/${partnerId}/settlements/${settlementId}/close`;
  const { status, text } = await approver.postOnce(path, undefined);
  if (status !== 200) throw new Error(`The settlement of a test is not closed: ${text}`);
}

/** As the schedule does when the period is over. */
export async function closeRegularly(database: Database, partnerId: string, using = tools()): Promise<Closed> {
  const { period } = await getOpen(database, partnerId);
  const closing = { partnerId, isEarly: false, now: closesAt(period) };
  const closed = await closeSettlement(database, actor('admin'), closing, using);
  if (!closed) throw new Error('There was nothing to close.');
  return closed;
}

export async function linesOf(database: Database, { partnerId, settlementId }: Settlement) {
  return Array.fromAsync(eachSettlementLine(database.pool, { partnerId, settlementId }));
}

/** More lines than the system takes of a statement that nobody reads. */
export const LINES_UNREAD = 80_000;

/** A statement of the service may take 4.5 s, which is little for all of them on a busy machine. */
const LINES_AT_ONCE = 5_000;

/** So many lines of contributions that there are not: their statement is shown with `excel_safe`, which states no length. */
export async function insertLines(
  { pool }: Database,
  { partnerId, settlementId }: Pick<Settlement, 'partnerId' | 'settlementId'>,
  count: number,
): Promise<void> {
  for (let first = 1; first <= count; first += LINES_AT_ONCE)
    await pool.query(
      `insert into settlement_line (partner_id, settlement_id, line_no, line_type, points, transaction_id, partner_event_id, partner_order_ref)
      select $1, $2, n, 'contribution', 1, 'txn_' || n, repeat('e', 100) || n, 'order-' || n from generate_series($3::int8, $4::int8) n`,
      [partnerId, settlementId, first, Math.min(count, first + LINES_AT_ONCE - 1)],
    );
}

export async function partnerWith(database: Database, partnerId: string): Promise<Partner> {
  return (await findPartner(database.pool, partnerId)) as Partner;
}
