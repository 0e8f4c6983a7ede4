import { findPartners } from '../../operations/access/find-partners.ts';
import { createPartner, getPartnerNamed, resumePartner, suspendPartner } from '../../operations/access/manage-partner.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { limitOf, listNamed, pageMembers, pageMembersOfQuery, pageOf, placeIn } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, idParams, line } from '../schema-parts.ts';
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

export const create = operatorRoute({
  operation: 'createPartner',
  method: 'POST',
  path: '/operator/v1/partners',
  tag: 'Partners',
  summary: 'Create a partner, with its first settlement',
  leastRole: createPartner.leastRole,
  isFinal: true,
  body: Type.Object(
    {
      name: line('The name of the partner.', 200),
      currency: Type.Optional(
        Type.String({ minLength: 3, maxLength: 3, description: 'The currency of its settlements, by ISO 4217.' }),
      ),
      time_zone: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'The time zone of its days and periods, such as `Asia/Riyadh`.',
        }),
      ),
    },
    closed,
  ),
  answer: PartnerBody,
  async handle({ tools, actor, work, body: { name, currency, time_zone: timeZone } }) {
    const terms = { ...(currency !== undefined && { currency }), ...(timeZone !== undefined && { timeZone }) };
    return work.answer(tools.database, (database) => createPartner(database, actor, name, terms), partnerToWire);
  },
});

const STEPS = { suspend: suspendPartner, resume: resumePartner } as const;
const SUMMARIES = {
  suspend: 'Suspend a partner: it records nothing new, and its look-ups still work',
  resume: 'Resume a suspended partner',
} as const;

const stepRoute = (step: keyof typeof STEPS) =>
  operatorRoute({
    ...{ operation: `${step}Partner`, method: 'POST', path: `/operator/v1/partners/:partner_id/${step}`, tag: 'Partners' },
    ...{ summary: SUMMARIES[step], leastRole: STEPS[step].leastRole, answer: PartnerBody },
    params: idParams('partner_id', 'The id of the partner.'),
    handle: async ({ tools: { database }, actor, params: { partner_id: partnerId } }) =>
      partnerToWire(await STEPS[step](database, actor, partnerId)),
  });

export const suspend = stepRoute('suspend');
export const resume = stepRoute('resume');
