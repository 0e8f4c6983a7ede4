import type { ImpactBatch } from '../../domain/impact/impact-batch.ts';
import type { ErrorDetail } from '../../domain/service-error.ts';

/**
 * Whether the batch has been changed since an operator looked at it.
 *
 * @param expected The number of the latest change that the operator has seen; without it nothing is compared.
 */
export function checkChangeNo({ changeNo }: ImpactBatch, expected = changeNo): ErrorDetail | false {
  const message = `The batch was changed meanwhile: its latest change has the number ${changeNo}, not ${expected}. Look at it again.`;
  return changeNo !== expected && { field: 'expected_change_no', code: 'not_possible', message };
}
