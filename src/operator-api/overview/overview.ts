import { readOverview } from '../../operations/overview/read-overview.ts';
import { operatorRoute } from '../route.ts';
import {
  BoundedCount,
  boundedToWire,
  count,
  flag,
  integerText,
  listOf,
  nullableTime,
  shape,
  text,
  time,
} from '../schema-parts.ts';

const Job = shape('JobState', {
  job: text('The name of the job.'),
  due_at: time('When it runs next.'),
  is_running: flag('Whether a process runs it now.'),
  failures_in_row: count('How many runs failed since the last that succeeded.'),
  last_success_at: nullableTime('When a run last succeeded; `null` before the first.'),
});

const Overview = shape('Overview', {
  as_of: time(
    'The moment of these numbers, 5 s ago at most. What an operator changed through the same process is in them. The settlements without an acknowledgement were counted then, or up to 60 s before where counting takes long.',
  ),
  reviews: shape('WaitingReviews', {
    count: count('How many pending contributions wait for a decision, as far as they were counted.'),
    is_more: flag('Whether there are more: the count stops at 1,000.'),
    points: integerText('The points of those that were counted.'),
    next_expires_at: nullableTime('When the longest waiting one fails by itself; `null` when none waits.'),
  }),
  adjustments_to_approve: BoundedCount,
  adjustments_to_post: BoundedCount,
  failures_to_approve: BoundedCount,
  batches_to_verify: BoundedCount,
  disputes: shape('OpenDisputes', {
    count: count('How many settlements a partner disputes, as far as they were counted.'),
    is_more: flag('Whether there are more: the count stops at 1,000.'),
    answered: count('To how many of those that were counted an operator recorded what the partner was told.'),
  }),
  unacknowledged_settlements: BoundedCount,
  webhooks: shape('WebhookState', {
    disabled: count('Endpoints that are disabled: their events are held.'),
    failing: count('Endpoints whose last deliveries failed.'),
    waiting: count('Deliveries that wait for active endpoints. The count stops at 10,000.'),
    oldest_waiting_seconds: count('How long the oldest of them has waited, in seconds.'),
    exhausted: count('Deliveries whose attempts are spent. The count stops at 10,000.'),
  }),
  jobs: listOf(Job, 'The jobs of the schedule.'),
});

export const getOverview = operatorRoute({
  operation: 'getOverview',
  method: 'GET',
  path: '/operator/v1/overview',
  tag: 'Overview',
  summary: 'Show what waits for operators',
  leastRole: 'viewer',
  answer: Overview,
  async handle({ tools }) {
    const { asOf, reviews, webhooks, jobs, ...waiting } = await readOverview(tools.database, tools);
    return {
      as_of: asOf,
      reviews: { ...boundedToWire(reviews), points: reviews.points, next_expires_at: reviews.nextExpiryAt },
      adjustments_to_approve: boundedToWire(waiting.adjustmentsToApprove),
      adjustments_to_post: boundedToWire(waiting.adjustmentsToPost),
      failures_to_approve: boundedToWire(waiting.failuresToApprove),
      batches_to_verify: boundedToWire(waiting.batchesToVerify),
      disputes: { ...boundedToWire(waiting.disputes), answered: waiting.disputes.answered },
      unacknowledged_settlements: boundedToWire(waiting.unacknowledged),
      webhooks: {
        disabled: webhooks.disabled,
        failing: webhooks.failing,
        waiting: webhooks.waiting,
        exhausted: webhooks.exhausted,
        oldest_waiting_seconds: Math.round(webhooks.oldestWaitingSeconds),
      },
      jobs: jobs.map(({ jobName, dueAt, leaseUntil, failuresInRow, lastSuccessAt }) => ({
        job: jobName,
        due_at: dueAt,
        is_running: leaseUntil !== null && leaseUntil > asOf,
        failures_in_row: failuresInRow,
        last_success_at: lastSuccessAt,
      })),
    };
  },
});
