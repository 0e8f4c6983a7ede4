import { readFilteredPage, wantedBy } from '../../operations/filtered-page.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { type JobRun, listRunsInOrder } from '../../store/jobs/job-run.ts';
import { LOOKS_AT, pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, integerText, nullableOneOf, nullableText, nullableTime, oneOf, shape, text, time } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';

const Run = shape('JobRun', {
  job: text('The name of the job.'),
  run_no: integerText('The number of the run among those of the job.'),
  trigger: oneOf(['schedule', 'hand'], 'Whether the clock or an operator started it.'),
  started_at: time('When it began.'),
  ended_at: nullableTime('When it ended; `null` while it runs.'),
  outcome: nullableOneOf(['succeeded', 'failed', 'stopped', 'abandoned'], 'How it ended; `null` while it runs.'),
  result_json: nullableText(
    'What it did, as JSON text; of a run that failed or was stopped, what it had found before, or `null`.',
  ),
  error: nullableText('Why the run failed; `null` unless it did.'),
});

const order = sorting(['started_at'], '-started_at');
const OUTCOMES = ['succeeded', 'failed', 'stopped', 'abandoned'] as const;

export const listJobRuns = operatorRoute({
  operation: 'listJobRuns',
  method: 'GET',
  path: '/operator/v1/job-runs',
  tag: 'Jobs',
  summary: 'List the runs of jobs',
  description: LOOKS_AT,
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      job: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only those of this job.' })),
      outcome: Type.Optional(oneOf(OUTCOMES, 'Only those that ended so.')),
      trigger: Type.Optional(oneOf(['schedule', 'hand'], 'Only those that the clock started, or an operator.')),
    },
    closed,
  ),
  answer: pageOf('JobRunPage', 'runs', Run, 'The runs of the page.'),
  async handle({ tools: { database }, query }) {
    const { job: jobName, outcome, trigger } = query;
    const { page, end } = sortedPage('listJobRuns', order, query, [jobName, outcome, trigger]);
    const found = await readFilteredPage({
      page,
      read: (part) => listRunsInOrder(database.pool, jobName, part),
      isWanted: wantedBy({ outcome, trigger }),
    });
    return { runs: found.page.map(runToWire), ...end(found.last, found.hasMore) };
  },
});

function runToWire({ jobName, runNo, trigger, startedAt, endedAt, outcome, result, error }: JobRun) {
  return { job: jobName, run_no: runNo, trigger, started_at: startedAt, ended_at: endedAt, outcome, result_json: result, error };
}
