import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { associationFingerprint } from '../../domain/canonical-payloads.ts';
import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { associationToWire } from '../../wire/contribution-to-wire.ts';
import { TransactionParams } from '../contributions/contribution-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { ESTIMATE_WRITE } from '../route-policy.ts';
import { markReplayed, WriteHeaders } from '../write-headers.ts';
import { AssociatedBody, AssociateEstimateBody } from './association-schemas.ts';

interface Shape {
  Params: Static<typeof TransactionParams>;
  Body: Static<typeof AssociateEstimateBody>;
  Headers: Static<typeof WriteHeaders>;
}

/** @see docs/spec/interface.md#associateemissionsestimate. */
export function associateEmissionsEstimate(app: FastifyInstance, { operations, environment }: PartnerApiOptions): void {
  app.post<Shape>(
    '/v1/impact-transactions/:transaction_id/emissions-associations',
    {
      config: { operation: 'associateEmissionsEstimate', policy: { ...ESTIMATE_WRITE, recoverable: 'associate' } },
      schema: {
        ...describeOperation('associateEmissionsEstimate'),
        params: TransactionParams,
        headers: WriteHeaders,
        body: AssociateEstimateBody,
        response: { 201: AssociatedBody },
      },
    },
    async (request, reply) => {
      const { partnerId, isSuspended, unverified } = callerOf(request);
      const { transaction_id: transactionId } = request.params;
      const idempotencyKey = request.headers['idempotency-key'];
      if (!isLongIdentifier(transactionId)) throw contributionNotFound('transaction_id');
      const association = operations.associateEmissionsEstimate({
        partnerId,
        isSuspended,
        isUnverified: unverified === 'partner',
        idempotencyKey,
        fingerprint: associationFingerprint(transactionId, request.body),
        transactionId,
        calculationId: request.body.calculation_id,
        correlationId: request.context.correlationId,
        arrivedAtMs: request.context.arrivedAtMs,
      });
      const { link, isReplay } = await beforeDeadline(request, association);
      if (isReplay) markReplayed(reply);
      return reply.code(201).send({
        association: associationToWire({ status: 'associated', link }, environment),
        contribution_status: 'confirmed',
        request: { correlation_id: request.context.correlationId, idempotency_key: idempotencyKey },
      });
    },
  );
}
