import { Type } from '../../partner-api/schema-type.ts';
import { type JobRun, listJobRuns } from '../../store/jobs/job.ts';
import { limitOf, listNamed, pageMembers, pageMembersOfQuery, pageOf, placeIn } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, integerText, nullableOneOf, nullableText, nullableTime, oneOf, shape, text, time } from '../schema-parts.ts';

const Run = shape('JobRun', {
  job: text('The name of the job.'),
  run_no: integerText('Its number among the runs of the job.'),
  trigger: oneOf(['schedule', 'hand'], 'Whether the clock or an operator started it.'),
  started_at: time('When it began.'),
  ended_at: nullableTime('When it ended; `null` while it runs.'),
  outcome: nullableOneOf(['succeeded', 'failed', 'stopped', 'abandoned'], 'How it ended; `null` while it runs.'),
  result_json: nullableText('What it did, as JSON text; `null` unless it succeeded.'),
  error: nullableText('Why it failed; `null` unless it did.'),
});

export const listRuns = operatorRoute({
  operation: 'listJobRuns',
  method: 'GET',
  path: '/operator/v1/job-runs',
  tag: 'Jobs',
  summary: 'List the runs of jobs, the latest first',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      job: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only those of this job.' })),
    },
    closed,
  ),
  answer: pageOf('JobRunPage', 'runs', Run, 'The runs of the page.'),
  async handle({ tools: { database }, query }) {
    const { job: jobName } = query;
    const list = listNamed('listJobRuns', [jobName]);
    const place = placeIn(list, query);
    const limit = limitOf(query);
    const found = await listJobRuns(database.pool, { jobName, before: readPlace(place), limit: limit + 1 });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      runs: page.map(runToWire),
      ...pageMembers(list, last ? `${last.startedAt.toISOString()}/${last.runNo}/${last.jobName}` : place, found.length > limit),
    };
  },
});

function readPlace(place: string) {
  const [startedAt = '', runNo = '', jobName = ''] = place.split('/');
  return place === '' ? undefined : { startedAt, runNo, jobName };
}

function runToWire({ jobName, runNo, trigger, startedAt, endedAt, outcome, result, error }: JobRun) {
  return { job: jobName, run_no: runNo, trigger, started_at: startedAt, ended_at: endedAt, outcome, result_json: result, error };
}
