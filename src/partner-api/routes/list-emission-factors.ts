import type { FastifyInstance } from 'fastify';
import { listEmissionFactors as listAll } from '../../domain/emission-factors.ts';
import { emissionFactorsToWire } from '../../wire/wire.ts';
import { EmissionFactorsListBody } from '../emissions-schemas.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { describeOperation } from '../openapi-operations.ts';

/** The public table of factors. @see settlements, section 1. */
export function listEmissionFactors(app: FastifyInstance): void {
  app.get(
    '/v1/emissions/factors',
    {
      config: { operation: 'listEmissionFactors', terms: { trafficClass: 'reports', inFlightMax: 400, isWrite: false } },
      schema: {
        ...describeOperation('listEmissionFactors'),
        querystring: NoQuery,
        response: { 200: EmissionFactorsListBody },
      },
    },
    async (request) => ({
      emission_factors: listAll().map(emissionFactorsToWire),
      request: { correlation_id: request.context.correlationId },
    }),
  );
}
