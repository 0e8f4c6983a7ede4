import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import type { RunOutcome, RunTrigger } from './job-run.ts';

/** The state of a job. */
export interface JobState {
  readonly jobName: string;
  readonly dueAt: Date;
  readonly lastRunNo: bigint;
  /** Set while it runs; in the past when the process that ran it has died. */
  readonly leaseUntil: Date | null;
  readonly failuresInRow: number;
  readonly lastSuccessAt: Date | null;
}

const REGISTER: Statement = {
  name: 'insert_job',
  text: `insert into job (job_name, pattern, due_at) values ($1, $2, $3)
    on conflict (job_name) do update set pattern = excluded.pattern, due_at = excluded.due_at
    where job.pattern <> excluded.pattern or job.due_at > excluded.due_at and excluded.due_at > now()`,
};

/**
 * An existing job keeps its due time, unless its pattern has changed, or the time is later than its next one, which a clock that was
 * ahead has set. A next one that has passed since the caller computed it is none: another process may have done the job at that time.
 */
export async function insertJob(db: Queryable, job: { jobName: string; pattern: string; dueAt: Date }): Promise<void> {
  await run(db, REGISTER, [job.jobName, job.pattern, job.dueAt]);
}

const STATE = `job_name as "jobName", due_at as "dueAt", last_run_no as "lastRunNo", lease_until as "leaseUntil",
    failures_in_row as "failuresInRow", last_success_at as "lastSuccessAt"`;
const LIST: Statement = { name: 'list_jobs', text: `select ${STATE} from job order by job_name` };

export async function listJobStates(db: Queryable): Promise<JobState[]> {
  return run<JobState>(db, LIST, []);
}

const DUE: Statement = {
  name: 'list_due_jobs',
  text: `select now() as now, array(
      select job_name from job where due_at <= now() and (lease_until is null or lease_until <= now()) order by job_name
    ) as "jobNames"`,
};

export interface DueJobs {
  /** By the clock of the database. */
  readonly now: Date;
  readonly jobNames: readonly string[];
}

/** Due jobs that no process runs. */
export async function listDueJobs(db: Queryable): Promise<DueJobs> {
  const [due] = await run<{ now: Date; jobNames: string[] }>(db, DUE, []);
  return due as DueJobs;
}

const SHORTEN_LEASES: Statement = {
  name: 'shorten_job_leases',
  text: "update job set lease_until = now() + $1 * interval '1 millisecond' where lease_until > now() + $2 * interval '1 millisecond'",
};

/**
 * Lets leases end after `leaseMs` that would last for longer than `longerThanMs`: the clock was ahead when they were taken. A process that
 * still runs the job renews its lease before.
 */
export async function shortenJobLeases(
  db: Queryable,
  { leaseMs, longerThanMs }: { leaseMs: number; longerThanMs: number },
): Promise<void> {
  await run(db, SHORTEN_LEASES, [leaseMs, longerThanMs]);
}

const CLAIM: Statement = {
  name: 'claim_job',
  text: `with claimed as (
      update job set last_run_no = last_run_no + 1, lease_until = now() + $3 * interval '1 millisecond',
        due_at = least(due_at, now())
      where job_name = $1 and ($2 = 'hand' or due_at <= now()) and (lease_until is null or lease_until <= now())
      returning job_name, last_run_no, failures_in_row, case when requested_run_no = last_run_no then 'hand' else $2 end as trigger
    ), abandoned as (
      update job_run r set ended_at = ${NOW}, outcome = 'abandoned',
        error = 'The process that ran it ended, or was cut off from the database, before it said what it did.'
      from claimed c where r.job_name = c.job_name and r.ended_at is null
    ), started as (
      insert into job_run (job_name, run_no, trigger, started_at) select job_name, last_run_no, trigger, ${NOW} from claimed
    )
    select last_run_no as "runNo", failures_in_row as "failuresInRow", trigger from claimed`,
};

export interface RunClaim {
  readonly jobName: string;
  readonly leaseMs: number;
  /** A run by hand begins at any time, a run by the schedule when it is due. */
  readonly trigger: RunTrigger;
}

export interface ClaimedRun {
  readonly runNo: bigint;
  readonly failuresInRow: number;
  /** `hand` also where the schedule begins what {@link requestJobRun} asked for. */
  readonly trigger: RunTrigger;
}

/**
 * The job is due until the run ends: another process does what a dead or a stopped one leaves, whoever began it.
 *
 * @returns The run that begins; `undefined` when the job is not due, or runs elsewhere. Of several callers one gets it.
 */
export async function claimJob(db: Queryable, { jobName, leaseMs, trigger }: RunClaim): Promise<ClaimedRun | undefined> {
  const [claimed] = await run<ClaimedRun & Record<string, unknown>>(db, CLAIM, [jobName, trigger, leaseMs]);
  return claimed;
}

const REQUEST_RUN: Statement = {
  name: 'request_job_run',
  text: `update job set due_at = now(), requested_run_no = last_run_no + 1
    where job_name = $1 and (lease_until is null or lease_until <= now())
    returning requested_run_no as "runNo"`,
};

/**
 * Makes a job due now.
 *
 * @returns The number of the run that will begin; `undefined` when the job is unknown, or a process runs it.
 */
export async function requestJobRun(db: Queryable, jobName: string): Promise<bigint | undefined> {
  return (await run<{ runNo: bigint }>(db, REQUEST_RUN, [jobName]))[0]?.runNo;
}

const HOLD: Statement = {
  name: 'hold_jobs',
  text: `update job j set lease_until = now() + $1 * interval '1 millisecond'
    where not exists (select from job_run r where r.job_name = j.job_name and r.ended_at is null)`,
};

/** Keeps jobs from beginning for this time, but for those that run, and again when it is called again. */
export async function holdJobs(db: Queryable, holdMs: number): Promise<void> {
  await run(db, HOLD, [holdMs]);
}

const RENEW: Statement = {
  name: 'renew_job_lease',
  text: `update job set lease_until = now() + $3 * interval '1 millisecond'
    where job_name = $1 and last_run_no = $2 and lease_until is not null returning job_name`,
};

/**
 * @returns Whether the run still holds the lease: no other run has begun.
 */
export async function renewJobLease(db: Queryable, jobName: string, runNo: bigint, leaseMs: number): Promise<boolean> {
  return (await run(db, RENEW, [jobName, runNo, leaseMs])).length > 0;
}

export interface RunEnd {
  readonly jobName: string;
  readonly runNo: bigint;
  readonly outcome: RunOutcome;
  readonly result: string | null;
  readonly error: string | null;
  /** `null` leaves the due time unchanged. */
  readonly nextDueAt: Date | null;
}

/** Locks the job before its run, as the claim does. */
const END: Statement = {
  name: 'end_job_run',
  text: `with held as materialized (
      select from job where job_name = $1 and last_run_no = $2 for update
    ), ended as (
      update job_run set ended_at = ${NOW}, outcome = $3, result_json = $4, error = $5
      where job_name = $1 and run_no = $2 and ended_at is null and exists (select from held) returning 1
    )
    update job set lease_until = null,
      due_at = case when requested_run_no > last_run_no then least(due_at, $6) else coalesce($6, due_at) end,
      failures_in_row = case when $3 = 'succeeded' then 0 when $3 = 'failed' then failures_in_row + 1 else failures_in_row end,
      last_success_at = case when $3 = 'succeeded' then ${NOW} else last_success_at end
    where job_name = $1 and last_run_no = $2 and exists (select from ended)
    returning job_name`,
};

/**
 * @returns Whether it still held the lease; otherwise another run has begun, and nothing is written.
 */
export async function endJobRun(db: Queryable, { jobName, runNo, outcome, result, error, nextDueAt }: RunEnd): Promise<boolean> {
  return (await run(db, END, [jobName, runNo, outcome, result, error, nextDueAt])).length > 0;
}
