import { readMonthTotals } from '../../operations/settlements/read-month-totals.ts';
import { monthTotalsToWire } from '../../wire/month-totals-to-wire.ts';
import { operatorRoute } from '../route.ts';
import { count, integerText, listOf, minorUnits, nullableDecimalText, nullableText, shape, text, time } from '../schema-parts.ts';
import { monthParams, readMonth } from './month-params.ts';

const Totals = shape('MonthSettlementTotals', {
  currency: nullableText('The currency, by ISO 4217; `null` for settlements without an amount.'),
  minor_units: minorUnits,
  settlement_count: count('How many closed settlements.'),
  contribution_count: integerText('How many contributions they have.'),
  net_points: integerText('Their gross points and adjustments.'),
  payable_points: integerText('What their partners owe in points.'),
  payable_amount: nullableDecimalText('What their partners owe: the sum of the payable amounts; `null` without an amount.'),
  carried_out_points: integerText(
    'The points that are carried into their next settlements: 0 or negative. Of a partner with several settlements in the month, what one carries into the next, and that one carries on, is counted in each.',
  ),
});

export const getMonthSettlements = operatorRoute({
  operation: 'getMonthSettlements',
  method: 'GET',
  path: '/operator/v1/months/:month/settlements',
  tag: 'Settlements',
  summary: 'Add up the settlements of a month, by currency',
  description:
    'The settlements of all partners, with every period in the month, such as `2026-11` and `2026-11-2`. The totals are of the closed ones.',
  leastRole: 'viewer',
  params: monthParams,
  answer: shape('MonthSettlements', {
    month: text('The month.'),
    as_of: time('The moment of these figures.'),
    open_count: integerText('How many settlements are open: they are not in the totals.'),
    closed_count: count('How many settlements are closed.'),
    pending_count: count('How many of the closed their partners have not answered.'),
    accepted_count: count('How many their partners have accepted.'),
    disputed_count: count('How many their partners dispute.'),
    totals: listOf(Totals, 'The closed settlements, by currency.'),
  }),
  deadlineMs: 20_000,
  async handle({ tools: { database }, params: { month } }) {
    return monthTotalsToWire(month, await readMonthTotals(database, readMonth(month)));
  },
});
