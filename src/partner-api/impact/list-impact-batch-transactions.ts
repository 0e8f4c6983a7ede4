import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { impactBatchNotFound } from '../../operations/impact/read-environmental-status.ts';
import { batchTransactionToWire, impactBatchToWire } from '../../wire/environmental-status-to-wire.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import { pageMembers, placeOf } from '../paging.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { BatchParams, BatchTransactionsBody, ListTransactionsQuery, TRANSACTION_PAGE } from './environmental-schemas.ts';

interface Shape {
  Params: Static<typeof BatchParams>;
  Querystring: Static<typeof ListTransactionsQuery>;
}

const isPlace = (text: string) => text === '' || isLongIdentifier(text);

/**
 * The target of an event's `transactions_path`.
 *
 * @see docs/spec/settlements.md#4-environmental-status.
 */
export function listImpactBatchTransactions(app: FastifyInstance, { operations }: PartnerApiOptions): void {
  app.get<Shape>(
    '/v1/impact-batches/:impact_batch_id/transactions',
    {
      config: { operation: 'listImpactBatchTransactions', policy: REPORT },
      schema: {
        ...describeOperation('listImpactBatchTransactions'),
        params: BatchParams,
        querystring: ListTransactionsQuery,
        response: { 200: BatchTransactionsBody },
      },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { impact_batch_id: impactBatchId } = request.params;
      if (!isLongIdentifier(impactBatchId)) throw impactBatchNotFound();
      const { after_transaction: older, after, limit = TRANSACTION_PAGE.default } = request.query;
      const { partnerId } = callerOf(request);
      const list = { name: ['listImpactBatchTransactions', partnerId, impactBatchId], first: '', isPlace };
      const place = placeOf(list, after, { name: 'after_transaction', place: older });
      const cursor = { partnerId, impactBatchId, afterTransactionId: place || undefined, limit: Number(limit) };
      const found = await beforeDeadline(request, operations.readEnvironmentalStatus.transactions(cursor));
      const last = found.transactions.at(-1)?.transactionId;
      const body = {
        impact_batch: impactBatchToWire(found.shown, found.contributionCount),
        transactions: found.transactions.map(batchTransactionToWire),
        ...pageMembers(list, last ?? place, found.hasMore),
        next_after_transaction: found.hasMore ? (last ?? null) : null,
        request: { correlation_id: request.context.correlationId },
      };
      return sendWritten(reply, exactJson(body));
    },
  );
}
