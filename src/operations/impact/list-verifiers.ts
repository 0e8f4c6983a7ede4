import { begunBefore } from '../../domain/impact/batch-four-eyes.ts';
import { invalidRequest } from '../../domain/service-error.ts';
import type { Queryable } from '../../store/database.ts';
import { listImpactBatchChanges } from '../../store/impact/impact-batch.ts';
import { listSecondOperators, type SecondOperators } from '../access/second-operators.ts';
import { getImpactBatch } from './impact-batch-record.ts';

/**
 * Who may verify a delivered batch.
 *
 * @param most How many are named, 1 or more.
 * @throws ServiceError `invalid_request` for an unknown batch (404), and for one that is not `delivered`.
 */
export async function listVerifiers(
  db: Queryable,
  impactBatchId: string,
  { most }: { readonly most: number },
): Promise<SecondOperators> {
  const batch = await getImpactBatch(db, impactBatchId);
  if (batch.status !== 'delivered') {
    const message = `The batch is ${batch.status}; only a delivered one is verified.`;
    throw invalidRequest([{ field: 'impact_batch_id', code: 'not_possible', message }]);
  }
  return listSecondOperators(db, begunBefore(batch, await listImpactBatchChanges(db, impactBatchId)), { most });
}
