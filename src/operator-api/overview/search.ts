import { searchRecords } from '../../operations/overview/search-records.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { PartnerName } from '../access/partner-schemas.ts';
import { ContributionSummary, contributionSummary } from '../contributions/contribution-schemas.ts';
import { operatorRoute } from '../route.ts';
import { closed, listOf, nullableText, oneOf, shape, text } from '../schema-parts.ts';

const KINDS = [
  ...['settlement', 'adjustment', 'endpoint', 'delivery', 'event', 'estimate', 'reconciliation', 'failure'],
  ...['impact_batch', 'project', 'operator'],
] as const;

const SearchResult = shape('SearchResult', {
  contributions: listOf(
    shape('FoundContribution', {
      ...ContributionSummary.properties,
      found_by: listOf(text('The field.'), 'The fields that have the text.'),
    }),
    'Contributions with this id, event, order, key or correlation id; 20 at most.',
  ),
  partners: listOf(PartnerName, 'Partners whose id it is, or whose name holds it; 10 at most.'),
  records: listOf(
    shape('FoundRecord', {
      kind: oneOf(KINDS, 'What it is.'),
      partner_id: nullableText('Whose it is; `null` where it belongs to no partner.'),
      id: text('Its id.'),
    }),
    'Other records with this id.',
  ),
});

export const search = operatorRoute({
  operation: 'search',
  method: 'GET',
  path: '/operator/v1/search',
  tag: 'Search',
  summary: 'Find a record by what was sent of it',
  description:
    'A contribution by `transaction_id`, `partner_event_id`, `partner_order_ref`, `Idempotency-Key`, or by the correlation id of its request if the service made that id. A partner by its id or a part of its name. Any other record by its id. The service keeps no index of correlation ids that partners choose: use the list of contributions of the partner for these.',
  leastRole: 'viewer',
  query: Type.Object(
    {
      q: Type.String({
        minLength: 2,
        maxLength: 200,
        description: 'What to find. Everything but partner names must match exactly.',
      }),
    },
    closed,
  ),
  answer: SearchResult,
  async handle({ tools: { database }, query: { q } }) {
    const { contributions, partners, records } = await searchRecords(database, q.trim());
    return {
      contributions: contributions.map((record) => ({ ...contributionSummary(record), found_by: record.foundBy })),
      partners: partners.map(({ partnerId, name }) => ({ partner_id: partnerId, name })),
      records: records.map(({ kind, partnerId, id }) => ({ kind, partner_id: partnerId, id })),
    };
  },
});
