import { Type } from 'typebox';
import { findPartners } from '../../operations/access/find-partners.ts';
import { getPartnerNamed } from '../../operations/access/manage-partner.ts';
import { limitOf, listNamed, pageMembers, pageMembersOfQuery, pageOf, placeIn } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, idParams } from '../schema-parts.ts';
import { PartnerBody, partnerToWire } from './partner-schemas.ts';

export const listPartners = operatorRoute({
  operation: 'listPartners',
  method: 'GET',
  path: '/operator/v1/partners',
  tag: 'Partners',
  summary: 'List partners, the oldest first',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'A part of the name, in upper or lower case.' }),
      ),
    },
    closed,
  ),
  answer: pageOf('PartnerPage', 'partners', PartnerBody, 'The partners of the page.'),
  async handle({ tools: { database }, query }) {
    const list = listNamed('listPartners', [query.name]);
    const limit = limitOf(query);
    const afterId = placeIn(list, query);
    const found = await findPartners(database.pool, { text: query.name, afterId, limit: limit + 1 });
    const page = found.slice(0, limit);
    return { partners: page.map(partnerToWire), ...pageMembers(list, page.at(-1)?.partnerId ?? afterId, found.length > limit) };
  },
});

export const getPartner = operatorRoute({
  operation: 'getPartner',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id',
  tag: 'Partners',
  summary: 'Show a partner',
  leastRole: 'viewer',
  params: idParams('partner_id', 'The id of the partner.'),
  answer: PartnerBody,
  handle: async ({ tools: { database }, params: { partner_id } }) =>
    partnerToWire(await getPartnerNamed(database.pool, partner_id)),
});
