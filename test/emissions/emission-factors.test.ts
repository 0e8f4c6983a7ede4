/** listEmissionFactors, getEmissionFactors and getEstimateCalculation: settlements, section 1. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertError } from '../support/assertions/assert-error.ts';
import { Client, detailCodes, uniqueId } from '../support/client.ts';
import { document, listMisfits } from '../support/published.ts';
import { insertEstimateAged } from '../support/records.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, partner } = await service.newPartner();

const FACTORS = {
  emission_factor_version: 'factors-1',
  methodology_version: 'wtw-distance-1',
  vehicle_catalog_version: 'vehicles-1',
  lifecycle_boundary: 'well_to_wheel',
  unit: 'gco2e_per_km',
  allocation: 'whole_vehicle',
  valid_from: null,
  valid_until: null,
  factors: [
    { vehicle_category: 'motorcycle_gasoline', emission_factor_gco2e_per_km: '143.23' },
    { vehicle_category: 'car_gasoline', emission_factor_gco2e_per_km: '207.51' },
  ],
  source: null,
};

function assertFits(path: string, text: string): void {
  const { schema } = document.paths[path].get.responses['200'].content['application/json'];
  assert.equal(listMisfits(schema, JSON.parse(text)), '');
}

describe('the factors', () => {
  test('the list has every version, with unit, boundary and validity, and claims no standard', async () => {
    const answer = await client.call('/v1/emissions/factors', { headers: { 'x-correlation-id': 'corr-of-factors' } });
    assert.equal(answer.status, 200);
    const { next_after, ...body } = answer.body;
    assert.deepEqual(body, { emission_factors: [FACTORS], has_more: false, request: { correlation_id: 'corr-of-factors' } });
    assert.equal(typeof next_after, 'string');
    assertFits('/v1/emissions/factors', answer.text);
    assert.doesNotMatch(answer.text, /14083|GLEC|16258/);
  });

  test('one version is found by the label that estimates carry', async () => {
    const { estimate } = (await client.estimate()).body;
    const answer = await client.call(`/v1/emissions/factors/${estimate.emission_factor_version}`);
    assert.deepEqual([answer.status, answer.body.emission_factors], [200, FACTORS]);
    assertFits('/v1/emissions/factors/{emission_factor_version}', answer.text);
  });

  for (const version of ['factors-0', 'a b', 'x'.repeat(300), '__proto__']) {
    test(`invalid_request, 404: there is no version ${version.slice(0, 12)}`, async () => {
      const answer = await client.call(`/v1/emissions/factors/${encodeURIComponent(version)}`);
      assertError(answer, 'invalid_request', 404);
      assert.deepEqual(detailCodes(answer), { emission_factor_version: 'not_found' });
    });
  }

  test('unauthorized: they take a key, like everything', async () => {
    for (const path of ['/v1/emissions/factors', '/v1/emissions/factors/factors-1'])
      assert.equal((await new Client(service.baseUrl, '').call(path)).status, 401);
  });

  test('invalid_request: an unknown member of the query, and a method other than GET', async () => {
    for (const query of ['version=factors-1', 'limit=0', 'limit=101'])
      assert.equal((await client.call(`/v1/emissions/factors?${query}`)).status, 400);
    assert.equal((await client.call('/v1/emissions/factors/factors-1?limit=1')).status, 400);
    const wrong = await client.call('/v1/emissions/factors', { method: 'DELETE' });
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD']);
  });
});

describe('the sheet behind an estimate', () => {
  const sheetOf = (calculationId: string, reader = client) =>
    reader.call(`/v1/emissions/estimates/${encodeURIComponent(calculationId)}/calculation`);

  test('says each step, and the digits of the estimate come out', async () => {
    const { estimate } = (await client.estimate({ distance_km: '12.345' })).body;
    const answer = await sheetOf(estimate.calculation_id);
    assert.equal(answer.status, 200);
    assertFits('/v1/emissions/estimates/{calculation_id}/calculation', answer.text);
    const { steps, ...sheet } = answer.body.calculation;
    assert.deepEqual(steps, [
      { name: 'product', expression: '12.345 × 207.51', result: '2561.71095', unit: 'gco2e' },
      { name: 'division', expression: '2561.71095 ÷ 1000', result: '2.56171095', unit: 'kgco2e' },
      { name: 'threshold', expression: '2.56171095 < 0.01', result: 'false', unit: null },
      { name: 'rounding', expression: '2.56171095 rounded half up to two decimals', result: '2.56', unit: 'kgco2e' },
    ]);
    for (const [field, value] of Object.entries(sheet)) if (field in estimate) assert.equal(value, estimate[field], field);
    assert.equal(steps[1]?.result, estimate.estimated_emissions_kgco2e);
    assert.equal(steps[3]?.result, estimate.display.kgco2e_two_decimals);
  });

  test('below the threshold nothing is rounded', async () => {
    const { estimate } = (await client.estimate({ distance_km: '0.069', vehicle_category: 'motorcycle_gasoline' })).body;
    const { steps } = (await sheetOf(estimate.calculation_id)).body.calculation;
    assert.deepEqual([steps[2].result, steps[3].result], ['true', '<0.01']);
  });

  test("estimate_not_found: none, an ill-formed id, and another partner's alike", async () => {
    const { estimate } = (await client.estimate()).body;
    const stranger = (await service.newPartner()).client;
    for (const answer of [
      await sheetOf('calc_unknown-1'),
      await sheetOf('a b'),
      await sheetOf(estimate.calculation_id, stranger),
    ])
      assertError(answer, 'estimate_not_found');
  });

  test('estimate_expired: as long as the estimate can be read', async () => {
    const of = { partnerId: partner.partnerId, partnerOrderRef: uniqueId('order') };
    const answer = await sheetOf(await insertEstimateAged(service.database, { ...of, age: '25 hours' }));
    assertError(answer, 'estimate_expired');
  });
});
