import type { Log } from '../observability/log.ts';
import { throttled } from '../observability/throttled.ts';
import { countStorage, type QuotaStage, type StorageUsage } from '../operations/quotas/storage-usage.ts';
import type { Database } from '../store/database.ts';

const QUOTA_STAGES: Record<QuotaStage, readonly [level: 'warn' | 'error', sentence: string]> = {
  near: ['warn', 'a partner has stored four fifths of its quota of the day'],
  spent: [
    'error',
    'a partner has stored its quota of the day: its estimates, lists, recoveries of missing events and advances of the clock of a sandbox are refused, its confirmations are not',
  ],
  exceeded: [
    'error',
    'a partner stores more than its quota of the day: by confirmations, which are never refused, or by one advance of its clock in a sandbox',
  ],
};

/** Counts what partners store, and logs when one comes near its quota. */
export function openUsage(database: Database, { logger }: Log): StorageUsage {
  return countStorage(database, {
    onStage(stage, { partnerId: partner_id, storedBytes: stored_bytes, bytesPerDay: bytes_per_day }) {
      const [level, sentence] = QUOTA_STAGES[stage];
      logger[level]({ partner_id, stored_bytes, bytes_per_day }, sentence);
    },
    onError: throttled((err, times) =>
      logger.warn({ err, times }, 'the storage usage of partners could not be recorded; the service tries again'),
    ),
  });
}
