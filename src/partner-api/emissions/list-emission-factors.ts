import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { listEmissionFactors as listAll } from '../../domain/emissions/emission-factors.ts';
import { emissionFactorsToWire } from '../../wire/estimate-to-wire.ts';
import { describeOperation } from '../openapi/openapi-operations.ts';
import { pageMembers, placeOf } from '../paging.ts';
import { REPORT } from '../route-policy.ts';
import { isIntegerText } from '../validation/integer-text.ts';
import { EmissionFactorsListBody, FACTORS_PAGE, ListFactorsQuery } from './emissions-schemas.ts';

/** Versions are only appended: the position of one is its number. */
const LIST = { name: ['listEmissionFactors'], first: '0', isPlace: (text: string) => isIntegerText(text, PLACES) };
const PLACES = { minimum: 0, maximum: 1_000_000 };

/** The public table of factors. @see docs/spec/settlements.md#1-contribution-rules-the-version-labels. */
export function listEmissionFactors(app: FastifyInstance): void {
  app.get<{ Querystring: Static<typeof ListFactorsQuery> }>(
    '/v1/emissions/factors',
    {
      config: { operation: 'listEmissionFactors', policy: REPORT },
      schema: {
        ...describeOperation('listEmissionFactors'),
        querystring: ListFactorsQuery,
        response: { 200: EmissionFactorsListBody },
      },
    },
    async (request) => {
      const { after, limit = FACTORS_PAGE.default } = request.query;
      const place = Number(placeOf(LIST, after));
      const all = listAll();
      const shown = all.slice(place, place + Number(limit));
      return {
        emission_factors: shown.map(emissionFactorsToWire),
        ...pageMembers(LIST, String(place + shown.length), place + shown.length < all.length),
        request: { correlation_id: request.context.correlationId },
      };
    },
  );
}
