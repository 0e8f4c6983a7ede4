import { Type } from 'typebox';
import { VEHICLE_CATEGORIES } from '../../domain/emissions/emissions.ts';
import { Echo } from '../envelope-schemas.ts';
import { pageAnswer, pageQuery } from '../paging.ts';
import { closed, decimal, Environment, longId, nullable, nullableTime, shortId, time } from '../schema-parts.ts';
import { Association } from './association-schemas.ts';

/**
 * The shapes of estimates, and of the factors and the calculation behind them.
 *
 * @see docs/spec/interface.md#estimate-object-estimate; docs/spec/settlements.md#1-contribution-rules-the-version-labels.
 */

export const CreateEstimateBody = Type.Object(
  {
    partner_order_ref: shortId('Non-personal reference of the order.'),
    distance_km: Type.String({
      format: 'distance-km',
      pattern: '^(0|[1-9][0-9]{0,2})(\\.[0-9]{1,3})?$',
      description: 'Kilometres as a plain decimal string: greater than 0, at most 200, at most three decimals.',
      'x-error-code': 'invalid_distance',
    }),
    distance_unit: Type.Unsafe<'km'>({ type: 'string', enum: ['km'], description: 'Always `km`.' }),
    vehicle_category: Type.Unsafe<(typeof VEHICLE_CATEGORIES)[number]>({
      type: 'string',
      enum: [...VEHICLE_CATEGORIES],
      description: 'Vehicle of the delivery.',
      'x-error-code': 'unsupported_vehicle',
    }),
  },
  closed,
);

export const CalculationParams = Type.Object({ calculation_id: longId('As given by the estimate.') });
export const FactorsParams = Type.Object({ emission_factor_version: shortId('As in an estimate.') });

export const Estimate = Type.Object(
  {
    calculation_id: longId('Assigned by the service.'),
    partner_order_ref: shortId('Reference of the order.'),
    status: Type.Unsafe<'calculated'>({
      type: 'string',
      enum: ['calculated'],
      description: 'Expiry is told by the error `estimate_expired`.',
    }),
    distance_km: decimal('Kilometres, as sent.'),
    distance_unit: Type.Unsafe<'km'>({ type: 'string', enum: ['km'], description: 'Always `km`.' }),
    vehicle_category: Type.String({ description: 'An open list: `motorcycle_gasoline` and `car_gasoline` so far.' }),
    methodology_version: Type.String({ description: 'Version of the method.' }),
    vehicle_catalog_version: Type.String({ description: 'Version of the vehicle catalogue.' }),
    emission_factor_version: Type.String({ description: 'Version of the factors.' }),
    emission_factor_gco2e_per_km: decimal('Grams of CO2e per kilometre.'),
    lifecycle_boundary: Type.Unsafe<'well_to_wheel'>({
      type: 'string',
      enum: ['well_to_wheel'],
      description: 'Always `well_to_wheel`.',
    }),
    raw_emissions_gco2e: decimal('Grams of CO2e, exact.'),
    estimated_emissions_kgco2e: decimal('Kilograms of CO2e: raw_emissions_gco2e / 1000, exact.'),
    display: Type.Object(
      {
        kgco2e_two_decimals: Type.String({ description: 'Two decimals, rounded half up; `<0.01` below the threshold.' }),
        uses_less_than_threshold: Type.Boolean({ description: 'The unrounded value is below 0.01.' }),
        formatted_en: Type.String({ description: 'For English text.' }),
        formatted_ar: Type.String({ description: 'For Arabic, right-to-left text.' }),
      },
      closed,
    ),
    disclosure_en: Type.String({ description: 'To be shown beside the value.' }),
    disclosure_ar: Type.String({ description: 'To be shown beside the value.' }),
    calculated_at: time('UTC.'),
    expires_at: time('24 hours after calculation. A linked estimate stays readable.'),
    environment: Environment,
  },
  closed,
);

const oneWord = <Word extends string>(word: Word, description: string) =>
  Type.Unsafe<Word>({ type: 'string', enum: [word], description });

const boundary = oneWord('well_to_wheel', 'Always `well_to_wheel`.');

export const EmissionFactors = Type.Object(
  {
    emission_factor_version: Type.String({ description: 'The label that estimates carry.' }),
    methodology_version: Type.String({ description: 'Version of the method.' }),
    vehicle_catalog_version: Type.String({ description: 'Version of the vehicle catalogue.' }),
    lifecycle_boundary: boundary,
    unit: oneWord('gco2e_per_km', 'Of every factor: grams of CO2e per kilometre.'),
    allocation: oneWord('whole_vehicle', 'A factor is for the whole vehicle: nothing is shared out between the parcels.'),
    valid_from: nullableTime('UTC; `null`: from the first estimate on.'),
    valid_until: nullableTime('UTC, exclusive; `null`: until another version follows.'),
    factors: Type.Array(
      Type.Object(
        {
          vehicle_category: Type.String({ description: 'An open list; see the estimate.' }),
          emission_factor_gco2e_per_km: decimal('Grams of CO2e per kilometre.'),
        },
        closed,
      ),
      { description: 'One for each vehicle category.' },
    ),
    source: nullable({}, 'Where the factors come from, in the words of the operator; `null` where that was not said.'),
  },
  closed,
);

export const Calculation = Type.Object(
  {
    calculation_id: longId('The estimate.'),
    distance_km: decimal('Kilometres, as sent.'),
    distance_unit: oneWord('km', 'Always `km`.'),
    vehicle_category: Type.String({ description: 'An open list; see the estimate.' }),
    emission_factor_gco2e_per_km: decimal('Grams of CO2e per kilometre.'),
    emission_factor_unit: oneWord('gco2e_per_km', 'Always `gco2e_per_km`.'),
    steps: Type.Array(
      Type.Object(
        {
          name: Type.Unsafe<string>({
            type: 'string',
            enum: ['product', 'division', 'threshold', 'rounding'],
            description: 'What is done.',
          }),
          expression: Type.String({ description: 'To be done by hand.' }),
          result: Type.String({ description: 'Exact; of the rounding what is shown.' }),
          unit: Type.Unsafe<string | null>({
            type: ['string', 'null'],
            enum: ['gco2e', 'kgco2e', null],
            description: 'Of the result; `null` for the answer to a question.',
          }),
        },
        closed,
      ),
      { description: 'In their order: each goes on with the result of the one before.' },
    ),
    rounding_mode: oneWord('half_up', 'How the rounding decides between two neighbours.'),
    methodology_version: Type.String({ description: 'Version of the method.' }),
    vehicle_catalog_version: Type.String({ description: 'Version of the vehicle catalogue.' }),
    emission_factor_version: Type.String({ description: 'Version of the factors.' }),
    lifecycle_boundary: boundary,
  },
  closed,
);

export const EstimateBody = Type.Object({ estimate: Estimate, association: Association, request: Echo }, closed);

export const FACTORS_PAGE = { default: 100, max: 100 } as const;
export const ListFactorsQuery = Type.Object(pageQuery(FACTORS_PAGE), closed);

export const EmissionFactorsListBody = Type.Object(
  {
    emission_factors: Type.Array(EmissionFactors, { description: 'Every version there ever was, oldest first.' }),
    ...pageAnswer,
    request: Echo,
  },
  closed,
);

export const EmissionFactorsBody = Type.Object({ emission_factors: EmissionFactors, request: Echo }, closed);
export const CalculationBody = Type.Object({ calculation: Calculation, request: Echo }, closed);
