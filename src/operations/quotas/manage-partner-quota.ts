import type { Actor } from '../../domain/access/role.ts';
import type { PartnerQuota } from '../../domain/quotas/partner-quota.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { type DailyUsage, findDailyUsage } from '../../store/quotas/daily-usage.ts';
import { findPartnerQuota, putPartnerQuota } from '../../store/quotas/partner-quota.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { lockKnownPartner } from '../access/manage-partner.ts';
import { audit } from '../audit/audit.ts';
import { withRole } from '../with-role.ts';

export type QuotaUse = PartnerQuota & DailyUsage;

/** What a partner may store in a UTC day, and its recorded use of today, which is some seconds old. */
export async function getQuotaUse(db: Queryable, partnerId: string): Promise<QuotaUse> {
  return { ...(await findPartnerQuota(db, partnerId)), ...(await findDailyUsage(db, partnerId)) };
}

/**
 * Takes effect on every instance within ten seconds. Omitted values do not change.
 *
 * @throws ServiceError `forbidden`, or `invalid_request` for an unknown partner.
 */
export const setPartnerQuota = withRole(
  'admin',
  async (database: Database, actor: Actor, partnerId: string, quota: Partial<PartnerQuota>): Promise<PartnerQuota> => {
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await lockKnownPartner(db, partnerId);
      const before = await findPartnerQuota(db, partnerId);
      const { bytesPerDay, listsPerDay } = { ...before, ...quota };
      const after = { bytesPerDay, listsPerDay };
      await putPartnerQuota(db, partnerId, after);
      // A record of its own: the last entry about the partner must contain the partner.
      const subjectId = `quota_${partnerId}`;
      const entry = { action: 'partner.set-quota', partnerId, subjectId, before: toRecord(before), after: toRecord(after) };
      await audit(db, actor, entry);
      return after;
    });
  },
);

function toRecord({ bytesPerDay, listsPerDay }: PartnerQuota): object {
  return { bytes_per_day: bytesPerDay, lists_per_day: listsPerDay };
}
