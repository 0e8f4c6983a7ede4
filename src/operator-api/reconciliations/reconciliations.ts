import type { Readable } from 'node:stream';
import { UNCOUNTED } from '../../operations/quotas/storage-usage.ts';
import { listReconciliationsOf, withPeriod } from '../../operations/reconciliations/list-reconciliations.ts';
import { reconcileForPartner } from '../../operations/reconciliations/reconcile-for-partner.ts';
import {
  createReconcileSettlement,
  type ReconcileSettlement,
  reconciliationNotFound,
} from '../../operations/reconciliations/reconcile-settlement.ts';
import { boundStream, TRANSFER_BOUNDS } from '../../partner-api/http/stream-bounds.ts';
import { watchTransfer } from '../../partner-api/http/watched-transfer.ts';
import { shareTransfers } from '../../partner-api/limits/transfers.ts';
import { formatOfList } from '../../partner-api/reconciliations/list-body.ts';
import { ListBody } from '../../partner-api/reconciliations/reconciliation-schemas.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { findReconciliation } from '../../store/reconciliations/reconciliation.ts';
import type { OperatorApiTools } from '../app.ts';
import { limitOf, listNamed, pageMembers, pageMembersOfQuery, pageOf, placeIn } from '../paging.ts';
import { requireStillSignedIn } from '../register-route.ts';
import { operatorRoute } from '../route.ts';
import { closed, nullableTime, oneOf, partnerAnd, shape } from '../schema-parts.ts';
import { readSettlementFilter, settlementFilter } from '../settlements/settlement-filter.ts';
import {
  LINE_VERDICTS,
  lineOfList,
  ReconciliationBody,
  ReconciliationLineBody,
  reconciliationOfPartner,
} from './reconciliation-schemas.ts';

/** What the lists of operators share, as long as the tools live. */
const reconcilers = new WeakMap<OperatorApiTools, ReconcileSettlement>();

function reconcilerOf(tools: OperatorApiTools): ReconcileSettlement {
  const known = reconcilers.get(tools) ?? createReconcileSettlement(tools.database, UNCOUNTED);
  reconcilers.set(tools, known);
  return known;
}

const beginUpload = shareTransfers({ name: 'lists', perPartner: 2, inAll: 8 });
/** Of the answer, after the longest arrival. */
const ANSWER_MS = 30_000;

export const reconcile = operatorRoute({
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
    beginUpload(partnerId, reply.raw);
    const body = boundStream(request.body as Readable, TRANSFER_BOUNDS);
    const requireSenderAllowed = () => requireStillSignedIn(request, reconcileForPartner.leastRole, tools);
    const received = body.iterator({ destroyOnReturn: false });
    const list = {
      ...{ partnerId, settlementId, format, requireSenderAllowed },
      idempotencyKey: String(request.headers['idempotency-key']),
      chunks: watchTransfer(received, { partner: 'sends', checkAllowed: requireSenderAllowed }),
    };
    try {
      const { reconciliation, isReplay } = await reconcileForPartner(reconcilerOf(tools), actor, list);
      if (isReplay) reply.header('idempotent-replayed', 'true');
      return reconciliationOfPartner(await withPeriod(tools.database.pool, reconciliation));
    } finally {
      // A browser reads the answer only after it has sent its file.
      body.resume();
    }
  },
});

export const listReconciliations = operatorRoute({
  operation: 'listReconciliations',
  method: 'GET',
  path: '/operator/v1/reconciliations',
  tag: 'Reconciliations',
  summary: 'List reconciliations, the latest first',
  leastRole: 'viewer',
  query: Type.Object(
    {
      ...pageMembersOfQuery,
      ...settlementFilter,
    },
    closed,
  ),
  answer: pageOf('ReconciliationPage', 'reconciliations', ReconciliationBody, 'The reconciliations of the page.'),
  async handle({ tools: { database }, query }) {
    const { partnerId, settlementId } = readSettlementFilter(query);
    const list = listNamed('listReconciliations', [partnerId, settlementId]);
    const filter = { partnerId, settlementId, beforeId: placeIn(list, query), limit: limitOf(query) };
    const { reconciliations, lastId, hasMore } = await listReconciliationsOf(database.pool, filter);
    return { reconciliations: reconciliations.map(reconciliationOfPartner), ...pageMembers(list, lastId, hasMore) };
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

const { properties: linePage } = pageOf('ReconciliationLinePage', 'lines', ReconciliationLineBody, 'The lines of the page.');

export const listLines = operatorRoute({
  operation: 'listReconciliationLines',
  method: 'GET',
  path: `${PATH}/lines`,
  tag: 'Reconciliations',
  summary: 'List the lines of a reconciliation, all or those of one verdict',
  leastRole: 'viewer',
  params,
  query: Type.Object(
    { ...pageMembersOfQuery, verdict: Type.Optional(oneOf(LINE_VERDICTS, 'Only lines with this verdict.')) },
    closed,
  ),
  answer: shape('ReconciliationLinePage', {
    ...linePage,
    lines_removed_at: nullableTime('When the lines were removed; `null` before. The counts stay.'),
  }),
  async handle({ tools, params: { partner_id: partnerId, reconciliation_id: reconciliationId }, query }) {
    const { verdict } = query;
    const list = listNamed('listReconciliationLines', [partnerId, reconciliationId, verdict]);
    const { settlementId } = await findOne(tools, partnerId, reconciliationId);
    const page = { after: BigInt(placeIn(list, query) || 0), limit: limitOf(query), verdict };
    const found = await reconcilerOf(tools).lines({ partnerId, reconciliationId, settlementId, ...page });
    return {
      lines: found.lines.map(lineOfList),
      ...pageMembers(list, String(found.nextAfter), found.hasMore),
      lines_removed_at: found.linesRemovedAt,
    };
  },
});
