import type { PartnerRates } from '../../domain/access/partner-rates.ts';
import { type ErrorDetail, refuseInvalid } from '../../domain/service-error.ts';
import * as operations from '../../operations/access/manage-partner.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { listPartnersInOrder } from '../../store/access/partner.ts';
import { pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, idParams, line, oneOf } from '../schema-parts.ts';
import { PartnerBody, partnerName, partnerOrder, partnerToWire } from './partner-schemas.ts';

export const listPartners = operatorRoute({
  operation: 'listPartners',
  method: 'GET',
  path: '/operator/v1/partners',
  tag: 'Partners',
  summary: 'List partners',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...partnerOrder.member,
      name: partnerName,
      status: Type.Optional(oneOf(['active', 'suspended'], 'Only active ones, or only suspended ones.')),
      currency: Type.Optional(
        Type.String({ minLength: 3, maxLength: 3, description: 'Only those that settle in this currency.' }),
      ),
    },
    closed,
  ),
  answer: pageOf('PartnerPage', 'partners', PartnerBody, 'The partners of the page.'),
  async handle({ tools: { database }, query }) {
    const { name, status, currency } = query;
    const { page, end } = sortedPage('listPartners', partnerOrder, query, [name, status, currency]);
    const filter = { text: name, currency, isSuspended: status && status === 'suspended' };
    const found = await listPartnersInOrder(database.pool, filter, { ...page, limit: page.limit + 1 });
    const partners = found.slice(0, page.limit);
    return { partners: partners.map(partnerToWire), ...end(partners.at(-1)?.place, found.length > page.limit) };
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
    partnerToWire(await operations.getPartnerNamed(database.pool, partner_id)),
});

const Currency = Type.String({ minLength: 3, maxLength: 3, description: 'The currency of its settlements, by ISO 4217.' });
const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The time zone of its days and periods, such as `Asia/Riyadh`.',
});
const rate = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 7, description: `${description} In digits, from 1 to 1000000.` }));

export const createPartner = operatorRoute({
  operation: 'createPartner',
  method: 'POST',
  path: '/operator/v1/partners',
  tag: 'Partners',
  summary: 'Create a partner, with its first settlement',
  leastRole: operations.createPartner.leastRole,
  isFinal: true,
  body: Type.Object(
    {
      name: line('The name of the partner.', 200),
      currency: Type.Optional(Currency),
      time_zone: Type.Optional(TimeZone),
      writes_per_second: rate('Confirmations, estimates and associations a second; another number than 100 takes an admin.'),
      lookups_per_second: rate('Look-ups a second; another number than 200 takes an admin.'),
      reports_per_second: rate('Other requests a second; another number than 50 takes an admin.'),
    },
    closed,
  ),
  answer: PartnerBody,
  async handle({ tools, actor, work, body: { name, currency, time_zone: timeZone, ...rates } }) {
    const policy = definedOf({ ...ratesOf(rates), currency, timeZone });
    return work.answer(tools.database, (database) => operations.createPartner(database, actor, name, policy), partnerToWire);
  },
});

export const changePartner = operatorRoute({
  operation: 'changePartner',
  method: 'PUT',
  path: '/operator/v1/partners/:partner_id/settlement-policy',
  tag: 'Partners',
  summary: 'Set the currency or the time zone of a partner',
  description:
    'Both are fixed once a record depends on them. Another currency or time zone is refused while the partner has a key, and for 30 seconds after its last one was revoked or expired.',
  leastRole: operations.changeSettlementPolicy.leastRole,
  params: idParams('partner_id', 'The id of the partner.'),
  body: Type.Object({ currency: Type.Optional(Currency), time_zone: Type.Optional(TimeZone) }, closed),
  answer: PartnerBody,
  handle: async ({ tools: { database }, actor, params: { partner_id: partnerId }, body: { currency, time_zone: timeZone } }) =>
    partnerToWire(await operations.changeSettlementPolicy(database, actor, partnerId, definedOf({ currency, timeZone }))),
});

export const setPartnerRates = operatorRoute({
  operation: 'setPartnerRates',
  method: 'PUT',
  path: '/operator/v1/partners/:partner_id/rates',
  tag: 'Partners',
  summary: 'Set how many requests a second a partner may make, within ten seconds',
  leastRole: operations.setPartnerRates.leastRole,
  params: idParams('partner_id', 'The id of the partner.'),
  body: Type.Object(
    {
      writes_per_second: rate('Confirmations, estimates and associations a second.'),
      lookups_per_second: rate('Look-ups a second.'),
      reports_per_second: rate('Other requests a second.'),
    },
    closed,
  ),
  answer: PartnerBody,
  handle: async ({ tools: { database }, actor, params: { partner_id: partnerId }, body }) =>
    partnerToWire(await operations.setPartnerRates(database, actor, partnerId, ratesOf(body))),
});

const RATE_MAX = 1_000_000;

interface SentRates {
  readonly writes_per_second?: string;
  readonly lookups_per_second?: string;
  readonly reports_per_second?: string;
}

function ratesOf(sent: SentRates): Partial<PartnerRates> {
  const problems: ErrorDetail[] = [];
  const read = (field: keyof SentRates) => {
    const digits = sent[field];
    if (digits === undefined) return undefined;
    if (/^[1-9]\d*$/.test(digits) && Number(digits) <= RATE_MAX) return Number(digits);
    problems.push({ field, code: 'wrong_form', message: `${field} must be a whole number from 1 to ${RATE_MAX}.` });
    return undefined;
  };
  const rates = definedOf({
    writesPerSecond: read('writes_per_second'),
    lookupsPerSecond: read('lookups_per_second'),
    reportsPerSecond: read('reports_per_second'),
  });
  refuseInvalid(problems);
  return rates;
}

/** What was not sent is left out. */
function definedOf<Members extends object>(members: Members): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

const STEPS = { suspend: operations.suspendPartner, resume: operations.resumePartner } as const;
const SUMMARIES = {
  suspend: 'Suspend a partner: it records nothing new, and its look-ups still work',
  resume: 'Resume a suspended partner',
} as const;

const stepRoute = (step: keyof typeof STEPS) =>
  operatorRoute({
    operation: `${step}Partner`,
    method: 'POST',
    path: `/operator/v1/partners/:partner_id/${step}`,
    tag: 'Partners',
    summary: SUMMARIES[step],
    leastRole: STEPS[step].leastRole,
    answer: PartnerBody,
    params: idParams('partner_id', 'The id of the partner.'),
    handle: async ({ tools: { database }, actor, params: { partner_id: partnerId } }) =>
      partnerToWire(await STEPS[step](database, actor, partnerId)),
  });

export const suspendPartner = stepRoute('suspend');
export const resumePartner = stepRoute('resume');
