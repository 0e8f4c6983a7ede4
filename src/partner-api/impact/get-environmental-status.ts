import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { environmentalStatusToWire } from '../../wire/environmental-status-to-wire.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { TransactionParams } from '../contributions/contribution-schemas.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { EnvironmentalStatusBody } from './environmental-schemas.ts';

/** @see docs/spec/settlements.md#4-environmental-status, the contribution's own path. */
export function getEnvironmentalStatus(app: FastifyInstance, { operations }: PartnerApiOptions): void {
  app.get<{ Params: Static<typeof TransactionParams> }>(
    '/v1/impact-transactions/:transaction_id/environmental-status',
    {
      config: { operation: 'getEnvironmentalStatus', policy: { ...REPORT, recoverable: 'lookup' } },
      schema: {
        ...describeOperation('getEnvironmentalStatus'),
        params: TransactionParams,
        querystring: NoQuery,
        response: { 200: EnvironmentalStatusBody },
      },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { transaction_id: transactionId } = request.params;
      if (!isLongIdentifier(transactionId)) throw contributionNotFound('transaction_id');
      const id = { partnerId: callerOf(request).partnerId, transactionId };
      const { contribution, shown } = await beforeDeadline(request, operations.readEnvironmentalStatus.ofContribution(id));
      const body = {
        environmental_status: environmentalStatusToWire(contribution, shown),
        request: { correlation_id: request.context.correlationId },
      };
      return sendWritten(reply, exactJson(body));
    },
  );
}
