import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { estimateEmissions } from './calculate-emissions.ts';
import { calculationSheet } from './calculation-sheet.ts';
import { DISTANCE_MAX_METRES, distanceText } from './distance.ts';
import { VEHICLE_CATEGORIES, type VehicleCategory } from './emission-factors.ts';
import { displayEmissions } from './emissions-display.ts';
import type { Estimate } from './estimate.ts';

function estimate(distanceMetres: number, vehicleCategory: VehicleCategory, distanceKm = distanceText(distanceMetres)): Estimate {
  const calculatedAt = new Date('2026-11-20T19:29:00.000Z');
  return {
    ...estimateEmissions(distanceMetres, vehicleCategory),
    calculationId: 'calc_01KA2Z9V7M5CEN5XA66EMZSRZW',
    partnerOrderRef: 'ORDER-1',
    status: 'calculated',
    distanceKm,
    vehicleCategory,
    calculatedAt,
    expiresAt: calculatedAt,
  };
}

const steps = (of: Estimate) =>
  calculationSheet(of).steps.map(({ name, expression, result }) => `${name}: ${expression} = ${result}`);

test('settlements, section 1, calculation: the sheet has every step, enough to get the same digits by hand', () => {
  assert.deepEqual(steps(estimate(12_345, 'car_gasoline')), [
    'product: 12.345 × 207.51 = 2561.71095',
    'division: 2561.71095 ÷ 1000 = 2.56171095',
    'threshold: 2.56171095 < 0.01 = false',
    'rounding: 2.56171095 rounded half up to two decimals = 2.56',
  ]);
});

test('settlements, section 1, calculation: below the threshold the sheet says that nothing is rounded', () => {
  assert.deepEqual(steps(estimate(69, 'motorcycle_gasoline')), [
    'product: 0.069 × 143.23 = 9.88287',
    'division: 9.88287 ÷ 1000 = 0.00988287',
    'threshold: 0.00988287 < 0.01 = true',
    'rounding: not rounded: below the threshold = <0.01',
  ]);
});

test('settlements, section 1, calculation: the distance stands as it was sent, and the labels as they were applied', () => {
  const sheet = calculationSheet(estimate(12_500, 'car_gasoline', '12.50'));
  assert.equal(sheet.steps[0]?.expression, '12.50 × 207.51');
  const { methodologyVersion, vehicleCatalogVersion, emissionFactorVersion, lifecycleBoundary } = sheet;
  assert.deepEqual(
    [methodologyVersion, vehicleCatalogVersion, emissionFactorVersion, lifecycleBoundary],
    ['wtw-distance-1', 'vehicles-1', 'factors-1', 'well_to_wheel'],
  );
});

test('settlements, section 1, calculation: every estimate has a sheet, with the digits that it shows', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: DISTANCE_MAX_METRES }),
      fc.constantFrom(...VEHICLE_CATEGORIES),
      (distanceMetres, vehicleCategory) => {
        const of = estimate(distanceMetres, vehicleCategory);
        const results = calculationSheet(of).steps.map(({ result }) => result);
        const { kgco2eTwoDecimals, usesLessThanThreshold } = displayEmissions(of.estimatedEmissionsKgco2e);
        const shown = [String(usesLessThanThreshold), kgco2eTwoDecimals];
        assert.deepEqual(results, [of.rawEmissionsGco2e, of.estimatedEmissionsKgco2e, ...shown]);
      },
    ),
  );
});

test('settlements, section 1, calculation: an estimate that does not follow from its own figures is a defect, never a sheet', () => {
  const of = estimate(12_345, 'car_gasoline');
  const changed = [
    { distanceKm: '12.346' },
    { emissionFactorGco2ePerKm: '207.52' },
    { rawEmissionsGco2e: '2561.7109' },
    { distanceKm: 'x' },
  ];
  for (const change of [...changed, { estimatedEmissionsKgco2e: '2.5617' }])
    assert.throws(() => calculationSheet({ ...of, ...change }), /does not follow from its distance and factor/);
});
