import type { Actor } from '../domain/access/role.ts';
import { ServiceError } from '../domain/service-error.ts';
import { audit } from '../operations/audit/audit.ts';
import { withRole } from '../operations/with-role.ts';
import type { Database } from '../store/database.ts';
import { claimJob } from '../store/jobs/job.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../store/transaction.ts';
import type { Job } from './job.ts';
import { doRun, type EndedRun, LEASE_MS, registerJobs } from './run-job.ts';

/**
 * Runs a job now, due or not, as the schedule would.
 *
 * @throws ServiceError `forbidden`; `invalid_request` while another process runs it.
 */
export const runByHand = withRole(
  'operator',
  async (database: Database, actor: Actor, job: Job, stop: AbortSignal): Promise<EndedRun> => {
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
    return doRun(database, { job, ...claimed, trigger: 'hand', correlationId: actor.correlationId }, stop);
  },
);
