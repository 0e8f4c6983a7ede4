import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

/** The columns by which a rule is judged. */
export interface RuledContribution {
  readonly transactionId: string;
  readonly points: bigint;
  readonly status: 'confirmed' | 'pending' | 'failed';
  readonly firstStatus: 'confirmed' | 'pending' | 'failed';
  readonly createdAt: Date;
  readonly pointConversionVersion: string;
  readonly treeCostVersion: string;
}

const LIST: Statement = {
  name: 'list_ruled_contributions',
  text: `select transaction_id as "transactionId", points, status, first_status as "firstStatus", created_at as "createdAt",
      point_conversion_version as "pointConversionVersion", tree_cost_version as "treeCostVersion"
    from contribution where partner_id = $1 and transaction_id > $2 and transaction_id < $4 order by transaction_id desc limit $3`,
};

/** Lists contributions of one partner between two ids, the latest first. */
export async function listRuledContributions(
  db: Queryable,
  partnerId: string,
  { afterId, beforeId, limit }: { readonly afterId: string; readonly beforeId: string; readonly limit: number },
): Promise<RuledContribution[]> {
  return run<RuledContribution & Record<string, unknown>>(db, LIST, [partnerId, afterId, limit, beforeId]);
}
