import { expirePending } from './expire-pending.ts';
import type { Job } from './job.ts';
import { pruneJobRuns } from './prune-job-runs.ts';
import { removeOldEventsJob } from './remove-old-events.ts';

export interface JobSettings {
  /** How long an event is kept. */
  readonly eventDays: number;
  /** After so many a pending contribution fails by itself. */
  readonly reviewExpiryHours: number;
}

/** Everything that happens by the clock. */
export function listJobs({ eventDays, reviewExpiryHours }: JobSettings): readonly Job[] {
  return [expirePending({ hours: reviewExpiryHours }), removeOldEventsJob(eventDays), pruneJobRuns];
}
