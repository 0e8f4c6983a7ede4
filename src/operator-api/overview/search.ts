import { ID_PREFIXES, timeOfId } from '../../domain/identifiers.ts';
import { readNamesOfPartners } from '../../operations/access/read-names-of-partners.ts';
import { explainLeftOut } from '../../operations/overview/lost-partners.ts';
import { searchRecords } from '../../operations/overview/search-records.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { PartnerName } from '../access/partner-schemas.ts';
import { NamedContribution, namedContribution } from '../contributions/contribution-schemas.ts';
import { operatorRoute } from '../route.ts';
import { closed, listOf, nullableText, nullableTime, oneOf, shape, text, time } from '../schema-parts.ts';

const KINDS = [
  'settlement',
  'adjustment',
  'endpoint',
  'delivery',
  'event',
  'estimate',
  'reconciliation',
  'failure',
  'impact_batch',
  'project',
  'operator',
] as const;

const SearchResult = shape('SearchResult', {
  contributions: listOf(
    shape('FoundContribution', {
      ...NamedContribution.properties,
      found_by: listOf(text('The field.'), 'The fields that are the text or begin with it.'),
    }),
    'Contributions with this id or correlation id, or whose event, order or key begins so, the whole ones first, then the newest. Of more than 20 it has those whose names sort first.',
  ),
  partners: listOf(
    shape('FoundPartner', {
      ...PartnerName.properties,
      status: oneOf(['active', 'suspended'], 'A suspended partner records nothing new.'),
      created_at: time('When it was created.'),
    }),
    'Partners whose id it is, or whose name holds it, the newest first; 10 at most.',
  ),
  records: listOf(
    shape('FoundRecord', {
      kind: oneOf(KINDS, 'What it is.'),
      partner_id: nullableText('Whose it is; `null` where it belongs to no partner.'),
      partner_name: nullableText('The name of that partner.'),
      id: text('The id of the record.'),
      status: nullableText('The status of the record; `null` for a kind without one.'),
      created_at: nullableTime('When the service made its id.'),
    }),
    'Other records with this id.',
  ),
  left_out: nullableText(
    'While a worker of a cluster does not answer: whose records the answer may lack. Where nothing was found, 503 says so instead.',
  ),
});

export const search = operatorRoute({
  operation: 'search',
  method: 'GET',
  path: '/operator/v1/search',
  tag: 'Search',
  summary: 'Find a record by what was sent of it',
  description:
    'A contribution by `transaction_id`, by the beginning of `partner_event_id`, `partner_order_ref` or `Idempotency-Key`, or by the correlation id of its request if the service made that id. A partner by its id or a part of its name. Any other record by its id. The service keeps no index of correlation ids that partners choose: use the list of contributions of the partner for these.',
  leastRole: 'viewer',
  query: Type.Object(
    {
      q: Type.String({
        minLength: 2,
        maxLength: 200,
        description: 'What to find. An id must be whole.',
      }),
    },
    closed,
  ),
  answer: SearchResult,
  async handle({ tools: { database }, query: { q } }) {
    const { contributions, partners, records, left } = await searchRecords(database, q.trim());
    const owners = [...contributions, ...records].flatMap(({ partnerId }) => partnerId ?? []);
    const names = await readNamesOfPartners(database.pool, owners);
    return {
      contributions: contributions.map((record) => ({ ...namedContribution(record, names), found_by: record.foundBy })),
      partners: partners.map(({ partnerId, name, suspendedAt, createdAt }) => ({
        partner_id: partnerId,
        name,
        status: suspendedAt === null ? 'active' : 'suspended',
        created_at: createdAt,
      })),
      records: records.map(({ kind, partnerId, id, status }) => ({
        kind,
        partner_id: partnerId,
        partner_name: names.get(partnerId ?? '') ?? null,
        id,
        status,
        created_at: madeAt(id),
      })),
      left_out: await explainLeftOut(database.pool, left),
    };
  },
});

/** An id contains the time of its making. */
function madeAt(id: string): Date | null {
  const prefix = Object.values(ID_PREFIXES).find((each) => id.startsWith(`${each}_`));
  const atMs = prefix && timeOfId(prefix, id);
  return atMs === undefined ? null : new Date(atMs);
}
