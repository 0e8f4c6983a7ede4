import { idOfWork } from '../../domain/identifiers.ts';
import { POINTS_MAX } from '../../domain/numbers/points.ts';
import { recordNotFound, type ServiceError } from '../../domain/service-error.ts';
import { getPartner } from '../../operations/access/manage-partner.ts';
import { findSettlementLines } from '../../operations/overview/find-settlement-lines.ts';
import { closeSettlement } from '../../operations/settlements/close-settlement.ts';
import { listClosedOfAll } from '../../operations/settlements/list-closed-settlements.ts';
import { show } from '../../operations/settlements/read-settlements.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { findSettlement } from '../../store/settlements/settlement.ts';
import { listAcknowledgements } from '../../store/settlements/settlement-acknowledgement.ts';
import { limitOf, listNamed, pageMembers, pageMembersOfQuery, pageOf, placeIn } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, listOf, oneOf, partnerAnd, shape } from '../schema-parts.ts';
import {
  ACKNOWLEDGEMENTS,
  AcknowledgementBody,
  LineBody,
  lineToWire,
  SettlementBody,
  showSettlement,
} from './settlement-schemas.ts';
import { settlementsOf } from './settlements-of.ts';

export const listSettlements = operatorRoute({
  operation: 'listSettlements',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/settlements',
  tag: 'Settlements',
  summary: 'List the settlements of a partner, the latest first',
  leastRole: 'viewer',
  params: Type.Object({ partner_id: Type.String({ description: 'The id of the partner.' }) }),
  query: Type.Object(pageMembersOfQuery, closed),
  answer: pageOf('SettlementPage', 'settlements', SettlementBody, 'The settlements of the page.'),
  deadlineMs: 20_000,
  async handle({ tools, params: { partner_id: partnerId }, query }) {
    const list = listNamed('listSettlements', [partnerId]);
    const place = placeIn(list, query);
    await getPartner(tools.database.pool, partnerId);
    const page = { partnerId, beforeSequence: place === '' ? POINTS_MAX : BigInt(place), limit: limitOf(query) };
    const { settlements, nextBeforeSequence } = await settlementsOf(tools).page(page);
    const last = settlements.at(-1)?.settlement.sequence;
    return {
      settlements: settlements.map((each) => showSettlement(each, tools.environment)),
      ...pageMembers(list, last === undefined ? place : String(last), nextBeforeSequence !== null),
    };
  },
});

export const listClosedSettlements = operatorRoute({
  operation: 'listClosedSettlements',
  method: 'GET',
  path: '/operator/v1/settlements',
  tag: 'Settlements',
  summary: 'List closed settlements of all partners, the latest first',
  description:
    'With a filter a page looks at 2,000 settlements at most: it may be short, or empty, while `has_more` says that the list goes on.',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      acknowledgement: Type.Optional(oneOf(ACKNOWLEDGEMENTS, 'Only those that the partner answered so.')),
    },
    closed,
  ),
  answer: pageOf('ClosedSettlementPage', 'settlements', SettlementBody, 'The settlements of the page.'),
  async handle({ tools, query }) {
    const list = listNamed('listClosedSettlements', [query.acknowledgement]);
    const place = placeIn(list, query);
    const [closedAt, settlementId = ''] = place.split('/');
    const before = closedAt ? { closedAt: new Date(closedAt), settlementId } : undefined;
    const { acknowledgement } = query;
    const { settlements, last, hasMore } = await listClosedOfAll(tools.database.pool, {
      ...{ acknowledgement, before, limit: limitOf(query) },
    });
    return {
      settlements: settlements.flatMap((settlement) => {
        const { totals, currency } = settlement;
        return totals ? [showSettlement({ settlement, totals, currency, asOf: null }, tools.environment)] : [];
      }),
      ...pageMembers(list, last ? `${last.closedAt.toISOString()}/${last.settlementId}` : place, hasMore),
    };
  },
});

const params = partnerAnd('settlement_id', 'The id of the settlement.');

export const getSettlement = operatorRoute({
  operation: 'getSettlement',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/settlements/:settlement_id',
  tag: 'Settlements',
  summary: 'Show a settlement with its totals',
  description: 'The totals of an open settlement are added up when they are asked for. `as_of` is their moment.',
  leastRole: 'viewer',
  params,
  answer: SettlementBody,
  deadlineMs: 20_000,
  async handle({ tools, params: { partner_id: partnerId, settlement_id: settlementId } }) {
    return showSettlement(await settlementsOf(tools).byId({ partnerId, settlementId }), tools.environment);
  },
});

export const listLines = operatorRoute({
  operation: 'listSettlementLines',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/settlements/:settlement_id/lines',
  tag: 'Settlements',
  summary: 'List the lines of a closed settlement',
  leastRole: 'viewer',
  params,
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      of: Type.Optional(
        Type.String({
          ...{ minLength: 1, maxLength: 128 },
          description:
            'Only lines of the contribution with this order, event id, transaction id or key, and of its adjustments. All in one page.',
        }),
      ),
    },
    closed,
  ),
  answer: pageOf('SettlementLinePage', 'lines', LineBody, 'The lines of the page. An open settlement has none.'),
  async handle({ tools, params: { partner_id: partnerId, settlement_id: settlementId }, query }) {
    const list = listNamed('listSettlementLines', [partnerId, settlementId, query.of]);
    const afterLine = Number(placeIn(list, query) || 0);
    if (query.of !== undefined) {
      await settlementsOf(tools).byId({ partnerId, settlementId });
      const found = await findSettlementLines(tools.database.pool, { partnerId, settlementId }, query.of.trim());
      return { lines: found.map(lineToWire), ...pageMembers(list, '0', false) };
    }
    const { lines, nextAfterLine, hasMore } = await settlementsOf(tools).lines({
      ...{ partnerId, settlementId, afterLine, limit: limitOf(query) },
    });
    return { lines: lines.map(lineToWire), ...pageMembers(list, String(nextAfterLine), hasMore) };
  },
});

export const listAcknowledgementsOf = operatorRoute({
  operation: 'listAcknowledgements',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/settlements/:settlement_id/acknowledgements',
  tag: 'Settlements',
  summary: "List the partner's answers to a settlement",
  description: 'At most two: a dispute, and the acceptance that ended it. Neither opens the settlement again.',
  leastRole: 'viewer',
  params,
  answer: shape('Acknowledgements', { acknowledgements: listOf(AcknowledgementBody, 'The answers, the earliest first.') }),
  async handle({ tools: { database }, params: { partner_id: partnerId, settlement_id: settlementId } }) {
    const found = await listAcknowledgements(database.pool, { partnerId, settlementId });
    return {
      acknowledgements: found
        .toSorted((one, other) => one.acknowledgedAt.getTime() - other.acknowledgedAt.getTime())
        .map(({ status, acknowledgedAt, reference, note }) => ({ status, acknowledged_at: acknowledgedAt, reference, note })),
    };
  },
});

export const getStatement = operatorRoute({
  operation: 'getSettlementStatement',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/settlements/:settlement_id/statement.csv',
  tag: 'Settlements',
  summary: 'Download the statement of a closed settlement',
  description: 'The same bytes as the partner gets, and the same every time.',
  leastRole: 'viewer',
  params,
  query: Type.Object(
    {
      excel_safe: Type.Optional(
        oneOf(['true', 'false'], 'Whether cells that a spreadsheet would read as a formula are guarded.'),
      ),
    },
    closed,
  ),
  answer: 'csv',
  async handle({ tools, reply, params: { partner_id: partnerId, settlement_id: settlementId }, query }) {
    const { settlement, write } = await settlementsOf(tools).statement({ partnerId, settlementId });
    reply.header('content-disposition', `attachment; filename="statement-${settlement.period.label}-${settlementId}.csv"`);
    return write({ isExcelSafe: query.excel_safe === 'true' });
  },
});

export const closeOpenSettlement = operatorRoute({
  operation: 'closeSettlement',
  method: 'POST',
  path: '/operator/v1/partners/:partner_id/settlements/:settlement_id/close',
  tag: 'Settlements',
  summary: 'Close an open settlement before its period ends, finally',
  description: 'The next settlement begins at this moment and runs to the end of the calendar month.',
  leastRole: closeSettlement.leastRole,
  needsRecentSignIn: true,
  isFinal: true,
  deadlineMs: 60_000,
  params,
  answer: SettlementBody,
  async handle({ tools, actor, work, params: { partner_id: partnerId, settlement_id: settlementId } }) {
    const { database, settlementTools, environment } = tools;
    const nextSettlementId = idOfWork('stl', work.workId);
    // The same work had closed it before its process died.
    if (work.isTakenOver && (await findSettlement(database.pool, partnerId, nextSettlementId)))
      return showSettlement(await settlementsOf(tools).byId({ partnerId, settlementId }), environment);
    const closing = { partnerId, settlementId, isEarly: true, nextSettlementId };
    const outcome = await closeSettlement(database, actor, closing, settlementTools);
    if (!outcome) throw notOpen(settlementId);
    return showSettlement(await show(database, settlementTools.pricesOf, outcome.closed), environment);
  },
});

function notOpen(settlementId: string): ServiceError {
  return recordNotFound(
    'settlement_id',
    `There is no open settlement ${settlementId} of this partner: it is closed, or is none.`,
  );
}
