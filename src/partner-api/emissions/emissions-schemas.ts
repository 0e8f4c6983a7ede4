import { VEHICLE_CATEGORIES } from '../../domain/emissions/emission-factors.ts';
import { Echo } from '../envelope-schemas.ts';
import { pageAnswer, pageQuery } from '../paging.ts';
import { closed, decimal, Environment, longId, nullable, nullableTime, shortId, time } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';
import { Association } from './association-schemas.ts';

/**
 * The shapes of estimates, and of the factors and the calculation behind them.
 *
 * @see docs/spec/interface.md#estimate-object-estimate; docs/spec/settlements.md#1-contribution-rules-the-version-labels.
 */

export const CreateEstimateBody = Type.Object(
  {
    partner_order_ref: shortId("The partner's reference of the order. It must not be personal."),
    distance_km: Type.String({
      format: 'distance-km',
      pattern: '^(0|[1-9][0-9]{0,2})(\\.[0-9]{1,3})?$',
      description: 'Kilometres as a plain decimal string: greater than 0, at most 200, at most three decimals.',
      'x-error-code': 'invalid_distance',
    }),
    distance_unit: Type.Unsafe<'km'>({ type: 'string', enum: ['km'], description: 'The unit of the distance: always `km`.' }),
    vehicle_category: Type.Unsafe<(typeof VEHICLE_CATEGORIES)[number]>({
      type: 'string',
      enum: [...VEHICLE_CATEGORIES],
      description: 'The vehicle of the delivery.',
      'x-error-code': 'unsupported_vehicle',
    }),
  },
  closed,
);

export const CalculationParams = Type.Object({
  calculation_id: longId('The id of the estimate, from the answer to its creation.'),
});
export const FactorsParams = Type.Object({
  emission_factor_version: shortId('The version of the emission factors, as in an estimate.'),
});

export const Estimate = Type.Object(
  {
    calculation_id: longId('The id of the estimate. The service assigns it.'),
    partner_order_ref: shortId("The partner's reference of the order."),
    status: Type.Unsafe<'calculated'>({
      type: 'string',
      enum: ['calculated'],
      description: 'Always `calculated`. For an expired estimate the service answers with the error `estimate_expired`.',
    }),
    distance_km: decimal('The distance in kilometres, as sent.'),
    distance_unit: Type.Unsafe<'km'>({ type: 'string', enum: ['km'], description: 'The unit of the distance: always `km`.' }),
    vehicle_category: Type.String({
      description: 'The vehicle of the delivery: `motorcycle_gasoline` or `car_gasoline`. The list is open.',
    }),
    methodology_version: Type.String({ description: 'The version of the calculation method.' }),
    vehicle_catalog_version: Type.String({ description: 'The version of the vehicle catalogue.' }),
    emission_factor_version: Type.String({ description: 'The version of the emission factors.' }),
    emission_factor_gco2e_per_km: decimal('The emission factor in grams of CO2e per kilometre.'),
    lifecycle_boundary: Type.Unsafe<'well_to_wheel'>({
      type: 'string',
      enum: ['well_to_wheel'],
      description: 'The emissions that are counted: always `well_to_wheel`.',
    }),
    raw_emissions_gco2e: decimal('The estimated emissions in grams of CO2e, exact.'),
    estimated_emissions_kgco2e: decimal('The estimated emissions in kilograms of CO2e: `raw_emissions_gco2e` / 1000, exact.'),
    display: Type.Object(
      {
        kgco2e_two_decimals: Type.String({
          description: 'Kilograms of CO2e with two decimals, rounded half up; `<0.01` below 0.01.',
        }),
        uses_less_than_threshold: Type.Boolean({ description: 'Whether the unrounded value is below 0.01.' }),
        formatted_en: Type.String({ description: 'The value and its unit, for English text.' }),
        formatted_ar: Type.String({ description: 'The value and its unit, for Arabic, right-to-left text.' }),
      },
      closed,
    ),
    disclosure_en: Type.String({ description: 'The sentence in English to show beside the value.' }),
    disclosure_ar: Type.String({ description: 'The sentence in Arabic to show beside the value.' }),
    calculated_at: time('When the service calculated the estimate, in UTC.'),
    expires_at: time('When the estimate expires, in UTC: 24 hours after its calculation. A linked estimate stays readable.'),
    environment: Environment,
  },
  closed,
);

const oneWord = <Word extends string>(word: Word, description: string) =>
  Type.Unsafe<Word>({ type: 'string', enum: [word], description });

const boundary = oneWord('well_to_wheel', 'The emissions that are counted: always `well_to_wheel`.');

export const EmissionFactors = Type.Object(
  {
    emission_factor_version: Type.String({ description: 'The version of the emission factors, as estimates name it.' }),
    methodology_version: Type.String({ description: 'The version of the calculation method.' }),
    vehicle_catalog_version: Type.String({ description: 'The version of the vehicle catalogue.' }),
    lifecycle_boundary: boundary,
    unit: oneWord('gco2e_per_km', 'The unit of every factor: grams of CO2e per kilometre.'),
    allocation: oneWord(
      'whole_vehicle',
      'A factor is for the whole vehicle. The service does not divide emissions between parcels.',
    ),
    valid_from: nullableTime('From when this version applies, in UTC; `null` for the first one.'),
    valid_until: nullableTime('Until when this version applies, in UTC, exclusive; `null` while no other follows.'),
    factors: Type.Array(
      Type.Object(
        {
          vehicle_category: Type.String({ description: 'The vehicle category, as in an estimate. The list is open.' }),
          emission_factor_gco2e_per_km: decimal('The emission factor in grams of CO2e per kilometre.'),
        },
        closed,
      ),
      { description: 'One factor for each vehicle category.' },
    ),
    source: nullable({}, 'The source of the factors as the operator named it; `null` without one.'),
  },
  closed,
);

export const Calculation = Type.Object(
  {
    calculation_id: longId('The id of the estimate.'),
    distance_km: decimal('The distance in kilometres, as sent.'),
    distance_unit: oneWord('km', 'The unit of the distance: always `km`.'),
    vehicle_category: Type.String({ description: 'The vehicle category, as in an estimate. The list is open.' }),
    emission_factor_gco2e_per_km: decimal('The emission factor in grams of CO2e per kilometre.'),
    emission_factor_unit: oneWord('gco2e_per_km', 'The unit of the factor: always `gco2e_per_km`.'),
    steps: Type.Array(
      Type.Object(
        {
          name: Type.Unsafe<string>({
            type: 'string',
            enum: ['product', 'division', 'threshold', 'rounding'],
            description: 'The operation of this step.',
          }),
          expression: Type.String({ description: 'The arithmetic of this step, to repeat by hand.' }),
          result: Type.String({ description: 'The exact result; for `rounding` the text that is shown.' }),
          unit: Type.Unsafe<string | null>({
            type: ['string', 'null'],
            enum: ['gco2e', 'kgco2e', null],
            description: 'The unit of the result; `null` for the comparison with the threshold.',
          }),
        },
        closed,
      ),
      {
        description:
          'The steps in order. The division begins with the result of the product, the threshold and the rounding with that of the division.',
      },
    ),
    rounding_mode: oneWord('half_up', 'How the service rounds a value halfway between two others: up.'),
    methodology_version: Type.String({ description: 'The version of the calculation method.' }),
    vehicle_catalog_version: Type.String({ description: 'The version of the vehicle catalogue.' }),
    emission_factor_version: Type.String({ description: 'The version of the emission factors.' }),
    lifecycle_boundary: boundary,
  },
  closed,
);

export const EstimateBody = Type.Object({ estimate: Estimate, association: Association, request: Echo }, closed);

export const FACTORS_PAGE = { default: 100, max: 100 } as const;
export const ListFactorsQuery = Type.Object(pageQuery(FACTORS_PAGE), closed);

export const EmissionFactorsListBody = Type.Object(
  {
    emission_factors: Type.Array(EmissionFactors, { description: 'All versions, the oldest first.' }),
    ...pageAnswer,
    request: Echo,
  },
  closed,
);

export const EmissionFactorsBody = Type.Object({ emission_factors: EmissionFactors, request: Echo }, closed);
export const CalculationBody = Type.Object({ calculation: Calculation, request: Echo }, closed);
