import type { Config } from '../config.ts';
import type { Job, JobResult } from '../schedule/job.ts';
import { listJobs } from '../schedule/jobs.ts';
import { requestRun, waitForRun } from '../schedule/request-run.ts';
import { configuredSettlementTools } from '../service/keys/configured-seals.ts';
import { readClock } from '../store/clock.ts';
import { type JobState, listJobStates } from '../store/jobs/job.ts';
import { type JobRun, listJobRuns } from '../store/jobs/job-run.ts';
import { readExactJson } from '../wire/exact-json.ts';
import { UsageError } from './terminal/options.ts';
import { formatTime, printFields, printJson, printProgress, printTable, type Row } from './terminal/output.ts';
import { type PageOptions, printPage, readAfterTime } from './terminal/page.ts';
import { ProgramCommand } from './terminal/program-command.ts';
import { type OperatorContext, withOperator } from './terminal/with-operator.ts';

interface JsonOption {
  readonly json?: boolean;
}

export function jobCommand(): ProgramCommand {
  const job = new ProgramCommand('job').description('jobs: scheduled work of the service');
  job
    .command('list')
    .description('all jobs, when each is due, and its state; the hours and days are those of the settings of this shell')
    .option('--json', 'one JSON array, for programs')
    .action(withOperator('viewer', list));
  job
    .command('run')
    .description('let the service run a job now, due or not, and wait for its end; it may be repeated without harm')
    .argument('<name>', 'name of the job')
    .option('--json', 'one JSON object, for programs')
    .action(withOperator(requestRun.leastRole, runOne));
  job
    .command('history')
    .description('runs, the newest first')
    .option('--job <name>', 'only of this job')
    .paged()
    .action(withOperator('viewer', history));
  return job;
}

async function list({ database, config }: OperatorContext, { json }: JsonOption): Promise<void> {
  const states = new Map((await listJobStates(database.pool)).map((state) => [state.jobName, state]));
  const jobs = listJobs({ ...config, settlementTools: configuredSettlementTools(config) }).map((job) => ({
    job,
    state: states.get(job.name),
  }));
  if (json) return printJson(jobs.map(({ job, state }) => jobToJson(job, state)));
  const now = await readClock(database.pool);
  printTable(
    jobs.map(({ job, state }) => jobToRow(job, state, now)),
    'There is no job.',
  );
}

/** By the settings of the service: those of this shell may be others. */
async function runOne({ database, config, actor }: OperatorContext, name: string, { json }: JsonOption): Promise<void> {
  requireKnown(name, config);
  const runNo = await requestRun(database, actor, name);
  printProgress(`The service runs the job ${name}; this command waits for its end.`);
  const { outcome, result, error, startedAt, endedAt } = await waitForRun(database.pool, { jobName: name, runNo });
  if (outcome !== 'succeeded') process.exitCode = 1;
  const milliseconds = endedAt.getTime() - startedAt.getTime();
  if (json)
    return printJson({
      job: name,
      run_no: runNo,
      outcome,
      result: result === null ? null : readExactJson(result),
      error,
      milliseconds,
    });
  const ms = String(milliseconds);
  printFields({ job: name, run: String(runNo), outcome, ...(error && { error }), ...inWords(JSON.parse(result ?? 'null')), ms });
}

/** @throws UsageError For an unknown name. */
function requireKnown(name: string, config: Config): void {
  const names = listJobs({ ...config, settlementTools: configuredSettlementTools(config) }).map((job) => job.name);
  if (!names.includes(name)) throw new UsageError(`There is no job ${name}. The jobs are ${names.join(', ')}.`);
}

async function history({ database, config }: OperatorContext, options: PageOptions & { job?: string }): Promise<void> {
  const [, startedAt = '', runNo = '', jobName = ''] = readAfterTime(options, /^(\S+)\/(-?\d{1,18})\/([\w-]+)$/) ?? [];
  const before = startedAt === '' ? undefined : { startedAt, runNo, jobName };
  const runs = await listJobRuns(database.pool, { jobName: options.job, before, limit: options.limit + 1 });
  if (runs.length === 0 && options.job !== undefined) requireKnown(options.job, config);
  const cursorOf = (run: JobRun) => `${run.startedAt.toISOString()}/${run.runNo}/${run.jobName}`;
  printPage(runs, options, { cursorOf, toJson: runToJson, toRow: runToRow, ifNone: 'No job has run yet.' });
}

function statusOf({ leaseUntil, failuresInRow }: JobState, now: Date): string {
  if (leaseUntil !== null) return leaseUntil > now ? 'running' : 'abandoned';
  return failuresInRow > 0 ? `failed ${failuresInRow} times` : 'waiting';
}

function jobToJson({ name, description, pattern }: Job, state: JobState | undefined): object {
  return {
    job: name,
    description,
    pattern,
    due_at: state?.dueAt ?? null,
    running_until: state?.leaseUntil ?? null,
    failures_in_row: state?.failuresInRow ?? 0,
    last_success_at: state?.lastSuccessAt ?? null,
    runs: state?.lastRunNo ?? 0n,
  };
}

function jobToRow({ name, description, pattern }: Job, state: JobState | undefined, now: Date): Row {
  return {
    job: name,
    status: state ? statusOf(state, now) : 'not started yet',
    pattern,
    due: formatTime(state?.dueAt ?? null),
    'last success': formatTime(state?.lastSuccessAt ?? null),
    description,
  };
}

function runToJson({ jobName, runNo, trigger, startedAt, endedAt, outcome, result, error }: JobRun): object {
  return {
    job: jobName,
    run_no: runNo,
    trigger,
    started_at: startedAt,
    ended_at: endedAt,
    outcome,
    result: result === null ? null : readExactJson(result),
    error,
  };
}

function runToRow({ jobName, runNo, trigger, startedAt, endedAt, outcome, result, error }: JobRun): Row {
  const counts = result === null ? {} : inWords(JSON.parse(result));
  return {
    job: jobName,
    run: String(runNo),
    trigger,
    started: formatTime(startedAt),
    ended: formatTime(endedAt),
    outcome: outcome ?? 'running',
    result:
      error ??
      Object.entries(counts)
        .map(([name, count]) => `${name} ${count}`)
        .join(', '),
  };
}

function inWords(result: JobResult | null): Row {
  return Object.fromEntries(Object.entries(result ?? {}).map(([name, count]) => [name, String(count)]));
}
