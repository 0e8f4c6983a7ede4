import type { Queryable } from '../database.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';

export type RunTrigger = 'schedule' | 'hand';
/** `stopped` with its process; `abandoned` by a process that died. */
export type RunOutcome = 'succeeded' | 'failed' | 'stopped' | 'abandoned';

export interface JobRun {
  readonly jobName: string;
  readonly runNo: bigint;
  readonly trigger: RunTrigger;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: RunOutcome | null;
  /** JSON text. */
  readonly result: string | null;
  readonly error: string | null;
}

const LAST_RESULTS: Statement = {
  name: 'list_last_job_results',
  text: `select result_json as result from job_run where job_name = $1 and result_json is not null
    and run_no >= coalesce((select max(run_no) from job_run where job_name = $1 and outcome = 'succeeded'), 0)`,
};

/**
 * The results, as JSON, of the last successful run and of the later ones that failed or were stopped and have one; none where they are removed or there
 * is none yet.
 */
export async function listLastJobResults(db: Queryable, jobName: string): Promise<string[]> {
  const runs = await run<{ result: string }>(db, LAST_RESULTS, [jobName]);
  return runs.map(({ result }) => result);
}

const LAST_SCHEDULED: Statement = {
  name: 'find_last_scheduled_result',
  text: `select result_json as result from job_run
    where job_name = $1 and outcome = 'succeeded' and trigger = 'schedule' and result_json like '%"' || $2 || '":%'
    order by run_no desc limit 1`,
};

/** The last result with this member, as JSON, of a run that the schedule began and that succeeded; `undefined` without one. */
export async function findLastScheduledResult(db: Queryable, jobName: string, member: string): Promise<string | undefined> {
  return (await run<{ result: string }>(db, LAST_SCHEDULED, [jobName, member]))[0]?.result;
}

const RUN = `job_name as "jobName", run_no as "runNo", trigger, started_at as "startedAt", ended_at as "endedAt", outcome,
    result_json as result, error`;
/** Times are stored to the millisecond, so that a cursor is exactly the position in the table. */
const BEFORE =
  "(started_at, run_no, job_name) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::bigint, 0), coalesce($4::text, ''))";
const LIST_RUNS: Statement = {
  name: 'list_job_runs',
  text: `select ${RUN} from job_run where ${BEFORE} order by started_at desc, run_no desc, job_name desc limit $1`,
};
const LIST_RUNS_OF: Statement = {
  name: 'list_job_runs_of_job',
  text: `select ${RUN} from job_run where job_name = $2 and ($3::bigint is null or run_no < $3) order by run_no desc limit $1`,
};

const FIND_RUN: Statement = {
  name: 'find_job_run',
  text: `select ${RUN} from job_run where job_name = $1 and run_no = $2`,
};

export async function findJobRun(db: Queryable, jobName: string, runNo: bigint): Promise<JobRun | undefined> {
  return (await run<JobRun>(db, FIND_RUN, [jobName, runNo]))[0];
}

export interface JobRunFilter {
  readonly jobName?: string | undefined;
  /** Only those after it in the list. */
  readonly before?: { readonly startedAt: string; readonly runNo: string; readonly jobName: string } | undefined;
  readonly limit: number;
}

/** The newest first. */
export async function listJobRuns(db: Queryable, { jobName, before, limit }: JobRunFilter): Promise<JobRun[]> {
  const runNo = before?.runNo ?? null;
  if (jobName !== undefined) return run<JobRun>(db, LIST_RUNS_OF, [limit, jobName, runNo]);
  return run<JobRun>(db, LIST_RUNS, [limit, before?.startedAt ?? null, runNo, before?.jobName ?? null]);
}

const IN_ORDER: KeysetList<'started_at'> = {
  name: 'list_job_runs_in_order',
  select: RUN,
  from: 'job_run',
  orders: {
    started_at: [
      ['started_at', 'timestamptz'],
      ['job_name', 'text'],
      ['run_no', 'int8'],
    ],
  },
};
const OF_JOB: KeysetList<'started_at'> = {
  ...IN_ORDER,
  name: 'list_job_runs_of_job_in_order',
  orders: { started_at: [['run_no', 'int8']] },
};

/** Lists the runs of one job, or of all jobs. */
export async function listRunsInOrder(
  db: Queryable,
  jobName: string | undefined,
  page: KeysetPage<'started_at'>,
): Promise<(JobRun & Placed)[]> {
  return listByKeyset<JobRun, 'started_at'>(db, jobName === undefined ? IN_ORDER : OF_JOB, { job_name: jobName }, page);
}

const DELETE_RUNS: Statement = {
  name: 'delete_old_job_runs',
  text: `delete from job_run where (job_name, run_no) in (
      select job_name, run_no from job_run
      where started_at < now() - $1 * interval '1 day' and ended_at < now() - $1 * interval '1 day' order by started_at limit $2
    )
    returning 1`,
};

/** @returns How many, `limit` at most; fewer mean that nothing old is left. */
export async function deleteOldJobRuns(db: Queryable, { days, limit }: { days: number; limit: number }): Promise<number> {
  return (await run(db, DELETE_RUNS, [days, limit])).length;
}
