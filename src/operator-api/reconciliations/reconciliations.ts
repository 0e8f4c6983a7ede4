import type { Readable } from 'node:stream';
import { recordNotFound, unavailable } from '../../domain/service-error.ts';
import { listLinesWithContributions } from '../../operations/reconciliations/list-lines-with-contributions.ts';
import { listReconciliationsOf, withPeriod } from '../../operations/reconciliations/list-reconciliations.ts';
import { reconcileForPartner } from '../../operations/reconciliations/reconcile-for-partner.ts';
import { reconciliationNotFound } from '../../operations/reconciliations/reconcile-settlement.ts';
import { TRANSFER_BOUNDS } from '../../partner-api/http/transfers/stream-bounds.ts';
import { watchTransfer } from '../../partner-api/http/transfers/watched-transfer.ts';
import { formatOfList } from '../../partner-api/reconciliations/list-body.ts';
import { ListBody } from '../../partner-api/reconciliations/reconciliation-schemas.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { markReplayed } from '../../partner-api/write-headers.ts';
import { findReconciliation, RECONCILIATION_STATUSES, type Reconciliation } from '../../store/reconciliations/reconciliation.ts';
import { requireStillSignedIn } from '../access/require-session.ts';
import type { OperatorApiTools } from '../app.ts';
import { LOOKS_AT, pageMembersOfQuery, pageOf, sortedPage } from '../paging.ts';
import { operatorRoute } from '../route.ts';
import { closed, nullableTime, oneOf, partnerAnd, shape } from '../schema-parts.ts';
import { readSettlementFilter, settlementFilter } from '../settlements/settlement-filter.ts';
import { sorting } from '../sorting.ts';
import {
  LINE_VERDICTS,
  lineOfList,
  ReconciliationBody,
  ReconciliationLineBody,
  reconciliationOfPartner,
} from './reconciliation-schemas.ts';

/** The time for the answer, after the longest time that a list takes to arrive. */
const ANSWER_MS = 30_000;

export const reconcileSettlement = operatorRoute({
  operation: 'reconcileSettlement',
  method: 'POST',
  path: '/operator/v1/partners/:partner_id/settlements/:settlement_id/reconciliations',
  tag: 'Reconciliations',
  summary: "Compare a partner's list with a closed settlement",
  description:
    'The list is read as it arrives, at most 1,000,000 lines or 100 MiB. Afterwards the schedule looks for the lines that it lacks: the status becomes `done`. It changes nothing of the settlement.',
  leastRole: reconcileForPartner.leastRole,
  takesList: true,
  deadlineMs: TRANSFER_BOUNDS.totalMs + ANSWER_MS,
  params: partnerAnd('settlement_id', 'The id of the settlement.'),
  body: ListBody as never,
  answer: ReconciliationBody,
  async handle({ tools, actor, request, reply, params: { partner_id: partnerId, settlement_id: settlementId } }) {
    const format = formatOfList(request);
    tools.shared.beginList(partnerId, reply.raw);
    const body = request.body as Readable;
    const requireSenderAllowed = () => requireStillSignedIn(request, reconcileForPartner.leastRole, tools);
    const arriving = tools.uploads.chunksOf(body.iterator({ destroyOnReturn: false }), 'the list', TRANSFER_BOUNDS);
    const list = {
      partnerId,
      settlementId,
      format,
      requireSenderAllowed,
      idempotencyKey: String(request.headers['idempotency-key']),
      chunks: watchTransfer(arriving, { partner: 'sends', checkAllowed: requireSenderAllowed }),
    };
    try {
      const { reconciliation, isReplay } = await reconcileForPartner(tools.shared.reconcile, actor, list);
      if (isReplay) markReplayed(reply);
      return reconciliationOfPartner(await withPeriod(tools.database.pool, reconciliation));
    } finally {
      // A browser reads the answer only after it has sent its file.
      body.resume();
    }
  },
});

const order = sorting(['created_at'], '-created_at');

export const listReconciliations = operatorRoute({
  operation: 'listReconciliations',
  method: 'GET',
  path: '/operator/v1/reconciliations',
  tag: 'Reconciliations',
  summary: 'List reconciliations',
  description: LOOKS_AT,
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...order.member,
      ...settlementFilter,
      status: Type.Optional(oneOf(RECONCILIATION_STATUSES, 'Only those that have come so far.')),
    },
    closed,
  ),
  answer: pageOf('ReconciliationPage', 'reconciliations', ReconciliationBody, 'The reconciliations of the page.'),
  async handle({ tools: { database }, query }) {
    const { partnerId, settlementId } = readSettlementFilter(query);
    const { status } = query;
    const { page, end } = sortedPage('listReconciliations', order, query, [partnerId, settlementId, status]);
    const found = await listReconciliationsOf(database, { partnerId, settlementId, status }, page);
    return { reconciliations: found.page.map(reconciliationOfPartner), ...end(found.last, found.hasMore) };
  },
});

const params = partnerAnd('reconciliation_id', 'The id of the reconciliation.');
const PATH = '/operator/v1/partners/:partner_id/reconciliations/:reconciliation_id';

async function findOne({ database }: OperatorApiTools, partnerId: string, reconciliationId: string) {
  const found = await findReconciliation(database.pool, partnerId, reconciliationId);
  if (!found) throw reconciliationNotFound();
  return found;
}

export const getReconciliation = operatorRoute({
  operation: 'getReconciliation',
  method: 'GET',
  path: PATH,
  tag: 'Reconciliations',
  summary: 'Show a reconciliation with its progress and counts',
  leastRole: 'viewer',
  params,
  answer: ReconciliationBody,
  async handle({ tools, params: { partner_id: partnerId, reconciliation_id: reconciliationId } }) {
    return reconciliationOfPartner(await withPeriod(tools.database.pool, await findOne(tools, partnerId, reconciliationId)));
  },
});

const RETRY_SECONDS = 5;

/** A file of a part of the lines could not be told from one of all. */
function requireAllLines({ status, linesRemovedAt }: Reconciliation): void {
  if (linesRemovedAt) throw recordNotFound('reconciliation_id', 'The lines were removed. Reconcile the file again to see them.');
  if (status === 'failed') throw recordNotFound('reconciliation_id', 'The comparison failed. It has no file of its lines.');
  if (status === 'done') return;
  const message = `The list is still being compared. Wait ${RETRY_SECONDS} s (Retry-After), then download the file again.`;
  throw unavailable(message, { headers: { 'retry-after': String(RETRY_SECONDS) } });
}

const { properties: linePage } = pageOf('ReconciliationLinePage', 'lines', ReconciliationLineBody, 'The lines of the page.');

const byPosition = sorting(['position'], 'position');

export const listReconciliationLines = operatorRoute({
  operation: 'listReconciliationLines',
  method: 'GET',
  path: `${PATH}/lines`,
  tag: 'Reconciliations',
  summary: 'List the lines of a reconciliation, all or those of one verdict',
  description:
    'A page has the lines so far. The file has all: while the list is compared, the answer is `internal_service_unavailable`; where the comparison failed or the lines were removed, it is 404.',
  leastRole: 'viewer',
  params,
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...byPosition.member,
      verdict: Type.Optional(oneOf(LINE_VERDICTS, 'Only lines with this verdict.')),
    },
    closed,
  ),
  answer: shape('ReconciliationLinePage', {
    ...linePage,
    lines_removed_at: nullableTime('When the lines were removed; `null` before. The counts stay.'),
  }),
  async beforeFile({ tools, params: { partner_id: partnerId = '', reconciliation_id: reconciliationId = '' } }) {
    requireAllLines(await findOne(tools, partnerId, reconciliationId));
  },
  async handle({ tools, params: { partner_id: partnerId, reconciliation_id: reconciliationId }, query }) {
    const { verdict } = query;
    const { page, end } = sortedPage('listReconciliationLines', byPosition, query, [partnerId, reconciliationId, verdict]);
    const { linesRemovedAt } = await findOne(tools, partnerId, reconciliationId);
    const { limit } = page;
    const wanted = { partnerId, reconciliationId, verdict };
    const found = await listLinesWithContributions(tools.database.pool, wanted, { ...page, limit: limit + 1 });
    const lines = found.slice(0, limit);
    return {
      lines: lines.map(lineOfList),
      ...end(lines.at(-1)?.line.place, found.length > limit),
      lines_removed_at: linesRemovedAt,
    };
  },
});
