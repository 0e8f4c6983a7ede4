import type { Queryable } from '../database.ts';
import { ONE_BY_ONE, run, type Statement } from '../query.ts';

/** An adjustment, and whether the line of its contribution is on the settlement. */
export interface LookedAtAdjustment {
  readonly adjustmentId: string;
  readonly isOn: boolean;
}

const LIST: Statement = {
  name: 'list_adjustments_beside_settlement',
  text: `select a.adjustment_id as "adjustmentId", exists (
      select from settlement_line l where l.partner_id = $1 and l.transaction_id = a.transaction_id and l.line_type = 'contribution'
        and l.settlement_id = $2 ${ONE_BY_ONE}
    ) as "isOn"
    from (select transaction_id, adjustment_id from adjustment where partner_id = $1 and adjustment_id < $3
      order by adjustment_id desc limit $4) a
    order by a.adjustment_id desc`,
};

/** Of a partner, the latest first. */
export async function listAdjustmentsBeside(
  db: Queryable,
  { partnerId, settlementId }: { readonly partnerId: string; readonly settlementId: string },
  { beforeId, limit }: { readonly beforeId: string; readonly limit: number },
): Promise<LookedAtAdjustment[]> {
  return run<LookedAtAdjustment & Record<string, unknown>>(db, LIST, [partnerId, settlementId, beforeId, limit]);
}

const OF_CONTRIBUTIONS: Statement = {
  name: 'list_adjustments_of_contributions',
  text: 'select adjustment_id as "adjustmentId" from adjustment where partner_id = $1 and transaction_id = any ($2::text[]) limit $3',
};

export async function listAdjustmentsOfContributions(
  db: Queryable,
  { partnerId, transactionIds, limit }: { partnerId: string; transactionIds: readonly string[]; limit: number },
): Promise<string[]> {
  const rows = await run<{ adjustmentId: string }>(db, OF_CONTRIBUTIONS, [partnerId, transactionIds, limit]);
  return rows.map(({ adjustmentId }) => adjustmentId);
}
