import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CURRENT_EMISSION_METHOD, EMISSION_METHODS, findEmissionFactors, listEmissionFactors } from './emission-factors.ts';

test('settlements, section 1: the table publishes factors, unit, boundary and validity of every version', () => {
  assert.deepEqual(listEmissionFactors(), [
    {
      emissionFactorVersion: 'factors-1',
      methodologyVersion: 'wtw-distance-1',
      vehicleCatalogVersion: 'vehicles-1',
      lifecycleBoundary: 'well_to_wheel',
      unit: 'gco2e_per_km',
      allocation: 'whole_vehicle',
      validFrom: null,
      validUntil: null,
      factors: [
        { vehicleCategory: 'motorcycle_gasoline', emissionFactorGco2ePerKm: '143.23' },
        { vehicleCategory: 'car_gasoline', emissionFactorGco2ePerKm: '207.51' },
      ],
      source: null,
    },
  ]);
  assert.deepEqual(findEmissionFactors('factors-1'), listEmissionFactors()[0]);
  for (const version of ['factors-2', '', 'constructor']) assert.equal(findEmissionFactors(version), undefined, version);
});

test('settlements, section 1: no conformity with a standard is claimed', () => {
  assert.doesNotMatch(JSON.stringify(listEmissionFactors()), /ISO|GLEC|EN ?16258|conform|certif/i);
});

test('settlements, section 1: versions follow one another without gap or overlap, and the last one is in use', () => {
  assert.equal(EMISSION_METHODS[0]?.validFrom, null);
  assert.equal(CURRENT_EMISSION_METHOD.validUntil, null);
  assert.equal(EMISSION_METHODS.at(-1), CURRENT_EMISSION_METHOD);
  for (const [n, { validUntil }] of EMISSION_METHODS.slice(0, -1).entries()) {
    assert.ok(validUntil);
    assert.equal(EMISSION_METHODS[n + 1]?.validFrom, validUntil);
  }
  const labels = EMISSION_METHODS.map(({ emissionFactorVersion }) => emissionFactorVersion);
  assert.equal(new Set(labels).size, labels.length);
});
