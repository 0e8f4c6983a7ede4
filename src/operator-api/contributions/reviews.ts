import { REVIEW_REASONS } from '../../domain/rules/contribution-rules.ts';
import { recordNotFound, ServiceError, unavailable } from '../../domain/service-error.ts';
import { readNamesOfPartners } from '../../operations/access/read-names-of-partners.ts';
import { EditedContributionError, UnverifiedRecordError } from '../../operations/audit/unverified-record.ts';
import * as operations from '../../operations/contributions/list-reviews.ts';
import {
  confirmPendingContribution,
  failPendingContribution,
} from '../../operations/contributions/resolve-pending-contribution.ts';
import { readReviewContext } from '../../operations/overview/review-context.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { readTime } from '../../partner-api/validation/read-time.ts';
import type { ContributionId, ContributionRecord } from '../../store/contributions/contribution.ts';
import type { Queryable } from '../../store/database.ts';
import { CommitUnknownError } from '../../store/transaction.ts';
import { LOOKS_AT, pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import {
  closed,
  integerText,
  listOf,
  nullableIntegerText,
  nullableShape,
  nullableText,
  oneOf,
  partnerAnd,
  reason,
  shape,
  text,
  time,
} from '../schema-parts.ts';
import { sorting } from '../sorting.ts';
import { ContributionSummary, contributionSummary, ReviewBody, reviewToWire } from './contribution-schemas.ts';

const order = sorting(['opened_at', 'points'], 'opened_at');

export const listReviews = operatorRoute({
  operation: 'listReviews',
  method: 'GET',
  path: '/operator/v1/reviews',
  tag: 'Reviews',
  summary: 'List pending contributions',
  description: LOOKS_AT,
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      partner_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only those of this partner.' })),
      reason: Type.Optional(oneOf(REVIEW_REASONS, 'Only those that this rule made pending.')),
      opened_before: Type.Optional(
        Type.String({ minLength: 20, maxLength: 40, description: 'Only those that have waited since before this time.' }),
      ),
    },
    closed,
  ),
  answer: pageOf('ReviewPage', 'reviews', ReviewBody, 'The reviews of the page.'),
  async handle({ tools: { database, reviewExpiryHours }, query }) {
    const { partner_id: partnerId, reason: why, opened_before } = query;
    const { page, end } = sortedPage('listReviews', order, query, [partnerId, why, opened_before]);
    const openedBefore = readTime('opened_before', opened_before);
    const found = await operations.listOpenReviews(database, { partnerId, reason: why, openedBefore }, page);
    const names = await readNamesOfPartners(
      database.pool,
      found.page.map(({ record }) => record.partnerId),
    );
    return {
      reviews: found.page.map((review) => reviewToWire(review, { names, reviewExpiryHours })),
      ...end(found.last, found.hasMore),
    };
  },
});

const DayCount = shape('DayCount', {
  day: text('The day, by the calendar of the partner.'),
  points: integerText('The points that count on it.'),
  contributions: integerText('How many contributions count on it.'),
  daily_points_cap: nullableIntegerText(
    'The cap on points of the rule under which the contribution was recorded; `null` without one.',
  ),
  daily_count_cap: nullableIntegerText('The cap on contributions of that rule; `null` without one.'),
});

export const getReview = operatorRoute({
  operation: 'getReview',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/reviews/:transaction_id',
  tag: 'Reviews',
  summary: 'Show a review, with the cap of its day and the history of its order',
  leastRole: 'viewer',
  params: partnerAnd('transaction_id', 'The id of the contribution.'),
  answer: shape('ReviewDetail', {
    ...ReviewBody.properties,
    day: nullableShape(DayCount, 'What counts on its day; `null` where it was not counted.'),
    order_history: listOf(ContributionSummary, 'All contributions of the same order, the earliest first.'),
    review_threshold: nullableIntegerText('The review threshold of the rule under which it was recorded; `null` without one.'),
    correlation_id: nullableText('The correlation id of its request.'),
  }),
  async handle({ tools, params: { partner_id: partnerId, transaction_id: transactionId } }) {
    const { pool } = tools.database;
    const reviewed = await operations.getReview(pool, { partnerId, transactionId });
    if (!reviewed.review) throw neverPending();
    const { day, rules, orderHistory } = await readReviewContext(pool, reviewed);
    const names = await readNamesOfPartners(pool, [partnerId]);
    return {
      ...reviewToWire(reviewed, { names, reviewExpiryHours: tools.reviewExpiryHours }),
      day: day && { ...day, daily_points_cap: rules.dailyPointsCap, daily_count_cap: rules.dailyCountCap },
      order_history: orderHistory.map(contributionSummary),
      review_threshold: rules.reviewThreshold,
      correlation_id: reviewed.record.correlationId,
    };
  },
});

function neverPending(): ServiceError {
  const message = 'This contribution was never pending, so it has no review. Look it up among the contributions of the partner.';
  return recordNotFound('transaction_id', message);
}

const DECIDED_AT_ONCE_MAX = 100;
/** Once one could not get a lock, no further one is tried after this time: the answer has to come within 60 s. */
const TRIED_WITHIN_MS = 40_000;

const EarlierDecision = shape('EarlierDecision', {
  status: oneOf(['confirmed', 'failed'], 'What the contribution became.'),
  decided_by: text('Who decided; `schedule` where it expired.'),
  decided_at: time('When it was decided.'),
});

export const decideReviews = operatorRoute({
  operation: 'decideReviews',
  method: 'POST',
  path: '/operator/v1/reviews/decisions',
  tag: 'Reviews',
  summary: 'Confirm or fail pending contributions, permanently',
  description:
    'One reason for up to 100 contributions. Each is decided by itself: the answer says for each whether it was decided, or why not. A failed contribution allows the partner to restore the points.',
  leastRole: confirmPendingContribution.leastRole,
  isFinal: true,
  deadlineMs: 60_000,
  body: Type.Object(
    {
      decision: oneOf(['confirm', 'fail'], 'What becomes of them.'),
      reason,
      contributions: Type.Array(
        Type.Object(
          {
            partner_id: Type.String({ minLength: 1, maxLength: 64, description: 'The partner.' }),
            transaction_id: Type.String({ minLength: 1, maxLength: 64, description: 'The contribution.' }),
          },
          closed,
        ),
        { minItems: 1, maxItems: DECIDED_AT_ONCE_MAX, description: 'The contributions; 100 at most.' },
      ),
    },
    closed,
  ),
  answer: shape('ReviewDecisions', {
    decisions: listOf(
      shape('ReviewDecision', {
        partner_id: text('The partner.'),
        transaction_id: text('The contribution.'),
        status: oneOf(['confirmed', 'failed', 'not_decided'], 'What it is now; `not_decided` where `error` says why.'),
        error: nullableText('Why the review was not decided; `null` where it was.'),
        error_code: nullableText(
          'The code of the error: one of the interface, or `record_modified` for a contribution that was edited in the database; `null` where it was decided.',
        ),
        earlier: nullableShape(EarlierDecision, 'The decision that came before this one; `null` without one.'),
      }),
      'One for each contribution, in the order of the request.',
    ),
  }),
  async handle({ tools: { database }, actor, work, body: { decision, reason: note, contributions } }) {
    const decide = decision === 'confirm' ? confirmPendingContribution : failPendingContribution;
    const wanted = decision === 'confirm' ? 'confirmed' : 'failed';
    const decideOne = async (id: ContributionId): Promise<object> => {
      const findOwn = () => findDecided(database.pool, id, { by: actor.operatorId, status: wanted });
      const left = work.isTakenOver ? await findOwn() : undefined;
      const { contribution } = left ?? (await decide(database, actor, id, note).catch((error) => findIfUnknown(error, findOwn)));
      return { status: contribution.status, error: null, error_code: null, earlier: null };
    };
    const decisions: object[] = [];
    const untilMs = performance.now() + TRIED_WITHIN_MS;
    let forRest: Refusal | undefined;
    for (const { partner_id, transaction_id } of contributions) {
      const id = { partnerId: partner_id, transactionId: transaction_id };
      const tell = (decided: object) => void decisions.push({ partner_id, transaction_id, ...decided });
      if (forRest && (forRest.code !== UNAVAILABLE || performance.now() >= untilMs)) {
        tell(notDecided(forRest, null));
        continue;
      }
      try {
        tell(await decideOne(id));
      } catch (error) {
        const refusal = refusalOf(error);
        if (MAY_CONCERN_REST.has(refusal.code)) forRest = refusal;
        tell(notDecided(refusal, refusal.code === 'contribution_not_found' ? null : await findEarlier(database.pool, id)));
      }
    }
    return { decisions };
  },
});

/** Another change holds a lock: the rest is tried for a time. */
const UNAVAILABLE = 'internal_service_unavailable';
/** With the others the sign-in ended meanwhile, or the operator was disabled or got a lower role: the rest is not tried. */
const MAY_CONCERN_REST: ReadonlySet<string> = new Set([UNAVAILABLE, 'unauthorized', 'forbidden']);

interface Refusal {
  readonly message: string;
  readonly code: string;
}

/**
 * Why one is not decided. It holds up no other.
 *
 * @throws What concerns the others too. Of an edited record it is ServiceError `internal_service_unavailable`: earlier ones of the list may
 * be decided, which a refusal would deny, and the key of the request stays claimed.
 */
function refusalOf(error: unknown): Refusal {
  if (error instanceof EditedContributionError) return { message: error.message, code: 'record_modified' };
  if (error instanceof ServiceError) return error;
  if (error instanceof UnverifiedRecordError)
    throw unavailable('The service could not complete the decisions; their outcome is unknown.', { cause: error });
  throw error;
}

/**
 * After a COMMIT without an answer: what is recorded.
 *
 * @throws The error, any other one, or where the decision is not found, or cannot be read: it may be recorded yet.
 */
async function findIfUnknown(
  error: unknown,
  findOwn: () => Promise<ContributionRecord | undefined>,
): Promise<ContributionRecord> {
  const found = error instanceof CommitUnknownError ? await findOwn().catch(() => undefined) : undefined;
  if (found) return found;
  throw error;
}

function notDecided({ message, code }: Refusal, earlier: object | null): object {
  return { status: 'not_decided', error: message, error_code: code, earlier };
}

/** Who was faster. */
async function findEarlier(db: Queryable, id: ContributionId): Promise<object | null> {
  const { record, review } = await operations.getReview(db, id);
  if (!review?.resolvedAt) return null;
  return { status: record.contribution.status, decided_by: review.resolvedBy, decided_at: review.resolvedAt };
}

/** What the same request has decided, be it before its process died or by a COMMIT without an answer. */
async function findDecided(
  db: Queryable,
  id: ContributionId,
  { by, status }: { readonly by: string; readonly status: string },
): Promise<ContributionRecord | undefined> {
  const { record, review } = await operations.getReview(db, id);
  return review?.resolvedBy === by && record.contribution.status === status ? record : undefined;
}
