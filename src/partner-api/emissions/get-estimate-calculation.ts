import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { calculationSheet } from '../../domain/emissions/calculation-sheet.ts';
import { isLongIdentifier } from '../../domain/identifiers.ts';
import { estimateNotFound } from '../../operations/emissions/get-delivery-emissions-estimate.ts';
import { calculationToWire } from '../../wire/estimate-to-wire.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { beforeDeadline } from '../http/deadline.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import type { PartnerApiOptions } from '../partner-api-options.ts';
import { callerOf } from '../request-context.ts';
import { REPORT } from '../route-policy.ts';
import { CalculationBody, CalculationParams } from './emissions-schemas.ts';

/**
 * The calculation sheet of an estimate, as long as the estimate can be read.
 *
 * @see docs/spec/settlements.md#1-contribution-rules-the-version-labels.
 */
export function getEstimateCalculation(app: FastifyInstance, { operations }: PartnerApiOptions): void {
  app.get<{ Params: Static<typeof CalculationParams> }>(
    '/v1/emissions/estimates/:calculation_id/calculation',
    {
      config: { operation: 'getEstimateCalculation', policy: REPORT },
      schema: {
        ...describeOperation('getEstimateCalculation'),
        params: CalculationParams,
        querystring: NoQuery,
        response: { 200: CalculationBody },
      },
    },
    async (request) => {
      const { calculation_id: calculationId } = request.params;
      if (!isLongIdentifier(calculationId)) throw estimateNotFound();
      const lookup = { partnerId: callerOf(request).partnerId, calculationId, arrivedAtMs: request.context.arrivedAtMs };
      const { estimate } = await beforeDeadline(request, operations.getDeliveryEmissionsEstimate(lookup));
      return {
        calculation: calculationToWire(calculationSheet(estimate)),
        request: { correlation_id: request.context.correlationId },
      };
    },
  );
}
