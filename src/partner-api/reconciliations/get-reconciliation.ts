import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { reconciliationNotFound } from '../../operations/reconciliations/reconcile-settlement.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { reconciliationLineToWire, reconciliationToWire } from '../../wire/reconciliation-to-wire.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import { pageMembers, placeOf } from '../paging.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { LINE_PAGE } from '../settlements/settlement-schemas.ts';
import { isIntegerText } from '../validation/integer-text.ts';
import {
  ReconciliationBody,
  ReconciliationLinesBody,
  ReconciliationLinesQuery,
  ReconciliationParams,
} from './reconciliation-schemas.ts';

type Params = Static<typeof ReconciliationParams>;

/**
 * The status of a reconciliation, and its counts.
 *
 * @see docs/spec/settlements.md#2-settlement, Reconciliation.
 */
export function getReconciliation(app: FastifyInstance, { operations }: PartnerApiOptions): void {
  app.get<{ Params: Params }>(
    '/v1/settlements/:settlement_id/reconciliations/:reconciliation_id',
    {
      config: { operation: 'getReconciliation', policy: REPORT },
      schema: {
        ...describeOperation('getReconciliation'),
        params: ReconciliationParams,
        querystring: NoQuery,
        response: { 200: ReconciliationBody },
      },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const id = { partnerId: callerOf(request).partnerId, ...readIds(request.params) };
      const reconciliation = reconciliationToWire(await beforeDeadline(request, operations.reconcileSettlement.byId(id)));
      return sendWritten(reply, exactJson({ reconciliation, request: { correlation_id: request.context.correlationId } }));
    },
  );
}

const isPlace = (text: string) => isIntegerText(text, { minimum: 0 });

/** The lines of a reconciliation, all or those of one verdict. A `position` is accepted as `after` too: its former form. */
export function listReconciliationLines(app: FastifyInstance, { operations }: PartnerApiOptions): void {
  app.get<{ Params: Params; Querystring: Static<typeof ReconciliationLinesQuery> }>(
    '/v1/settlements/:settlement_id/reconciliations/:reconciliation_id/lines',
    {
      config: { operation: 'listReconciliationLines', policy: REPORT },
      schema: {
        ...describeOperation('listReconciliationLines'),
        params: ReconciliationParams,
        querystring: ReconciliationLinesQuery,
        response: { 200: ReconciliationLinesBody },
      },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { verdict, after, limit = LINE_PAGE.default } = request.query;
      const id = { partnerId: callerOf(request).partnerId, ...readIds(request.params) };
      const list = { name: ['listReconciliationLines', id.partnerId, id.reconciliationId], first: '0', isPlace };
      const place = after !== undefined && isPlace(after) ? after : placeOf(list, after);
      const page = { ...id, verdict, after: BigInt(place), limit: Number(limit) };
      const { lines, nextAfter, hasMore, linesRemovedAt } = await beforeDeadline(
        request,
        operations.reconcileSettlement.lines(page),
      );
      const body = {
        lines: lines.map(reconciliationLineToWire),
        ...pageMembers(list, String(nextAfter), hasMore),
        lines_removed_at: linesRemovedAt?.toISOString() ?? null,
        request: { correlation_id: request.context.correlationId },
      };
      return sendWritten(reply, exactJson(body));
    },
  );
}

function readIds({ settlement_id: settlementId, reconciliation_id: reconciliationId }: Params) {
  if (!isLongIdentifier(settlementId) || !isLongIdentifier(reconciliationId)) throw reconciliationNotFound();
  return { settlementId, reconciliationId };
}
