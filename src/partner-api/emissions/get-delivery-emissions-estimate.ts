import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { estimateNotFound } from '../../operations/emissions/get-delivery-emissions-estimate.ts';
import { associationToWire } from '../../wire/contribution-to-wire.ts';
import { estimateToWire } from '../../wire/estimate-to-wire.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { ESTIMATE_LOOKUP } from '../route-policy.ts';
import { CalculationParams, EstimateBody } from './emissions-schemas.ts';

/** @see docs/spec/interface.md#getdeliveryemissionsestimate. */
export function getDeliveryEmissionsEstimate(app: FastifyInstance, { operations, environment }: PartnerApiOptions): void {
  app.get<{ Params: Static<typeof CalculationParams> }>(
    '/v1/emissions/estimates/:calculation_id',
    {
      config: { operation: 'getDeliveryEmissionsEstimate', policy: ESTIMATE_LOOKUP },
      schema: {
        ...describeOperation('getDeliveryEmissionsEstimate'),
        params: CalculationParams,
        querystring: NoQuery,
        response: { 200: EstimateBody },
      },
    },
    async (request) => {
      const { calculation_id: calculationId } = request.params;
      if (!isLongIdentifier(calculationId)) throw estimateNotFound();
      const lookup = { partnerId: callerOf(request).partnerId, calculationId, arrivedAtMs: request.context.arrivedAtMs };
      const { estimate, link } = await beforeDeadline(request, operations.getDeliveryEmissionsEstimate(lookup));
      return {
        estimate: estimateToWire(estimate, environment),
        association: associationToWire(link ? { status: 'associated', link } : { status: 'not_requested' }, environment),
        request: { correlation_id: request.context.correlationId },
      };
    },
  );
}
