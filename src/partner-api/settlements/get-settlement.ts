import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { settlementNotFound } from '../../operations/settlements/read-settlements.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { settlementToWire } from '../../wire/settlement-to-wire.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { SettlementBody, SettlementParams } from './settlement-schemas.ts';

/** @see docs/spec/settlements.md#2-settlement, Fields. */
export function getSettlement(app: FastifyInstance, { operations, environment }: PartnerApiOptions): void {
  app.get<{ Params: Static<typeof SettlementParams> }>(
    '/v1/settlements/:settlement_id',
    {
      config: { operation: 'getSettlement', policy: REPORT },
      schema: {
        ...describeOperation('getSettlement'),
        params: SettlementParams,
        querystring: NoQuery,
        response: { 200: SettlementBody },
      },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { settlement_id: settlementId } = request.params;
      if (!isLongIdentifier(settlementId)) throw settlementNotFound();
      const id = { partnerId: callerOf(request).partnerId, settlementId };
      const shown = await beforeDeadline(request, operations.readSettlements.byId(id));
      const settlement = settlementToWire(shown, environment);
      return sendWritten(reply, exactJson({ settlement, request: { correlation_id: request.context.correlationId } }));
    },
  );
}
