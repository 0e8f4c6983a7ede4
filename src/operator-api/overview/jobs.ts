import type { Actor } from '../../domain/access/role.ts';
import { recordNotFound } from '../../domain/service-error.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { readClock } from '../../store/clock.ts';
import { listJobStates } from '../../store/jobs/job.ts';
import { operatorRoute } from '../route.ts';
import { closed, count, flag, idParams, integerText, listOf, nullableTime, oneOf, shape, text } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';

export interface JobDescription {
  readonly name: string;
  readonly description: string;
  /** In the form of cron, in UTC. */
  readonly pattern: string;
}

/** What the schedule gives to this interface, which does not know it. */
export interface JobTools {
  readonly all: readonly JobDescription[];
  /** Begins a run, which ends by itself. Throws `forbidden`; `invalid_request` while another process runs it, and while no job begins. */
  begin(actor: Actor, name: string): Promise<bigint>;
}

const JobBody = shape('Job', {
  job: text('The name of the job.'),
  description: text('What it does.'),
  pattern: text('When it runs, in the form of cron, in UTC.'),
  due_at: nullableTime('When it runs next; `null` before it is known.'),
  is_running: flag('Whether a process runs it now.'),
  failures_in_row: count('How many runs failed since the last that succeeded.'),
  last_success_at: nullableTime('When a run last succeeded; `null` before the first.'),
});

const order = sorting(['job', 'due_at'], 'job');
const STATES = ['running', 'failing', 'healthy', 'not_run'] as const;
const STATE_HELP =
  'Only those that stand so. One that failed and runs again is `failing` and `running`. `not_run` are those of which no run has succeeded, failed or goes on.';

export const listJobs = operatorRoute({
  operation: 'listJobs',
  method: 'GET',
  path: '/operator/v1/jobs',
  tag: 'Jobs',
  summary: 'List all jobs, with what they do and how they stand',
  leastRole: 'viewer',
  query: Type.Object({ ...order.member, state: Type.Optional(oneOf(STATES, STATE_HELP)) }, closed),
  answer: shape('Jobs', { jobs: listOf(JobBody, 'All jobs.') }),
  async handle({ tools: { database, jobs }, query }) {
    const states = new Map((await listJobStates(database.pool)).map((state) => [state.jobName, state]));
    const now = await readClock(database.pool);
    const all = jobs.all.map(({ name, description, pattern }) => {
      const state = states.get(name);
      const until = state?.leaseUntil ?? null;
      return {
        job: name,
        description,
        pattern,
        due_at: state?.dueAt ?? null,
        is_running: until !== null && until > now,
        failures_in_row: state?.failuresInRow ?? 0,
        last_success_at: state?.lastSuccessAt ?? null,
      };
    });
    const { by, isDescending } = order.orderOf(query);
    const keyOf = (job: (typeof all)[number]) => (by === 'job' ? job.job : (job.due_at?.toISOString() ?? ''));
    const sorted = all
      .filter((job) => query.state === undefined || statesOf(job).includes(query.state))
      .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    return { jobs: isDescending ? sorted.toReversed() : sorted };
  },
});

interface Standing {
  readonly is_running: boolean;
  readonly failures_in_row: number;
  readonly last_success_at: Date | null;
}

function statesOf({ is_running, failures_in_row, last_success_at }: Standing): readonly (typeof STATES)[number][] {
  if (is_running) return failures_in_row > 0 ? ['running', 'failing'] : ['running'];
  if (failures_in_row > 0) return ['failing'];
  return [last_success_at === null ? 'not_run' : 'healthy'];
}

export const runJob = operatorRoute({
  operation: 'runJob',
  method: 'POST',
  path: '/operator/v1/jobs/:job/run',
  tag: 'Jobs',
  summary: 'Begin a run of a job now, due or not',
  description:
    "It may be repeated without harm. The list of runs says how it ends. It is refused in the minute after the database's clock was set forward, or the machine of the service was suspended, by ten minutes or more, and stops when that happens meanwhile.",
  leastRole: 'operator',
  isFinal: true,
  params: idParams('job', 'The name of the job.'),
  answer: shape('BegunRun', {
    job: text('The name of the job.'),
    run_no: integerText('The number of the run among those of the job.'),
  }),
  async handle({ tools: { jobs }, actor, params: { job } }) {
    if (!jobs.all.some(({ name }) => name === job)) throw recordNotFound('job', `There is no job ${job}.`);
    return { job, run_no: await jobs.begin(actor, job) };
  },
});
