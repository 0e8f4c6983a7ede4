import type { Actor } from '../../domain/access/role.ts';
import { withRole } from '../with-role.ts';
import type { ReconcileSettlement, ReconciliationOutcome, UploadedList } from './reconcile-settlement.ts';

export type ListForPartner = Omit<UploadedList, 'standing' | 'uploader'>;

/**
 * An operator reconciles a list that a partner handed over, of a suspended partner too. The key is the operator's own: no key of the
 * partner has its form. Throws what {@link ReconcileSettlement.take} throws.
 */
export const reconcileForPartner = withRole(
  'operator',
  async ({ take }: Pick<ReconcileSettlement, 'take'>, uploader: Actor, list: ListForPartner): Promise<ReconciliationOutcome> => {
    const idempotencyKey = `${uploader.operatorId}/${list.idempotencyKey}`;
    return take({ ...list, idempotencyKey, uploader, standing: () => ({ isSuspended: false }) });
  },
);
