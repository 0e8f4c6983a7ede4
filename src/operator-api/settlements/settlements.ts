import { idOfWork } from '../../domain/identifiers.ts';
import { invalidRequest, recordNotFound, type ServiceError } from '../../domain/service-error.ts';
import { ACKNOWLEDGEMENT_STATUSES, SETTLEMENT_STATUSES } from '../../domain/settlements/settlement.ts';
import { LINE_TYPES } from '../../domain/settlements/settlement-line.ts';
import { getPartner } from '../../operations/access/manage-partner.ts';
import { forgetUnacknowledged } from '../../operations/overview/read-overview.ts';
import { searchSettlementLines } from '../../operations/overview/search-settlement-lines.ts';
import * as operations from '../../operations/settlements/close-settlement.ts';
import { getSettlement as requireSettlement } from '../../operations/settlements/get-settlement.ts';
import { listClosedOfAll, listOfPartner } from '../../operations/settlements/list-settlements.ts';
import { readSettlementView } from '../../operations/settlements/read-settlements.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { Database } from '../../store/database.ts';
import { findSettlement } from '../../store/settlements/settlement.ts';
import { listLinesInOrder } from '../../store/settlements/settlement-line.ts';
import type { SettlementView } from '../../wire/settlement-to-wire.ts';
import type { OperatorApiTools } from '../app.ts';
import { LOOKS_AT, pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, oneOf, partnerAnd } from '../schema-parts.ts';
import { sorting } from '../sorting.ts';
import { ofPeriod } from './settlement-filter.ts';
import { LineBody, lineToWire, SettlementBody, showSettlement } from './settlement-schemas.ts';
import { showSettlements, withTotals } from './show-settlements.ts';

const ofPartner = sorting(['period'], '-period');
const Acknowledged = oneOf(ACKNOWLEDGEMENT_STATUSES, 'Only those that the partner answered so.');

export const listSettlements = operatorRoute({
  operation: 'listSettlements',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/settlements',
  tag: 'Settlements',
  summary: 'List the settlements of a partner',
  leastRole: 'viewer',
  params: Type.Object({ partner_id: Type.String({ description: 'The id of the partner.' }) }),
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...ofPartner.member,
      status: Type.Optional(oneOf(SETTLEMENT_STATUSES, 'Only the open one, or only closed ones.')),
      acknowledgement: Type.Optional(Acknowledged),
    },
    closed,
  ),
  answer: pageOf('SettlementPage', 'settlements', SettlementBody, 'The settlements of the page.'),
  deadlineMs: 20_000,
  async handle({ tools, params: { partner_id: partnerId }, query }) {
    const { status, acknowledgement } = query;
    const { page, end } = sortedPage('listSettlements', ofPartner, query, [partnerId, status, acknowledgement]);
    const { pool } = tools.database;
    await getPartner(pool, partnerId);
    const wanted = { partnerId, ...(status && { status }), ...(acknowledgement && { acknowledgement }) };
    const found = await listOfPartner(tools.database, wanted, page);
    const shown = await Promise.all(found.page.map((settlement) => withTotals(tools, settlement)));
    return {
      settlements: await showSettlements(tools, shown),
      ...end(found.last, found.hasMore),
    };
  },
});

const ofAll = sorting(['closed_at', 'net_points', 'payable_amount'], '-closed_at');

export const listClosedSettlements = operatorRoute({
  operation: 'listClosedSettlements',
  method: 'GET',
  path: '/operator/v1/settlements',
  tag: 'Settlements',
  summary: 'List closed settlements of all partners',
  description: `${LOOKS_AT} The order of \`payable_amount\` takes a currency.`,
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...ofAll.member,
      acknowledgement: Type.Optional(Acknowledged),
      period: ofPeriod,
      currency: Type.Optional(
        Type.String({ minLength: 3, maxLength: 3, description: 'Only those in this currency, by ISO 4217.' }),
      ),
    },
    closed,
  ),
  answer: pageOf('ClosedSettlementPage', 'settlements', SettlementBody, 'The settlements of the page.'),
  async handle({ tools, query }) {
    const { acknowledgement, period, currency } = query;
    const { page, end } = sortedPage('listClosedSettlements', ofAll, query, [acknowledgement, period, currency]);
    if (page.order.by === 'payable_amount' && currency === undefined) throw currencyMissing();
    const found = await listClosedOfAll(tools.database, { acknowledgement, period, currency }, page);
    const shown = await Promise.all(found.page.map((settlement) => withTotals(tools, settlement)));
    return {
      settlements: await showSettlements(tools, shown),
      ...end(found.last, found.hasMore),
    };
  },
});

function currencyMissing(): ServiceError {
  const message = 'currency is missing. Amounts of two currencies have no order.';
  return invalidRequest([{ field: 'currency', code: 'missing', message }]);
}

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
    const [shown] = await showSettlements(tools, [await tools.shared.settlements.byId({ partnerId, settlementId })]);
    return shown;
  },
});

const byLine = sorting(['line_no'], 'line_no');

export const listSettlementLines = operatorRoute({
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
      ...byLine.member,
      line_type: Type.Optional(oneOf(LINE_TYPES, 'Only lines that settle this.')),
      of: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description:
            'Only lines of the contribution with this order, event id, transaction id or key, and of its adjustments. All in one page.',
        }),
      ),
    },
    closed,
  ),
  answer: pageOf('SettlementLinePage', 'lines', LineBody, 'The lines of the page. An open settlement has none.'),
  async handle({ tools, params: { partner_id: partnerId, settlement_id: settlementId }, query }) {
    const { of, line_type: lineType } = query;
    const { page, end } = sortedPage('listSettlementLines', byLine, query, [partnerId, settlementId, of, lineType]);
    const { pool } = tools.database;
    await requireSettlement(pool, partnerId, settlementId);
    if (of !== undefined) {
      const found = (await searchSettlementLines(pool, { partnerId, settlementId }, of.trim())).filter(
        (line) => lineType === undefined || line.lineType === lineType,
      );
      const lines = page.order.isDescending ? found.toReversed() : found;
      return { lines: lines.map(lineToWire), ...end(undefined, false) };
    }
    const found = await listLinesInOrder(pool, { partnerId, settlementId, lineType }, { ...page, limit: page.limit + 1 });
    const lines = found.slice(0, page.limit);
    return { lines: lines.map(lineToWire), ...end(lines.at(-1)?.place, found.length > page.limit) };
  },
});

export const getSettlementStatement = operatorRoute({
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
    const { settlement, write } = await tools.shared.settlements.statement({ partnerId, settlementId });
    reply.header('content-disposition', `attachment; filename="statement-${settlement.period.label}-${settlementId}.csv"`);
    return write({ isExcelSafe: query.excel_safe === 'true' });
  },
});

export const closeSettlement = operatorRoute({
  operation: 'closeSettlement',
  method: 'POST',
  path: '/operator/v1/partners/:partner_id/settlements/:settlement_id/close',
  tag: 'Settlements',
  summary: 'Close an open settlement before its period ends, permanently',
  description: 'The next settlement begins at this moment and runs to the end of the calendar month.',
  leastRole: operations.closeSettlement.leastRole,
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
      return showClosed(await tools.shared.settlements.byId({ partnerId, settlementId }), environment);
    const closing = { partnerId, settlementId, isEarly: true, nextSettlementId };
    const outcome = await operations.closeSettlement(database, actor, closing, settlementTools);
    forgetUnacknowledged(database);
    if (!outcome) throw await notOpen(database, partnerId, settlementId);
    return showClosed(await readSettlementView(database, settlementTools.pricesOf, outcome.closed), environment);
  },
});

/** At its close: no partner has answered it yet. */
function showClosed(shown: SettlementView, environment: OperatorApiTools['environment']) {
  return showSettlement(shown, { environment, isDisputeAnswered: false });
}

async function notOpen({ pool }: Database, partnerId: string, settlementId: string): Promise<ServiceError> {
  if (!(await findSettlement(pool, partnerId, settlementId)))
    return recordNotFound('settlement_id', `This partner has no settlement ${settlementId}.`);
  const message = `The settlement ${settlementId} is closed already.`;
  return invalidRequest([{ field: 'settlement_id', code: 'not_possible', message }]);
}
