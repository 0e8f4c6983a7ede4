import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { acknowledgementFingerprint } from '../../domain/canonical-payloads.ts';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { settlementNotFound } from '../../operations/settlements/read-settlements.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { sendWritten, writtenAlready } from '../http/written-answer.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT_WRITE } from '../route-policy.ts';
import { markReplayed, WriteHeaders } from '../write-headers.ts';
import { AcknowledgeBody, AcknowledgedBody, SettlementParams } from './settlement-schemas.ts';

interface Shape {
  Params: Static<typeof SettlementParams>;
  Body: Static<typeof AcknowledgeBody>;
  Headers: Static<typeof WriteHeaders>;
}

/** @see docs/spec/settlements.md#2-settlement, field acknowledgement. */
export function acknowledgeSettlement(app: FastifyInstance, { operations }: PartnerApiOptions): void {
  app.post<Shape>(
    '/v1/settlements/:settlement_id/acknowledgement',
    {
      config: { operation: 'acknowledgeSettlement', policy: REPORT_WRITE },
      schema: {
        ...describeOperation('acknowledgeSettlement'),
        params: SettlementParams,
        querystring: NoQuery,
        headers: WriteHeaders,
        body: AcknowledgeBody,
        response: { 201: AcknowledgedBody },
      },
      serializerCompiler: writtenAlready,
    },
    async (request, reply) => {
      const { settlement_id: settlementId } = request.params;
      if (!isLongIdentifier(settlementId)) throw settlementNotFound();
      const { status, reference = null, note = null } = request.body;
      const idempotencyKey = request.headers['idempotency-key'];
      const { partnerId, keyId } = callerOf(request);
      const outcome = operations.acknowledgeSettlement({
        partnerId,
        settlementId,
        idempotencyKey,
        fingerprint: acknowledgementFingerprint(settlementId, request.body),
        acknowledgement: { status, reference, note },
        author: { operatorId: keyId, role: 'partner', correlationId: request.context.correlationId },
      });
      const { record, isReplay } = await beforeDeadline(request, outcome);
      if (isReplay) markReplayed(reply);
      const acknowledgement = {
        status: record.status,
        acknowledged_at: record.acknowledgedAt.toISOString(),
        reference: record.reference,
        note: record.note,
      };
      const echo = { correlation_id: request.context.correlationId, idempotency_key: idempotencyKey };
      return sendWritten(reply.code(201), exactJson({ settlement_id: settlementId, acknowledgement, request: echo }));
    },
  );
}
