import { ServiceError } from '../domain/service-error.ts';
import { approveFailure, draftFailure, rejectFailure } from '../operations/contributions/record-failure.ts';
import { confirmPendingContribution, failPendingContribution } from '../operations/contributions/resolve-pending-contribution.ts';
import { type ContributionId, findContributionsById } from '../store/contributions/contribution.ts';
import { listWaitingReviews } from '../store/contributions/waiting-review.ts';
import { DAY_MS, HOUR_MS, type Plan } from './plan.ts';
import type { Sample, Scene } from './sample.ts';
import { PARTNERS, type Slug } from './sample-partners.ts';

const EXPIRE = 'expire-pending';
/** From then on the reviews wait for the person who looks. */
const LEFT_OPEN_HOURS = 64;
const REVIEWED_AT_ONCE = 50;

/** Operators decide reviews twice a day, and leave some until they expire; they record what could not be confirmed. */
export function decisionScenes({ startsAt, endsAt }: Plan): Scene[] {
  const scenes: Scene[] = [];
  const lastAt = endsAt.getTime() - LEFT_OPEN_HOURS * HOUR_MS;
  for (let at = startsAt.getTime() + DAY_MS; at < lastAt; at += 12 * HOUR_MS) scenes.push({ at: new Date(at), run: review });
  for (let at = startsAt.getTime() + 4 * DAY_MS; at < endsAt.getTime(); at += DAY_MS)
    scenes.push({ at: new Date(at + HOUR_MS), run: expire });
  return [...scenes, ...failureScenes(endsAt)];
}

async function review(sample: Sample): Promise<void> {
  const { pool } = sample.past;
  for (const { slug } of PARTNERS) {
    const partnerId = await sample.partnerId(slug);
    const order = { by: 'opened_at', isDescending: false } as const;
    const open = await listWaitingReviews(pool, { partnerId }, { order, after: undefined, limit: REVIEWED_AT_ONCE });
    const ids = open.map(({ transactionId }) => ({ partnerId, transactionId }));
    for (const { contribution } of await findContributionsById(pool, ids))
      await decide(
        sample,
        { partnerId, transactionId: contribution.transactionId },
        Number(contribution.partnerEventId.slice(-5)),
      );
  }
}

/** Decides one review. Of seven, four are confirmed, two fail, and one is left until it expires. */
async function decide(sample: Sample, pending: ContributionId, number: number): Promise<void> {
  if (number % 7 === 0) return;
  const operator = await sample.person(number % 2 === 0 ? 'approver' : 'operator');
  const work =
    number % 7 < 3
      ? failPendingContribution(sample.past, operator, pending, 'The order was cancelled before it was paid.')
      : confirmPendingContribution(sample.past, operator, pending, 'The partner confirmed the order by telephone.');
  await work.catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
}

async function expire(sample: Sample): Promise<void> {
  const { jobs, signal } = sample.tools;
  const job = jobs.find(({ name }) => name === EXPIRE);
  await job?.run({ database: sample.past, signal, actor: sample.account('schedule'), alert: () => {} });
}

function failureScenes(endsAt: Date): Scene[] {
  const before = (hours: number) => new Date(endsAt.getTime() - hours * HOUR_MS);
  return [
    { at: before(41 * 24), run: (sample) => draft(sample, 'brightline', 1) },
    { at: before(41 * 24 - 3), run: (sample) => end(sample, 'brightline', 1, 'approved') },
    { at: before(20 * 24), run: (sample) => draft(sample, 'nordlicht', 2) },
    { at: before(20 * 24 - 5), run: (sample) => end(sample, 'nordlicht', 2, 'rejected') },
    { at: before(18), run: (sample) => draft(sample, 'oasis', 3) },
    { at: before(7), run: (sample) => draft(sample, 'kiku', 4) },
  ];
}

async function draft(sample: Sample, slug: Slug, number: number): Promise<void> {
  const event = {
    partnerId: await sample.partnerId(slug),
    partnerEventId: `${slug}-lost-event-${number}`,
    partnerOrderRef: `${slug}-lost-order-${number}`,
    points: BigInt(120 * number),
    reason: 'The order was deleted at the partner before the points were confirmed.',
  };
  await sample.once(
    `failure ${number}`,
    async (database) => draftFailure(database, await sample.person('operator'), event),
    ({ failureId }: { failureId: string }) => failureId,
  );
}

async function end(sample: Sample, slug: Slug, number: number, how: 'approved' | 'rejected'): Promise<void> {
  const id = { partnerId: await sample.partnerId(slug), failureId: await sample.resultOf(`failure ${number}`) };
  const approver = await sample.person('approver');
  await sample.change(`failure ${number} ${how}`, (database) =>
    how === 'approved' ? approveFailure(database, approver, id) : rejectFailure(database, approver, id),
  );
}
