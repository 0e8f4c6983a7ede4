import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isShortIdentifier } from '../identifiers.ts';
import { estimateEmissions } from './calculate-emissions.ts';
import { DISTANCE_MAX_METRES } from './distance.ts';
import { CURRENT_EMISSION_METHOD, EMISSION_METHODS, VEHICLE_CATEGORIES } from './emission-factors.ts';

test('createDeliveryEmissionsEstimate, Calculation: raw grams and kilograms are exact', () => {
  const examples = [
    [1, 'motorcycle_gasoline', '0.14323', '0.00014323'],
    [35, 'motorcycle_gasoline', '5.01305', '0.00501305'],
    [69, 'motorcycle_gasoline', '9.88287', '0.00988287'],
    [70, 'motorcycle_gasoline', '10.0261', '0.0100261'],
    [48, 'car_gasoline', '9.96048', '0.00996048'],
    [12_345, 'car_gasoline', '2561.71095', '2.56171095'],
    [10_000, 'motorcycle_gasoline', '1432.3', '1.4323'],
    [200_000, 'car_gasoline', '41502', '41.502'],
    [200_000, 'motorcycle_gasoline', '28646', '28.646'],
  ] as const;
  for (const [distanceMetres, vehicle, raw, kg] of examples) {
    const emissions = estimateEmissions(distanceMetres, vehicle);
    assert.equal(emissions.rawEmissionsGco2e, raw);
    assert.equal(emissions.estimatedEmissionsKgco2e, kg);
  }
});

test('Estimate, emission_factor_gco2e_per_km: 143.23 for motorcycle_gasoline and 207.51 for car_gasoline', () => {
  assert.equal(estimateEmissions(1, 'motorcycle_gasoline').emissionFactorGco2ePerKm, '143.23');
  assert.equal(estimateEmissions(1, 'car_gasoline').emissionFactorGco2ePerKm, '207.51');
});

test('createDeliveryEmissionsEstimate, Calculation: every distance gives factor times distance, and a thousandth of it', () => {
  // Texts with a point moved: no arithmetic in common with the code under test.
  const scaled = (text: string, decimals: number) => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(decimals, '0'));
  };
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: DISTANCE_MAX_METRES }),
      fc.constantFrom(...VEHICLE_CATEGORIES),
      (distanceMetres, vehicle) => {
        const { emissionFactorGco2ePerKm, rawEmissionsGco2e, estimatedEmissionsKgco2e } = estimateEmissions(
          distanceMetres,
          vehicle,
        );
        const product = BigInt(distanceMetres) * scaled(emissionFactorGco2ePerKm, 2);
        assert.equal(scaled(rawEmissionsGco2e, 5), product);
        assert.equal(scaled(estimatedEmissionsKgco2e, 8), product);
        for (const text of [rawEmissionsGco2e, estimatedEmissionsKgco2e]) assert.match(text, /^(0|[1-9]\d*)(\.\d*[1-9])?$/);
      },
    ),
  );
});

test('Versioning, rule 2: an estimate carries the labels of the rules applied, and the boundary well_to_wheel', () => {
  const { methodologyVersion, vehicleCatalogVersion, emissionFactorVersion, lifecycleBoundary } = estimateEmissions(
    1,
    'car_gasoline',
  );
  assert.equal(lifecycleBoundary, 'well_to_wheel');
  const labels = { methodologyVersion, vehicleCatalogVersion, emissionFactorVersion };
  assert.deepEqual(labels, {
    methodologyVersion: 'wtw-distance-1',
    vehicleCatalogVersion: 'vehicles-1',
    emissionFactorVersion: 'factors-1',
  });
  for (const label of Object.values(labels)) assert.ok(isShortIdentifier(label));
  assert.equal(EMISSION_METHODS.at(-1), CURRENT_EMISSION_METHOD);
});

test('createDeliveryEmissionsEstimate, vehicle_category: motorcycle_gasoline and car_gasoline, and no other', () => {
  assert.deepEqual(VEHICLE_CATEGORIES, ['motorcycle_gasoline', 'car_gasoline']);
});
