import type { ImpactBatch } from '../../domain/impact/impact-batch.ts';
import { invalidRequest } from '../../domain/service-error.ts';
import type { Queryable } from '../../store/database.ts';
import { listImpactBatchChanges } from '../../store/impact/impact-batch.ts';
import type { Begun } from '../access/four-eyes.ts';
import { listSecondOperators, type SecondOperators } from '../access/second-operators.ts';
import { getImpactBatch } from './impact-batch-record.ts';

/** What comes before the verification of a delivered batch: the delivery, and the last correction of its trees where there was one. */
export async function listBegunDelivery(
  db: Queryable,
  { impactBatchId, deliveredBy }: Pick<ImpactBatch, 'impactBatchId' | 'deliveredBy'>,
): Promise<Begun[]> {
  const changes = await listImpactBatchChanges(db, impactBatchId);
  const correction = changes.findLast(({ changeType, status }) => changeType === 'corrected' && status === 'delivered');
  return [
    { operatorId: deliveredBy ?? '', step: 'verify_batch' },
    ...(correction ? [{ operatorId: correction.operatorId, step: 'verify_corrected_batch' } as const] : []),
  ];
}

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
  return listSecondOperators(db, await listBegunDelivery(db, batch), { most });
}
