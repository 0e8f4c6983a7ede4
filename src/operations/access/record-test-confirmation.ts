import type { Actor } from '../../domain/access/role.ts';
import type { Database } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { withRole } from '../with-role.ts';
import { getPartner } from './manage-partner.ts';

/** Records who confirms a test contribution of a partner, before it is sent. Throws `forbidden`; `invalid_request` without the partner. */
export const recordTestConfirmation = withRole(
  'operator',
  async (
    database: Database,
    actor: Actor,
    { partnerId, partnerEventId }: { readonly partnerId: string; readonly partnerEventId: string },
  ): Promise<void> => {
    await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await getPartner(db, partnerId);
      const after = { partner_event_id: partnerEventId };
      await audit(db, actor, { action: 'sandbox.test-confirmation', partnerId, subjectId: partnerEventId, before: null, after });
    });
  },
);
