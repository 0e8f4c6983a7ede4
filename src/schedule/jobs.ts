import type { SettlementTools } from '../operations/settlements/settlement-tools.ts';
import type { Job } from './job.ts';
import { closeSettlementsJob } from './jobs/close-settlements.ts';
import { expirePending } from './jobs/expire-pending.ts';
import { pruneJobRuns } from './jobs/prune-job-runs.ts';
import { removeOldEventsJob } from './jobs/remove-old-events.ts';
import { removeReconciliationsJob } from './jobs/remove-reconciliations.ts';
import { removeShownSecretsJob } from './jobs/remove-shown-secrets.ts';
import { reportBreakGlass } from './jobs/report-break-glass.ts';
import { sealContributionsJob } from './jobs/seal-contributions.ts';
import { verifyJob } from './jobs/verify.ts';

export interface JobSettings {
  /** How long an event is kept. */
  readonly eventDays: number;
  /** After this many hours a pending contribution fails automatically. */
  readonly reviewExpiryHours: number;
  readonly settlementTools: SettlementTools;
}

/** All jobs. */
export function listJobs({ eventDays, reviewExpiryHours, settlementTools }: JobSettings): readonly Job[] {
  return [
    closeSettlementsJob(settlementTools),
    expirePending({ hours: reviewExpiryHours }),
    removeOldEventsJob(eventDays),
    removeReconciliationsJob,
    removeShownSecretsJob,
    sealContributionsJob,
    reportBreakGlass,
    verifyJob(settlementTools),
    pruneJobRuns,
  ];
}
