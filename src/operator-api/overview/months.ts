import { findMinorUnits } from '../../domain/numbers/currency.ts';
import { amountText } from '../../domain/numbers/money.ts';
import {
  type ContributionSums,
  completeMonths,
  type DayFigures,
  readMonthOfAll,
  readMonthOfPartners,
  refreshDays,
} from '../../operations/overview/read-month.ts';
import { pageAnswer } from '../../partner-api/paging.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { partnerName, partnerOrder } from '../access/partner-schemas.ts';
import { pageMembersOfQuery, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import {
  closed,
  decimalText,
  flag,
  integerText,
  listOf,
  minorUnits,
  nullableShape,
  nullableText,
  shape,
  text,
  time,
} from '../schema-parts.ts';
import { monthParams, readMonth } from './month-params.ts';

const figures = {
  confirmed_count: integerText('How many contributions were confirmed.'),
  confirmed_points: integerText('Their points.'),
  failed_count: integerText('How many contributions failed.'),
  amounts: listOf(
    shape('CurrencyAmount', {
      currency: text('The currency, by ISO 4217.'),
      minor_units: minorUnits,
      amount: decimalText('The amount, exact.'),
    }),
    'What the points are worth, by currency; points without a conversion are not in it.',
  ),
};

const Day = shape('DayFigures', { day: text('The day, by the calendar of each partner.'), ...figures });

const state = {
  as_of: time('The moment of these figures.'),
  is_complete: flag('Whether every event that had its sequence at that moment is in them.'),
};

function toWire({ confirmedCount, confirmedPoints, failedCount, amounts }: ContributionSums) {
  return {
    confirmed_count: confirmedCount,
    confirmed_points: confirmedPoints,
    failed_count: failedCount,
    amounts: [...amounts].map(([currency, amount]) => ({
      currency,
      minor_units: findMinorUnits(currency) ?? null,
      amount: amountText(amount),
    })),
  };
}

const dayToWire = (each: DayFigures) => ({ day: each.day, ...toWire(each) });

export const listPartnerMonths = operatorRoute({
  operation: 'listPartnerMonths',
  method: 'GET',
  path: '/operator/v1/months/:month/partners',
  tag: 'Overview',
  summary: 'List the month of each partner, day by day',
  description:
    'A page has the figures so far, and `is_complete` says whether that is all. The file has every event that had its sequence when adding up for it began; while some cannot be added up, the answer is `internal_service_unavailable`.',
  leastRole: 'viewer',
  params: monthParams,
  query: Type.Object({ ...pageMembersOfQuery, ...partnerOrder.member, name: partnerName }, closed),
  answer: shape('PartnerMonthPage', {
    ...state,
    partners: listOf(
      shape('PartnerMonth', {
        partner_id: text('The id of the partner.'),
        name: text('The name of the partner.'),
        currency: nullableText('The currency of its settlements; `null` until one is fixed.'),
        ...figures,
        open_settlement: nullableShape(
          shape('OpenSettlement', {
            settlement_id: text('The id of the settlement.'),
            period_label: text('The period.'),
            period_end: time('When the period ends.'),
          }),
          'The open settlement; `null` until the schedule has opened one.',
        ),
        days: listOf(Day, 'The days on which anything was confirmed or failed.'),
      }),
      'The partners of the page.',
    ),
    ...pageAnswer,
  }),
  beforeFile: ({ tools: { database } }) => completeMonths(database),
  async handle({ tools: { database }, params: { month }, query }) {
    const { page, end } = sortedPage('listPartnerMonths', partnerOrder, query, [month, query.name]);
    await refreshDays(database);
    const filter = { month: readMonth(month), text: query.name };
    const found = await readMonthOfPartners(database, filter, page);
    return {
      as_of: found.asOf,
      is_complete: found.isComplete,
      partners: found.page.map(({ partner, days, open, ...sums }) => ({
        partner_id: partner.partnerId,
        name: partner.name,
        currency: partner.currency,
        ...toWire(sums),
        open_settlement: open
          ? { settlement_id: open.settlementId, period_label: open.period.label, period_end: open.period.endsAt }
          : null,
        days: days.map(dayToWire),
      })),
      ...end(found.last, found.hasMore),
    };
  },
});

export const getMonth = operatorRoute({
  operation: 'getMonth',
  method: 'GET',
  path: '/operator/v1/months/:month',
  tag: 'Overview',
  summary: 'Show the month of all partners together, day by day',
  leastRole: 'viewer',
  params: monthParams,
  answer: shape('Month', {
    month: text('The month.'),
    ...state,
    ...figures,
    days: listOf(Day, 'The days on which anything was confirmed or failed.'),
  }),
  async handle({ tools: { database }, params: { month } }) {
    await refreshDays(database);
    const { days, asOf, isComplete, ...sums } = await readMonthOfAll(database, readMonth(month));
    return { month, as_of: asOf, is_complete: isComplete, ...toWire(sums), days: days.map(dayToWire) };
  },
});
