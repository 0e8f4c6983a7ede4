import type { Job } from './job.ts';
import { pruneJobRuns } from './prune-job-runs.ts';
import { removeOldEventsJob } from './remove-old-events.ts';

export interface JobSettings {
  /** How long an event is kept. */
  readonly eventDays: number;
}

/** Everything that happens by the clock. */
export function listJobs({ eventDays }: JobSettings): readonly Job[] {
  return [removeOldEventsJob(eventDays), pruneJobRuns];
}
