import type { Actor } from '../domain/access/role.ts';
import { ServiceError } from '../domain/service-error.ts';
import { audit } from '../operations/audit/audit.ts';
import { withRole } from '../operations/with-role.ts';
import type { Database } from '../store/database.ts';
import { claimJob } from '../store/jobs/job.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../store/transaction.ts';
import type { Job } from './job.ts';
import { doRun, type EndedRun, LEASE_MS, type RunOptions, registerJobs } from './run-job.ts';

/** A run that has begun, and its end. */
export interface RunByHand {
  readonly runNo: bigint;
  readonly ended: Promise<EndedRun>;
}

/**
 * Begins a job now, due or not, as the schedule would.
 *
 * @throws ServiceError `forbidden`; `invalid_request` while another process runs it.
 */
export const beginByHand = withRole(
  'operator',
  async (database: Database, actor: Actor, job: Job, options: RunOptions): Promise<RunByHand> => {
    await registerJobs(database, [job]);
    const claimed = await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const run = await claimJob(db, { jobName: job.name, leaseMs: LEASE_MS, trigger: 'hand' });
      if (!run)
        throw new ServiceError('invalid_request', `Another process runs the job ${job.name}; \`job history\` shows how it ends.`);
      await audit(db, actor, {
        action: 'job.run',
        partnerId: null,
        subjectId: job.name,
        before: null,
        after: { run_no: run.runNo },
      });
      return run;
    });
    const begun = { job, ...claimed, correlationId: actor.correlationId };
    return { runNo: claimed.runNo, ended: doRun(database, begun, options) };
  },
);

/** Begins a job like {@link beginByHand}, and waits for its end. */
export const runByHand = withRole(
  'operator',
  async (database: Database, actor: Actor, job: Job, options: RunOptions): Promise<EndedRun> =>
    (await beginByHand(database, actor, job, options)).ended,
);
