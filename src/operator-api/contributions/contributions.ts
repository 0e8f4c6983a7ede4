import { CONTRIBUTION_STATUSES } from '../../domain/contributions/contribution-status.ts';
import { readNamesOfPartners } from '../../operations/access/read-names-of-partners.ts';
import { listContributionsOfPartner, listLatest } from '../../operations/contributions/list-contributions-for-operators.ts';
import { getReview } from '../../operations/contributions/list-reviews.ts';
import { readContributionWorth } from '../../operations/contributions/read-contribution-worth.ts';
import { readTimeline } from '../../operations/overview/contribution-timeline.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { readTime } from '../../partner-api/validation/read-time.ts';
import { LOOKS_AT, pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, listOf, oneOf, partnerAnd, shape } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';
import {
  ContributionBody,
  ContributionSummary,
  contributionSummary,
  contributionToWire,
  NamedContribution,
  namedContribution,
  TimelineEntryBody,
  timelineToWire,
} from './contribution-schemas.ts';

const timeOf = (description: string) => Type.Optional(Type.String({ minLength: 20, maxLength: 40, description }));

const order = sorting(['created_at'], '-created_at');

export const listContributions = operatorRoute({
  operation: 'listContributions',
  method: 'GET',
  path: '/operator/v1/contributions',
  tag: 'Contributions',
  summary: 'List the contributions of a partner',
  description: LOOKS_AT,
  leastRole: 'viewer',
  query: Type.Object(
    {
      partner_id: Type.String({ minLength: 1, maxLength: 64, description: 'The partner.' }),
      ...pageMembersOfQuery,
      ...order.member,
      status: Type.Optional(oneOf(CONTRIBUTION_STATUSES, 'Only those of this status.')),
      correlation_id: Type.Optional(
        Type.String({ minLength: 8, maxLength: 128, description: 'Only those of requests with this correlation id.' }),
      ),
      of: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description: 'Only those with this order, event id, transaction id or idempotency key, which must match exactly.',
        }),
      ),
      created_after: timeOf('Only those that were recorded at this time or later.'),
      created_before: timeOf('Only those that were recorded before this time.'),
    },
    closed,
  ),
  answer: pageOf('ContributionPage', 'contributions', ContributionSummary, 'The contributions of the page.'),
  async handle({ tools: { database }, query }) {
    const { partner_id: partnerId, status, correlation_id: correlationId, of, created_after, created_before } = query;
    const filters = [partnerId, status, correlationId, of, created_after, created_before];
    const { page, end } = sortedPage('listContributions', order, query, filters);
    const wanted = {
      partnerId,
      status,
      correlationId,
      of: of?.trim(),
      createdAfter: readTime('created_after', created_after),
      createdBefore: readTime('created_before', created_before),
    };
    const found = await listContributionsOfPartner(database.pool, wanted, page);
    return { contributions: found.page.map(contributionSummary), ...end(found.last, found.hasMore) };
  },
});

export const getLatestContributions = operatorRoute({
  operation: 'getLatestContributions',
  method: 'GET',
  path: '/operator/v1/latest-contributions',
  tag: 'Contributions',
  summary: 'Show the latest contributions of all partners',
  description: 'The 50 latest, the latest first. The list of a partner has all of them.',
  leastRole: 'viewer',
  answer: shape('LatestContributions', { contributions: listOf(NamedContribution, 'The contributions.') }),
  async handle({ tools: { database } }) {
    const latest = await listLatest(database);
    const names = await readNamesOfPartners(
      database.pool,
      latest.map(({ partnerId }) => partnerId),
    );
    return { contributions: latest.map((record) => namedContribution(record, names)) };
  },
});

const params = partnerAnd('transaction_id', 'The id of the contribution.');

export const getContribution = operatorRoute({
  operation: 'getContribution',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/contributions/:transaction_id',
  tag: 'Contributions',
  summary: 'Show a contribution',
  leastRole: 'viewer',
  params,
  answer: ContributionBody,
  async handle({ tools: { database }, params: { partner_id: partnerId, transaction_id: transactionId } }) {
    const { record } = await getReview(database.pool, { partnerId, transactionId });
    return contributionToWire(record, await readContributionWorth(database.pool, record));
  },
});

export const getContributionTimeline = operatorRoute({
  operation: 'getContributionTimeline',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/contributions/:transaction_id/timeline',
  tag: 'Contributions',
  summary: 'Show all that happened to a contribution, in the order of time',
  description:
    'The request, the review, the link to an estimate, events with each attempt to deliver them, the settlement, adjustments, and changes by operators.',
  leastRole: 'viewer',
  params,
  answer: shape('ContributionTimeline', { entries: listOf(TimelineEntryBody, 'What happened, the earliest first.') }),
  async handle({ tools: { database }, params: { partner_id: partnerId, transaction_id: transactionId } }) {
    const { record } = await getReview(database.pool, { partnerId, transactionId });
    return { entries: (await readTimeline(database.pool, record)).map(timelineToWire) };
  },
});
