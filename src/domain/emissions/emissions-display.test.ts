import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { estimateEmissions } from './calculate-emissions.ts';
import { DISTANCE_MAX_METRES } from './distance.ts';
import { VEHICLE_CATEGORIES } from './emission-factors.ts';
import { displayEmissions } from './emissions-display.ts';

const KG_AR = 'كجم من مكافئ ثاني أكسيد الكربون';

test('Estimate, display rules: the worked examples', () => {
  const examples = [
    [1, 'motorcycle_gasoline', '<0.01', true],
    [35, 'motorcycle_gasoline', '<0.01', true],
    [69, 'motorcycle_gasoline', '<0.01', true],
    [70, 'motorcycle_gasoline', '0.01', false],
    [48, 'car_gasoline', '<0.01', true],
    [12_345, 'car_gasoline', '2.56', false],
    [200_000, 'car_gasoline', '41.50', false],
  ] as const;
  for (const [distanceMetres, vehicle, shown, isBelow] of examples) {
    const display = displayEmissions(estimateEmissions(distanceMetres, vehicle).estimatedEmissionsKgco2e);
    assert.equal(display.kgco2eTwoDecimals, shown);
    assert.equal(display.usesLessThanThreshold, isBelow);
    assert.equal(display.formattedEn, `${shown} kg CO2e`);
  }
});

test('Estimate, display rule 1: two decimals, rounded half up', () => {
  const examples = {
    '0.015': '0.02',
    '0.0149': '0.01',
    '0.01': '0.01',
    '0.99499999': '0.99',
    '0.995': '1.00',
    '1.005': '1.01',
    '1.2': '1.20',
    '41': '41.00',
    '1.23': '1.23',
  };
  for (const [kg, shown] of Object.entries(examples)) assert.equal(displayEmissions(kg).kgco2eTwoDecimals, shown, kg);
});

test('Estimate, display rule 2: the threshold tests the value before it is rounded', () => {
  for (const kg of ['0', '0.00000001', '0.005', '0.00988287', '0.00999999']) {
    assert.equal(displayEmissions(kg).usesLessThanThreshold, true, kg);
    assert.equal(displayEmissions(kg).kgco2eTwoDecimals, '<0.01', kg);
  }
  assert.equal(displayEmissions('0.01').usesLessThanThreshold, false);
});

test('Estimate, display, formatted_ar: Latin digits, and "<0.01" stands between U+2066 and U+2069', () => {
  assert.equal(displayEmissions('1.23').formattedAr, `1.23 ${KG_AR}`);
  assert.equal(displayEmissions('0.009').formattedAr, `\u2066<0.01\u2069 ${KG_AR}`);
  assert.equal(displayEmissions('0.009').formattedEn, '<0.01 kg CO2e');
});

test('Estimate, display rule 2: no estimate is ever shown as 0.00, and "<0.01" and its flag go together', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: DISTANCE_MAX_METRES }),
      fc.constantFrom(...VEHICLE_CATEGORIES),
      (distanceMetres, vehicle) => {
        const { kgco2eTwoDecimals, usesLessThanThreshold } = displayEmissions(
          estimateEmissions(distanceMetres, vehicle).estimatedEmissionsKgco2e,
        );
        assert.match(kgco2eTwoDecimals, /^(<0\.01|\d+\.\d{2})$/);
        assert.notEqual(kgco2eTwoDecimals, '0.00');
        assert.equal(kgco2eTwoDecimals === '<0.01', usesLessThanThreshold);
      },
    ),
  );
});

test('Estimate, estimated_emissions_kgco2e: what is no such value is a defect, not a display', () => {
  for (const text of ['', '-1', '1e3', 'NaN', '0.123456789']) assert.throws(() => displayEmissions(text), RangeError, text);
});
