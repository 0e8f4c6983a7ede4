import type { AcknowledgementStatus, SettlementStatus } from '../../domain/settlements/settlement.ts';
import type { Queryable } from '../database.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';

/** A settlement, and how its partner answered. */
export interface ListedSettlement {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly status: SettlementStatus;
  readonly periodLabel: string;
  readonly currency: string | null;
  /** The partner's answer; the acceptance where one ended a dispute. */
  readonly acknowledgement: AcknowledgementStatus;
}

const SELECT = `partner_id as "partnerId", settlement_id as "settlementId", status, period_label as "periodLabel", currency,
      coalesce((
        select min(a.status) from settlement_acknowledgement a where a.partner_id = s.partner_id and a.settlement_id = s.settlement_id
      ), 'pending') as acknowledgement`;

export type ClosedOrder = 'closed_at' | 'net_points' | 'payable_amount';

const CLOSED: KeysetList<ClosedOrder> = {
  name: 'list_closed_settlements',
  select: SELECT,
  from: 'settlement s',
  where: "status = 'closed'",
  orders: {
    closed_at: [
      ['closed_at', 'timestamptz'],
      ['settlement_id', 'text'],
    ],
    net_points: [
      ['(gross_points + adjustment_points)', 'numeric'],
      ['settlement_id', 'text'],
    ],
    payable_amount: [
      ['exact_amount', 'numeric'],
      ['settlement_id', 'text'],
    ],
  },
};
const OF_AN_AMOUNT = { ...CLOSED, where: "status = 'closed' and exact_amount is not null" };

export interface IndexedFilter {
  /** Only together with the order of `closed_at`. */
  readonly period?: string | undefined;
  /** Only together with the order of `payable_amount`, which leaves out settlements without an amount. */
  readonly currency?: string | undefined;
}

/** Lists the closed settlements of all partners. */
export async function listClosedSettlements(
  db: Queryable,
  { period, currency }: IndexedFilter,
  page: KeysetPage<ClosedOrder>,
): Promise<(ListedSettlement & Placed)[]> {
  const list = page.order.by === 'payable_amount' ? OF_AN_AMOUNT : CLOSED;
  return listByKeyset<ListedSettlement, ClosedOrder>(db, list, { period_label: period, currency }, page);
}

const OF_PARTNER: KeysetList<'period'> = {
  name: 'list_settlements_of_partner',
  select: SELECT,
  from: 'settlement s',
  orders: { period: [['sequence', 'int8']] },
};

/** Lists the settlements of one partner, the open one included. */
export async function listSettlementsOfPartner(
  db: Queryable,
  partnerId: string,
  page: KeysetPage<'period'>,
): Promise<(ListedSettlement & Placed)[]> {
  return listByKeyset<ListedSettlement, 'period'>(db, OF_PARTNER, { partner_id: partnerId }, page);
}
