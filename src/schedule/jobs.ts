import type { SettlementTools } from '../operations/settlements/settlement-tools.ts';
import { closeSettlementsJob } from './close-settlements.ts';
import { expirePending } from './expire-pending.ts';
import type { Job } from './job.ts';
import { pruneJobRuns } from './prune-job-runs.ts';
import { removeOldEventsJob } from './remove-old-events.ts';
import { removeReconciliationsJob } from './remove-reconciliations.ts';
import { reportBreakGlass } from './report-break-glass.ts';
import { sealContributionsJob } from './seal-contributions.ts';
import { verifyJob } from './verify.ts';

export interface JobSettings {
  /** How long an event is kept. */
  readonly eventDays: number;
  /** After so many a pending contribution fails by itself. */
  readonly reviewExpiryHours: number;
  readonly settlementTools: SettlementTools;
}

/** Everything that happens by the clock. */
export function listJobs({ eventDays, reviewExpiryHours, settlementTools }: JobSettings): readonly Job[] {
  return [
    closeSettlementsJob(settlementTools),
    expirePending({ hours: reviewExpiryHours }),
    removeOldEventsJob(eventDays),
    removeReconciliationsJob,
    sealContributionsJob,
    reportBreakGlass,
    verifyJob(settlementTools),
    pruneJobRuns,
  ];
}
