import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { distanceText, readDistanceKm } from '../../domain/emissions/distance.ts';
import { fingerprint } from '../../domain/fingerprint.ts';
import { estimateToWire } from '../../wire/estimate-to-wire.ts';
import type { PartnerApiOptions } from '../app.ts';
import { WriteHeaders } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import { callerOf } from '../request-context.ts';
import { CreateEstimateBody, EstimateBody } from './emissions-schemas.ts';

/** @see docs/spec/interface.md#createdeliveryemissionsestimate. */
export function createDeliveryEmissionsEstimate(app: FastifyInstance, { operations, environment }: PartnerApiOptions): void {
  app.post<{ Body: Static<typeof CreateEstimateBody>; Headers: Static<typeof WriteHeaders> }>(
    '/v1/emissions/estimates',
    {
      config: {
        operation: 'createDeliveryEmissionsEstimate',
        terms: { trafficClass: 'writes', inFlightMax: 480, isWrite: true },
      },
      schema: {
        ...describeOperation('createDeliveryEmissionsEstimate'),
        headers: WriteHeaders,
        body: CreateEstimateBody,
        response: { 201: EstimateBody },
      },
    },
    async (request, reply) => {
      const { partnerId, isSuspended, unproven } = callerOf(request);
      const { partner_order_ref, distance_km, distance_unit, vehicle_category } = request.body;
      const distanceMetres = readDistanceKm(distance_km) as number;
      const payload = { partner_order_ref, distance_km: distanceText(distanceMetres), distance_unit, vehicle_category };
      const estimation = operations.createDeliveryEmissionsEstimate({
        partnerId,
        isSuspended,
        isUnproven: unproven === 'partner',
        idempotencyKey: request.headers['idempotency-key'],
        fingerprint: fingerprint('createDeliveryEmissionsEstimate', payload),
        partnerOrderRef: partner_order_ref,
        distanceKm: distance_km,
        distanceMetres,
        vehicleCategory: vehicle_category,
      });
      const { record, isReplay } = await beforeDeadline(estimation);
      if (isReplay) reply.header('idempotent-replayed', 'true');
      return reply.code(201).send({
        estimate: estimateToWire(record.estimate, environment),
        association: { status: 'not_requested' },
        request: { correlation_id: request.context.correlationId },
      });
    },
  );
}
