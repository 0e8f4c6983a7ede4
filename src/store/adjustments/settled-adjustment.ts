import type { Queryable } from '../database.ts';
import { ONE_BY_ONE, run, type Statement } from '../query.ts';

const SETTLED_ON: Statement = {
  name: 'list_contributions_settled_on',
  text: `select w.id as "transactionId" from unnest($3::text[]) as w (id)
    where exists (
      select from settlement_line l where l.partner_id = $1 and l.transaction_id = w.id and l.line_type = 'contribution'
        and l.settlement_id = $2 ${ONE_BY_ONE}
    )`,
};

/** Which of the contributions have their line on the settlement. */
export async function listContributionsSettledOn(
  db: Queryable,
  { partnerId, settlementId }: { readonly partnerId: string; readonly settlementId: string },
  transactionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const values = [partnerId, settlementId, transactionIds];
  const rows = await run<{ transactionId: string }>(db, SETTLED_ON, values);
  return new Set(rows.map(({ transactionId }) => transactionId));
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
