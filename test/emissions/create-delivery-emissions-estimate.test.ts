/** createDeliveryEmissionsEstimate: interface, section of that name, "Estimate" and "Display rules". */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { Client, countByStatus, newEstimate } from '../support/client.ts';
import { countRows } from '../support/records.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, partner } = await service.newPartner();

const DAY_MS = 24 * 60 * 60 * 1000;

describe('201', () => {
  test('estimate, association not_requested, and a request without a key', async () => {
    const fields = newEstimate();
    const answer = await client.estimate(fields, { 'x-correlation-id': 'corr-of-estimate' });
    assert.equal(answer.status, 201);
    const { estimate, association, request } = answer.body;
    assert.match(estimate.calculation_id, /^calc_/);
    assert.deepEqual(
      { ...estimate, calculation_id: '', calculated_at: '', expires_at: '', disclosure_en: '', disclosure_ar: '' },
      {
        calculation_id: '',
        ...fields,
        status: 'calculated',
        methodology_version: estimate.methodology_version,
        vehicle_catalog_version: estimate.vehicle_catalog_version,
        emission_factor_version: estimate.emission_factor_version,
        emission_factor_gco2e_per_km: '207.51',
        lifecycle_boundary: 'well_to_wheel',
        raw_emissions_gco2e: '2561.71095',
        estimated_emissions_kgco2e: '2.56171095',
        display: {
          kgco2e_two_decimals: '2.56',
          uses_less_than_threshold: false,
          formatted_en: '2.56 kg CO2e',
          formatted_ar: '2.56 كجم من مكافئ ثاني أكسيد الكربون',
        },
        disclosure_en: '',
        disclosure_ar: '',
        calculated_at: '',
        expires_at: '',
        environment: 'sandbox',
      },
    );
    assert.match(estimate.disclosure_en, /Estimated from delivery distance and vehicle type/);
    assert.match(estimate.disclosure_ar, /قيمة تقديرية/);
    assert.deepEqual(association, { status: 'not_requested' });
    assert.deepEqual(request, { correlation_id: 'corr-of-estimate' });
  });

  test('expires_at is 24 hours after calculated_at, to the millisecond', async () => {
    const { estimate } = (await client.estimate()).body;
    assert.equal(Date.parse(estimate.expires_at) - Date.parse(estimate.calculated_at), DAY_MS);
  });

  const examples: [string, string, string, string, string, boolean][] = [
    ['0.001', 'motorcycle_gasoline', '0.14323', '0.00014323', '<0.01', true],
    ['0.035', 'motorcycle_gasoline', '5.01305', '0.00501305', '<0.01', true],
    ['0.069', 'motorcycle_gasoline', '9.88287', '0.00988287', '<0.01', true],
    ['0.07', 'motorcycle_gasoline', '10.0261', '0.0100261', '0.01', false],
    ['0.048', 'car_gasoline', '9.96048', '0.00996048', '<0.01', true],
    ['10', 'motorcycle_gasoline', '1432.3', '1.4323', '1.43', false],
    ['12.345', 'car_gasoline', '2561.71095', '2.56171095', '2.56', false],
    ['200', 'car_gasoline', '41502', '41.502', '41.50', false],
    ['200.000', 'car_gasoline', '41502', '41.502', '41.50', false],
  ];
  for (const [distance_km, vehicle_category, raw, kg, shown, isBelow] of examples) {
    test(`${distance_km} km by ${vehicle_category} are ${raw} g, ${kg} kg, shown ${shown} (Calculation; Display rules 1 and 2)`, async () => {
      const { estimate } = (await client.estimate({ distance_km, vehicle_category })).body;
      assert.equal(estimate.raw_emissions_gco2e, raw);
      assert.equal(estimate.estimated_emissions_kgco2e, kg);
      assert.equal(estimate.distance_km, distance_km);
      assert.equal(estimate.display.kgco2e_two_decimals, shown);
      assert.equal(estimate.display.uses_less_than_threshold, isBelow);
      assert.equal(estimate.display.formatted_en, `${shown} kg CO2e`);
    });
  }
});

describe('invalid_distance (interface: 0 < distance_km <= 200, at most three decimals)', () => {
  const distances: unknown[] = [
    '0',
    '0.000',
    '-1',
    '+1',
    '200.001',
    '201',
    '1000',
    '1.2345',
    '1e2',
    '007',
    '00.5',
    '.5',
    '5.',
    '',
    ' 5',
    '5 ',
    '5,5',
    '٥',
    'NaN',
    '0x5',
    12.5,
    5,
    null,
    true,
    ['5'],
    {},
  ];
  for (const distance_km of distances) {
    test(`${JSON.stringify(distance_km)} is refused and nothing is stored`, async () => {
      const before = await countRows(service.database, partner.partnerId);
      const answer = await client.estimate({ distance_km });
      assertError(answer, 'invalid_distance');
      assert.equal(answer.body.error.details[0].field, 'distance_km');
      assert.deepEqual(await countRows(service.database, partner.partnerId), before);
    });
  }
});

test('invalid_distance: the detail says whether a plain decimal is outside the bounds, or the text has another form', async () => {
  const expected = [
    ['0', 'too_small'],
    ['0.000', 'too_small'],
    ['200.001', 'too_large'],
    ['300', 'too_large'],
    ['9'.repeat(32), 'too_large'],
    ['9'.repeat(33), 'wrong_form'],
    ['1.2345', 'wrong_form'],
    ['-1', 'wrong_form'],
    [300, 'wrong_type'],
  ] as const;
  for (const [distance_km, code] of expected) {
    const answer = await client.estimate({ distance_km });
    assertError(answer, 'invalid_distance');
    const [detail] = answer.body.error.details;
    assert.deepEqual([detail.field, detail.code], ['distance_km', code], String(distance_km));
    assert.match(detail.message, /greater than 0 and at most 200/);
    if (code.startsWith('too_')) assert.match(detail.message, new RegExp(`; it is ${code.replace('_', ' ')}\\.$`));
  }
});

test('invalid_distance: the message says which character or which form is wrong', async () => {
  for (const [distance_km, words] of [
    ['12,5', 'its character 3 is neither a digit 0 to 9 nor a full stop'],
    ['١٢٫٥', 'its character 1 is neither a digit 0 to 9 nor a full stop'],
    ['12.5 km', 'its character 5 is neither a digit 0 to 9 nor a full stop'],
    ['1.2345', 'it has 4 decimals'],
    ['007', 'it has leading zeros'],
    ['.5', 'it is a string of 2 characters'],
    ['', 'it is empty'],
  ] as const) {
    const answer = await client.estimate({ distance_km });
    assertError(answer, 'invalid_distance');
    assert.ok(answer.body.error.message.endsWith(`; ${words}.`), answer.body.error.message);
  }
});

describe('unsupported_vehicle and invalid_request', () => {
  for (const vehicle_category of ['bicycle', 'CAR_GASOLINE', '', null, 5, ['car_gasoline']]) {
    test(`unsupported_vehicle: ${JSON.stringify(vehicle_category)}`, async () => {
      const answer = await client.estimate({ vehicle_category });
      assertError(answer, 'unsupported_vehicle');
    });
  }

  const structural: [string, object, Record<string, string>?][] = [
    ['a missing distance_km', { distance_km: undefined }],
    ['a missing vehicle_category', { vehicle_category: undefined }],
    ['a missing distance_unit', { distance_unit: undefined }],
    ['another distance_unit', { distance_unit: 'mi' }],
    ['a missing partner_order_ref', { partner_order_ref: undefined }],
    ['an unknown field', { weight_kg: 5 }],
    ['no Idempotency-Key', {}, { 'idempotency-key': '' }],
  ];
  for (const [title, fields, headers] of structural) {
    test(`invalid_request: ${title}`, async () => {
      const answer = await client.estimate(fields, headers);
      assertError(answer, 'invalid_request');
    });
  }

  test('where two fields have codes of their own, that of the first in the interface stands, and both are named', async () => {
    const answer = await client.estimate({ distance_km: '0', vehicle_category: 'boat' });
    assertError(answer, 'invalid_distance');
    assert.deepEqual(
      answer.body.error.details.map(({ field }: { field: string }) => field),
      ['distance_km', 'vehicle_category'],
    );
  });

  test('errors of an estimate carry no verdict on points: none were given', async () => {
    const answer = await client.estimate({ distance_km: '0' });
    assert.doesNotMatch(answer.text, /point_restoration/);
  });
});

describe('replay', () => {
  test('12.50 and 12.5 are the same distance: the original comes back as it was sent', async () => {
    const fields = newEstimate();
    const headers = { 'idempotency-key': 'estimate-again' };
    const first = await client.estimate({ ...fields, distance_km: '12.50' }, headers);
    const again = await client.estimate({ ...fields, distance_km: '12.5' }, headers);
    assert.equal(again.status, 201);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(again.body.estimate, first.body.estimate);
    assert.equal(again.body.estimate.distance_km, '12.50');
  });

  test('idempotency_conflict: another distance under the same key', async () => {
    const fields = newEstimate();
    const headers = { 'idempotency-key': 'estimate-conflict' };
    await client.estimate(fields, headers);
    const answer = await client.estimate({ ...fields, distance_km: '12.346' }, headers);
    assertError(answer, 'idempotency_conflict');
    assert.match(
      answer.body.error.message,
      /Look up what was recorded\. If this is another request, send it under a new Idempotency-Key/,
    );
  });

  test('it goes on while the partner is suspended, which has no new estimate', async () => {
    const suspended = await service.newPartner();
    const fields = newEstimate();
    const headers = { 'idempotency-key': 'estimate-before-suspension' };
    const first = await suspended.client.estimate(fields, headers);
    await suspendPartner(service.database, OWNER, suspended.partner.partnerId);
    // A second instance has not seen the key yet, so that no cache has to run out.
    const late = new Client((await testService({ env: { DATABASE_URL: service.databaseUrl } })).baseUrl, suspended.key.apiKey);
    const again = await late.estimate(fields, headers);
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
    assert.deepEqual(again.body.estimate, first.body.estimate);
    assertError(await late.estimate({ ...fields, distance_km: '1' }, headers), 'idempotency_conflict');
    assertError(await late.estimate(), 'partner_suspended');
  });

  test('an order may be estimated as often as one likes, each under its own key', async () => {
    const { partner_order_ref } = newEstimate();
    assert.equal((await client.estimate({ partner_order_ref })).status, 201);
    assert.equal((await client.estimate({ partner_order_ref })).status, 201);
  });

  test('one key: twenty at once give one estimate', async () => {
    const fields = newEstimate();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.estimate(fields, { 'idempotency-key': 'estimate-race' })),
    );
    assert.deepEqual(countByStatus(answers), { 201: 20 });
    assert.equal(new Set(answers.map(({ body }) => body.estimate.calculation_id)).size, 1);
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
  });
});
