import type { AcknowledgementStatus } from '../../domain/settlements/settlement.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

/** A closed settlement of any partner, and how its partner answered. */
export interface ListedSettlement {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly closedAt: Date;
  /** Of a dispute and the acceptance that ended it, the acceptance. */
  readonly acknowledgement: AcknowledgementStatus;
}

/** The place of a settlement among the closed ones. */
export type ClosedPlace = Pick<ListedSettlement, 'closedAt' | 'settlementId'>;

const LIST_CLOSED: Statement = {
  name: 'list_closed_settlements',
  text: `select partner_id as "partnerId", settlement_id as "settlementId", closed_at as "closedAt",
      coalesce((
        select min(a.status) from settlement_acknowledgement a where a.partner_id = s.partner_id and a.settlement_id = s.settlement_id
      ), 'pending') as acknowledgement
    from settlement s where status = 'closed' and (closed_at, settlement_id) < (coalesce($1::timestamptz, 'infinity'), $2)
    order by closed_at desc, settlement_id desc limit $3`,
};

/** Of all partners, the latest first. */
export async function listClosedSettlements(
  db: Queryable,
  { before, limit }: { readonly before: ClosedPlace | undefined; readonly limit: number },
): Promise<ListedSettlement[]> {
  return run<ListedSettlement & Record<string, unknown>>(db, LIST_CLOSED, [
    before?.closedAt ?? null,
    before?.settlementId ?? '',
    limit,
  ]);
}
