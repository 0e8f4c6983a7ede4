import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  acknowledgementFingerprint,
  associationFingerprint,
  confirmationFingerprint,
  estimateFingerprint,
  listFingerprint,
} from './canonical-payloads.ts';

/** SHA-256 of no bytes. */
const EMPTY_LIST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const order = { partner_event_id: 'evt-000001', partner_order_ref: 'order-1', points: 250n } as const;
const delivery = { partner_order_ref: 'order-1', distance_unit: 'km', vehicle_category: 'car_gasoline' } as const;

/** Each payload with its canonical text and its SHA-256, which stand in databases. */
const STORED: readonly [name: string, computed: Buffer, text: string, sha256: string][] = [
  [
    'confirmContribution with all fields',
    confirmationFingerprint({ ...order, calculation_id: 'calc-000001', opaque_customer_ref: 'customer-1' }),
    '{"calculation_id":"calc-000001","opaque_customer_ref":"customer-1","operation":"confirmContribution","partner_event_id":"evt-000001","partner_order_ref":"order-1","points":250}',
    'defd1d7c3585e71ee3a1f026141d460c9bdcaa06a74caaa9f6dd0dc052bbd775',
  ],
  [
    'confirmContribution with a malformed calculation_id',
    confirmationFingerprint({ ...order, calculation_id: [1n, null] }),
    '{"calculation_id":[1,null],"operation":"confirmContribution","partner_event_id":"evt-000001","partner_order_ref":"order-1","points":250}',
    '1626334d1e2af7e4df91e41e48cd9a43d7a59cbe1f31e678a997ddfb13db0a2a',
  ],
  [
    'confirmContribution with null fields, which are absent ones',
    confirmationFingerprint({ ...order, calculation_id: null, opaque_customer_ref: null }),
    '{"operation":"confirmContribution","partner_event_id":"evt-000001","partner_order_ref":"order-1","points":250}',
    'd06b28b4e3bbd7fed1fba8f85c330f5562b1245eec1915f40f877973af84fe7d',
  ],
  [
    'createDeliveryEmissionsEstimate',
    estimateFingerprint(delivery, 12_500),
    '{"distance_km":"12.5","distance_unit":"km","operation":"createDeliveryEmissionsEstimate","partner_order_ref":"order-1","vehicle_category":"car_gasoline"}',
    '48fe29098275cd05a59555cbe90e1ec1f4450caf47a1510150bf659aa1e6f20b',
  ],
  [
    'associateEmissionsEstimate',
    associationFingerprint('txn-000001', { calculation_id: 'calc-000001' }),
    '{"calculation_id":"calc-000001","operation":"associateEmissionsEstimate","transaction_id":"txn-000001"}',
    '103f1da61207170fb9c09f9ca689655d4a6ee9335b3fdc1685121e613ba23b5e',
  ],
  [
    'acknowledgeSettlement without a reference and a note',
    acknowledgementFingerprint('set-000001', { status: 'accepted', reference: null }),
    '{"operation":"acknowledgeSettlement","settlement_id":"set-000001","status":"accepted"}',
    'c89304e5e4a5f8ae7c6e30b9b743575f528a935f579daaf93c56e7c2146b0347',
  ],
  [
    'acknowledgeSettlement with all fields',
    acknowledgementFingerprint('set-000001', { status: 'disputed', reference: 'month-1', note: 'Two lines differ.' }),
    '{"note":"Two lines differ.","operation":"acknowledgeSettlement","reference":"month-1","settlement_id":"set-000001","status":"disputed"}',
    '427821324607e02b1e02c5b93dfc5480d13a4272a621bd2c3a38841b3eb35f0e',
  ],
  [
    'reconcileSettlement',
    listFingerprint({ settlementId: 'set-000001', format: 'csv' }, EMPTY_LIST),
    `{"format":"csv","operation":"reconcileSettlement","settlement_id":"set-000001","sha256":"${EMPTY_LIST}"}`,
    'b572da82aaf16662236dcbe125a2f056f9a180344fd2580f74e651072abe22c9',
  ],
];

for (const [name, computed, text, sha256] of STORED)
  test(`decisions, section 3: the canonical payload of ${name} never changes, for its fingerprint is stored`, () => {
    assert.equal(computed.toString('hex'), createHash('sha256').update(text).digest('hex'));
    assert.equal(computed.toString('hex'), sha256);
  });

test('decisions, section 3: an absent field is a null one', () => {
  const body = { ...order, calculation_id: null, opaque_customer_ref: null };
  assert.deepEqual(confirmationFingerprint(order), confirmationFingerprint(body));
});
