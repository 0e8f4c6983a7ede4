import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { findEmissionFactors } from '../../domain/emissions/emission-factors.ts';
import { emissionFactorsToWire } from '../../wire/estimate-to-wire.ts';
import { NoQuery } from '../envelope-schemas.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import { REPORT } from '../route-policy.ts';
import { factorsNotFound } from './emission-factors-not-found.ts';
import { EmissionFactorsBody, FactorsParams } from './emissions-schemas.ts';

/** One version of the factors. @see docs/spec/settlements.md#1-contribution-rules-the-version-labels. */
export function getEmissionFactors(app: FastifyInstance): void {
  app.get<{ Params: Static<typeof FactorsParams> }>(
    '/v1/emissions/factors/:emission_factor_version',
    {
      config: { operation: 'getEmissionFactors', policy: REPORT },
      schema: {
        ...describeOperation('getEmissionFactors'),
        params: FactorsParams,
        querystring: NoQuery,
        response: { 200: EmissionFactorsBody },
      },
    },
    async (request) => {
      const found = findEmissionFactors(request.params.emission_factor_version);
      if (!found) throw factorsNotFound();
      return { emission_factors: emissionFactorsToWire(found), request: { correlation_id: request.context.correlationId } };
    },
  );
}
