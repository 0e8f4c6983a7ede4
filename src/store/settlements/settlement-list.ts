import type { SettledSums } from '../../domain/settlements/month-totals.ts';
import type { AcknowledgementStatus, SettlementStatus } from '../../domain/settlements/settlement.ts';

import type { Queryable } from '../database.ts';
import { eachRow } from '../each-page.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';
import { readSums, type SumsRow } from './exact-totals.ts';
import { acknowledgementStatus } from './settlement-acknowledgement.ts';

/** A settlement, and how its partner answered. */
export interface ListedSettlement {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly status: SettlementStatus;
  readonly periodLabel: string;
  /** The calendar month of the period: `2026-11` of `2026-11` and of `2026-11-2`. */
  readonly month: string;
  /** Of its amounts; `null` where it has none. */
  readonly currency: string | null;
  /** The partner's answer; the acceptance where one ended a dispute. */
  readonly acknowledgement: AcknowledgementStatus;
}

/** Not of points without a value; a closed settlement without lines has the amount 0. As the index says it. */
const HAS_AMOUNT = '(exact_amount is not null or contribution_count + adjustment_count = 0 and carried_points = 0)';
const CURRENCY = `case when ${HAS_AMOUNT} then currency end`;
/** As the index says it. */
const MONTH = 'left(period_label, 7)';
const selectOf = (
  partnerId: string,
) => `partner_id as "partnerId", settlement_id as "settlementId", status, period_label as "periodLabel", ${MONTH} as month,
      ${CURRENCY} as currency, ${acknowledgementStatus(partnerId)} as acknowledgement`;

export type ClosedOrder = 'closed_at' | 'net_points' | 'payable_amount';

const CLOSED: KeysetList<ClosedOrder> = {
  name: 'list_closed_settlements',
  select: selectOf('s.partner_id'),
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
      ['coalesce(exact_amount, 0)', 'numeric'],
      ['settlement_id', 'text'],
    ],
  },
};
const OF_AN_AMOUNT = { ...CLOSED, where: `status = 'closed' and ${HAS_AMOUNT}` };

export interface IndexedFilter {
  /** A calendar month, such as `2026-11`. Only together with the order of `closed_at`. */
  readonly month?: string | undefined;
  /** Only together with the order of `payable_amount`, which leaves out settlements whose points have no value. */
  readonly currency?: string | undefined;
}

/** Lists the closed settlements of all partners. */
export async function listClosedSettlements(
  db: Queryable,
  { month, currency }: IndexedFilter,
  page: KeysetPage<ClosedOrder>,
): Promise<(ListedSettlement & Placed)[]> {
  const list = page.order.by === 'payable_amount' ? OF_AN_AMOUNT : CLOSED;
  return listByKeyset<ListedSettlement, ClosedOrder>(db, list, { [MONTH]: month, currency }, page);
}

const OF_PARTNER: KeysetList<'period'> = {
  name: 'list_settlements_of_partner',
  // The partner is the first condition, after the limit: a distributed database asks the partner's node alone.
  select: selectOf('$2'),
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

type SettledRow = Pick<ListedSettlement, 'currency' | 'acknowledgement'> & SumsRow & Placed;

const SUMS = {
  ...CLOSED,
  name: 'list_settled_sums',
  select: `contribution_count, adjustment_count, gross_points, adjustment_points, carried_points, net_points, exact_amount, currency,
      ${acknowledgementStatus('s.partner_id')} as acknowledgement`,
};
const PAGE_SIZE = 1_000;

/** The closed settlements of a calendar month, of all partners. */
export async function* eachSettledSums(db: Queryable, month: string): AsyncGenerator<SettledSums> {
  const order = { by: 'closed_at', isDescending: false } as const;
  const rows = eachRow<SettledRow>(PAGE_SIZE, (last, limit) =>
    listByKeyset<SettledRow, ClosedOrder>(db, SUMS, { [MONTH]: month }, { order, after: last?.place, limit }),
  );
  for await (const row of rows) yield { currency: row.currency, acknowledgement: row.acknowledgement, ...readSums(row) };
}

const COUNT_OPEN: Statement = {
  name: 'count_open_settlements_of_month',
  text: `select count(*) as "openCount" from settlement where status = 'open' and ${MONTH} = $1`,
};

/** How many settlements of a calendar month are open. It reads every open one. */
export async function countOpenOfMonth(db: Queryable, month: string): Promise<bigint> {
  const [row] = await run<{ openCount: bigint }>(db, COUNT_OPEN, [month]);
  return row?.openCount ?? 0n;
}
