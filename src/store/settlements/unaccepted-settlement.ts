import type { Queryable } from '../database.ts';
import { forPartners, type PartnerIds, runForPartners } from '../partner-ids.ts';
import { ONE_BY_ONE, rowOf, run, type Statement } from '../query.ts';

/** Disputes that no acceptance ended. */
const DISPUTED = `from settlement_acknowledgement d where d.status = 'disputed' and not exists (
      select from settlement_acknowledgement a
      where a.partner_id = d.partner_id and a.settlement_id = d.settlement_id and a.status = 'accepted')`;

const LIST_ALL_DISPUTES: Statement = {
  name: 'list_open_disputes',
  text: `select d.settlement_id as "settlementId" ${DISPUTED} limit $1`,
};

/** The settlements of all partners with one, `max` + 1 at most, which stands for as many or more. */
export async function listDisputedSettlements(db: Queryable, max: number): Promise<string[]> {
  const rows = await run<{ settlementId: string }>(db, LIST_ALL_DISPUTES, [max + 1]);
  return rows.map(({ settlementId }) => settlementId);
}

export interface DisputedSettlement {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly periodLabel: string;
  readonly disputedAt: Date;
}

const LIST_DISPUTES = forPartners(
  'list_open_disputes_of_partners',
  (partners) => `select p.partner_id as "partnerId", settlement_id as "settlementId", acknowledged_at as "disputedAt", (
        select period_label from ${rowOf('settlement', { partnerId: 'p.partner_id', key: 'settlement_id', value: 'd.settlement_id' })} s
      ) as "periodLabel"
    from ${partners} cross join lateral (
      select settlement_id, acknowledged_at ${DISPUTED} and d.partner_id = p.partner_id order by settlement_id desc limit $2
    ) d
    order by settlement_id desc`,
);

/**
 * Lists the disputes of each of these partners that no acceptance ended: the latest settlements first, `max` + 1 of a partner at most. It
 * reads the answers by their key.
 */
export async function listOpenDisputes(db: Queryable, partnerIds: PartnerIds, max: number): Promise<DisputedSettlement[]> {
  return runForPartners<DisputedSettlement & Record<string, unknown>>(db, LIST_DISPUTES, [partnerIds, max + 1]);
}

/** Closed within so many days: a partner that never acknowledges is not counted for ever. */
const UNACKNOWLEDGED_DAYS = 62;

const COUNT_UNACKNOWLEDGED: Statement = {
  name: 'count_unacknowledged_settlements',
  text: `select count(*)::int4 as count from (
      select s.partner_id from settlement s where s.status = 'closed' and s.closed_at > now() - make_interval(days => ${UNACKNOWLEDGED_DAYS})
        and not exists (select from settlement_acknowledgement a where a.partner_id = s.partner_id and a.settlement_id = s.settlement_id ${ONE_BY_ONE})
      limit $1
    ) counted`,
};

/** Closed and not acknowledged, neither accepted nor disputed. */
export async function countUnacknowledgedSettlements(db: Queryable, max: number): Promise<number> {
  const [row] = await run<{ count: number }>(db, COUNT_UNACKNOWLEDGED, [max + 1]);
  return row?.count ?? 0;
}
