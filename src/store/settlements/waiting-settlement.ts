import type { Queryable } from '../database.ts';
import { ONE_BY_ONE, run, type Statement } from '../query.ts';

/** Disputes that no acceptance ended. */
const DISPUTED = `from settlement_acknowledgement d where d.status = 'disputed' and not exists (
      select from settlement_acknowledgement a
      where a.partner_id = d.partner_id and a.settlement_id = d.settlement_id and a.status = 'accepted')`;

const COUNT_DISPUTES: Statement = {
  name: 'count_open_disputes',
  text: `select count(*)::int4 as count from (select d.partner_id ${DISPUTED} limit $1) counted`,
};

/** `max` + 1 stands for as many or more. */
export async function countOpenDisputes(db: Queryable, max: number): Promise<number> {
  const [row] = await run<{ count: number }>(db, COUNT_DISPUTES, [max + 1]);
  return row?.count ?? 0;
}

/** Closed within so many days: a partner that never acknowledges is not counted for ever. */
export const UNACKNOWLEDGED_DAYS = 62;

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
