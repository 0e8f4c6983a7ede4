import * as operations from '../../operations/overview/list-closings.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { partnerName, partnerOrder } from '../access/partner-schemas.ts';
import type { OperatorApiTools } from '../app.ts';
import { pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { BoundedCount, closed, flag, idParams, listOf, nullableShape, shape, text, time } from '../schema-parts.ts';
import { SettlementBody } from './settlement-schemas.ts';
import { showSettlements } from './show-settlements.ts';

const ClosingBody = shape('Closing', {
  partner_id: text('The id of the partner.'),
  name: text('The name of the partner.'),
  open_settlement: nullableShape(
    shape('SettlementToClose', {
      settlement_id: text('The id of the settlement.'),
      period_label: text('The period.'),
      period_start: time('The beginning of the period.'),
      period_end: time('The end of the period; the settlement closes by itself 5 minutes later.'),
      period_timezone: text('The time zone of the period.'),
    }),
    'The open settlement; `null` until the schedule has opened one.',
  ),
  pending_contributions: BoundedCount,
  adjustments_to_approve: BoundedCount,
  adjustments_to_post: BoundedCount,
  disputed_settlements: shape('DisputedSettlements', {
    settlements: listOf(
      shape('DisputedSettlement', {
        settlement_id: text('The id of the settlement.'),
        period_label: text('The period of the settlement.'),
        disputed_at: time('When the partner disputed it.'),
      }),
      `Closed settlements that the partner disputes and has not accepted since: the latest ${operations.DISPUTES_MAX}, the latest first.`,
    ),
    is_more: flag('Whether there are earlier ones too.'),
  }),
  last_settlement: nullableShape(SettlementBody, 'The settlement before; `null` for the first.'),
});

const bounded = (counted: number) => ({ count: Math.min(counted, operations.LEFT_MAX), is_more: counted > operations.LEFT_MAX });

async function closingsToWire(closings: readonly operations.Closing[], tools: OperatorApiTools) {
  const lasts = closings.flatMap(({ last }) =>
    last?.totals ? [{ settlement: last, totals: last.totals, currency: last.currency, asOf: null }] : [],
  );
  const shown = new Map((await showSettlements(tools, lasts)).map((each) => [each.settlement_id, each]));
  return closings.map((closing) => closingToWire(closing, shown.get(closing.last?.settlementId ?? '') ?? null));
}

type ShownSettlement = Awaited<ReturnType<typeof showSettlements>>[number];

function closingToWire({ partner, open, left, disputed }: operations.Closing, last: ShownSettlement | null) {
  return {
    partner_id: partner.partnerId,
    name: partner.name,
    open_settlement: open
      ? {
          settlement_id: open.settlementId,
          period_label: open.period.label,
          period_timezone: open.period.timeZone,
          period_start: open.period.startsAt,
          period_end: open.period.endsAt,
        }
      : null,
    pending_contributions: bounded(left.pending),
    adjustments_to_approve: bounded(left.drafts),
    adjustments_to_post: bounded(left.approved),
    disputed_settlements: {
      settlements: disputed.slice(0, operations.DISPUTES_MAX).map(({ settlementId, periodLabel, disputedAt }) => ({
        settlement_id: settlementId,
        period_label: periodLabel,
        disputed_at: disputedAt,
      })),
      is_more: disputed.length > operations.DISPUTES_MAX,
    },
    last_settlement: last,
  };
}

export const listClosings = operatorRoute({
  operation: 'listClosings',
  method: 'GET',
  path: '/operator/v1/closings',
  tag: 'Settlements',
  summary: 'List what counts before the open settlement of each partner closes',
  description: 'A pending contribution, and an adjustment that is not posted, are settled by a later settlement.',
  leastRole: 'viewer',
  query: Type.Object({ ...pageMembersOfQuery, ...partnerOrder.member, name: partnerName }, closed),
  answer: pageOf('ClosingPage', 'closings', ClosingBody, 'The partners of the page.'),
  async handle({ tools, query }) {
    const { page, end } = sortedPage('listClosings', partnerOrder, query, [query.name]);
    const found = await operations.listClosings(tools.database, { text: query.name }, page);
    return { closings: await closingsToWire(found.page, tools), ...end(found.last, found.hasMore) };
  },
});

export const getClosing = operatorRoute({
  operation: 'getClosing',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/closing',
  tag: 'Settlements',
  summary: 'Show what counts before the open settlement of a partner closes',
  leastRole: 'viewer',
  params: idParams('partner_id', 'The id of the partner.'),
  answer: ClosingBody,
  async handle({ tools, params: { partner_id: partnerId } }) {
    const [shown] = await closingsToWire([await operations.getClosing(tools.database, partnerId)], tools);
    return shown;
  },
});
