import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { estimateFingerprint } from '../../domain/canonical-payloads.ts';
import { readDistanceKm } from '../../domain/emissions/distance.ts';
import type { EstimateRequest } from '../../operations/emissions/create-delivery-emissions-estimate.ts';
import { estimateToWire } from '../../wire/estimate-to-wire.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { ESTIMATE_WRITE } from '../route-policy.ts';
import { playOrDo } from '../sandbox/play-scenario.ts';
import { scenarioProblems } from '../sandbox/scenario-of-request.ts';
import { markReplayed, RehearsedHeaders } from '../write-headers.ts';
import { CreateEstimateBody, EstimateBody } from './emissions-schemas.ts';

const OPERATION = 'createDeliveryEmissionsEstimate' as const;

/** @see docs/spec/interface.md#createdeliveryemissionsestimate. */
export function createDeliveryEmissionsEstimate(app: FastifyInstance, options: PartnerApiOptions): void {
  const { environment, operations } = options;
  app.post<{ Body: Static<typeof CreateEstimateBody>; Headers: Static<typeof RehearsedHeaders> }>(
    '/v1/emissions/estimates',
    {
      config: {
        operation: 'createDeliveryEmissionsEstimate',
        policy: ESTIMATE_WRITE,
        headerProblems: scenarioProblems(options, 'createDeliveryEmissionsEstimate'),
      },
      schema: {
        ...describeOperation('createDeliveryEmissionsEstimate'),
        headers: RehearsedHeaders,
        body: CreateEstimateBody,
        response: { 201: EstimateBody },
      },
    },
    async (request, reply) => {
      const { partnerId, isSuspended, unverified } = callerOf(request);
      const { body } = request;
      const distanceMetres = readDistanceKm(body.distance_km) as number;
      const estimation: EstimateRequest = {
        partnerId,
        isSuspended,
        isUnverified: unverified === 'partner',
        idempotencyKey: request.headers['idempotency-key'],
        fingerprint: estimateFingerprint(body, distanceMetres),
        partnerOrderRef: body.partner_order_ref,
        distanceKm: body.distance_km,
        distanceMetres,
        vehicleCategory: body.vehicle_category,
      };
      const rehearsable = { request, reply, operation: OPERATION, payload: estimation };
      const ways = { plain: operations.createDeliveryEmissionsEstimate, rehearsed: operations.applyScenario.estimate };
      const outcome = await playOrDo(options, rehearsable, ways);
      if (!outcome) return reply;
      const { record, isReplay } = outcome;
      if (isReplay) markReplayed(reply);
      return reply.code(201).send({
        estimate: estimateToWire(record.estimate, environment),
        association: { status: 'not_requested' },
        request: { correlation_id: request.context.correlationId },
      });
    },
  );
}
