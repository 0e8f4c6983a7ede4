/** Bodies that are stored as their values: each is made again, byte for byte, by every later release. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contribution } from '../contributions/contribution.ts';
import { supportTexts } from '../customer-texts.ts';
import { type BodyColumns, bodyFromValues, valuesOfBody } from './body-values.ts';
import { packBody } from './packed-body.ts';

const AT = new Date('2026-11-23T09:00:50.949Z');
const EVENT: BodyColumns = {
  partnerId: 'ptn_01',
  eventId: 'evt_01KAHV5B8R2N4Q6S8V0X2Z4C6E',
  eventType: 'impact.transaction.confirmed',
  sequence: 1001n,
  occurredAt: AT,
  correlationId: 'corr_01KAHV5B8R2N4Q6S8V0X2Z4C6F',
  subjectId: 'txn_01KAHV5B8R2N4Q6S8V0X2Z4C6E',
};
const CONTRIBUTION: Contribution = {
  transactionId: EVENT.subjectId,
  partnerEventId: 'cc323615-0f27-46cd-80e4-52f167739e25',
  partnerOrderRef: 'order-0000000001',
  status: 'confirmed',
  points: 137n,
  opaqueCustomerRef: 'customer-00007919',
  contributionRuleVersion: 'rule_2025_01',
  pointConversionVersion: 'conversion_2025_01',
  treeCostVersion: 'cost_2025_01',
  expectedEnvironmentalSupport: supportTexts(137n, undefined),
  createdAt: AT,
  confirmedAt: AT,
  failedAt: null,
};
const BODY =
  '{"event_id":"evt_01KAHV5B8R2N4Q6S8V0X2Z4C6E","event_type":"impact.transaction.confirmed","api_version":"v1","environment":"sandbox","sequence":1001,"occurred_at":"2026-11-23T09:00:50.949Z","correlation_id":"corr_01KAHV5B8R2N4Q6S8V0X2Z4C6F","data":{"contribution":{"transaction_id":"txn_01KAHV5B8R2N4Q6S8V0X2Z4C6E","partner_event_id":"cc323615-0f27-46cd-80e4-52f167739e25","partner_order_ref":"order-0000000001","status":"confirmed","points":137,"opaque_customer_ref":"customer-00007919","contribution_rule_version":"rule_2025_01","point_conversion_version":"conversion_2025_01","tree_cost_version":"cost_2025_01","expected_environmental_support":{"summary_en":"This contribution of 137 points is expected to support tree planting.","summary_ar":"يُتوقَّع أن تدعم هذه المساهمة، وقدرها 137 نقطة، زراعة الأشجار."},"non_refundable":true,"environment":"sandbox","created_at":"2026-11-23T09:00:50.949Z","confirmed_at":"2026-11-23T09:00:50.949Z","failed_at":null},"association":{"status":"not_requested"}}}';

/** What the release that introduced template 1 stored: each sentence with its texts. */
const OF_SENTENCES = [
  ['137', null, 'support tree planting.', 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها 137 نقطة، زراعة الأشجار.'],
  ['5', null, 'support tree planting.', 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها 5 نقاط، زراعة الأشجار.'],
  [
    ...['100', null, 'cover part of the cost of planting one tree.'],
    'يُتوقَّع أن تغطي هذه المساهمة، وقدرها 100 نقطة، جزءًا من تكلفة زراعة شجرة واحدة.',
  ],
  [
    ...['10', null, 'cover part of the cost of planting one tree.'],
    'يُتوقَّع أن تغطي هذه المساهمة، وقدرها 10 نقاط، جزءًا من تكلفة زراعة شجرة واحدة.',
  ],
  ['250', '3', 'support planting about 3 trees.', 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها 250 نقطة، زراعة 3 أشجار تقريبًا.'],
  ['903', '9', 'support planting about 9 trees.', 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها 903 نقاط، زراعة 9 أشجار تقريبًا.'],
  ['2500', '25', 'support planting about 25 trees.', 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها 2500 نقطة، زراعة 25 شجرة تقريبًا.'],
  [
    ...['9223372036854775807', '11', 'support planting about 11 trees.'],
    'يُتوقَّع أن تدعم هذه المساهمة، وقدرها 9223372036854775807 نقاط، زراعة 11 شجرة تقريبًا.',
  ],
] as const;

const VALUES =
  '[1,"cc323615-0f27-46cd-80e4-52f167739e25","order-0000000001","137","customer-00007919","rule_2025_01","conversion_2025_01","cost_2025_01",0,null]';

test('the values of a body, as the release that introduced the template stored them, and the body of them', () => {
  assert.equal(valuesOfBody(BODY, EVENT, 'sandbox', CONTRIBUTION), VALUES);
  assert.equal(bodyFromValues(VALUES, EVENT, 'sandbox'), BODY);
  // As docs/decisions/0113 says.
  assert.deepEqual(
    [BODY, VALUES].map((text) => Buffer.byteLength(text)),
    [1_048, 145],
  );
  assert.equal(packBody(Buffer.from(BODY)).length, 189);
  for (const [sentence, [points, trees, en, ar]] of OF_SENTENCES.entries()) {
    const values = [1, '"', 'طلب', points, null, 'r', null, null, sentence, trees];
    const event = { ...EVENT, correlationId: null };
    const {
      sequence,
      correlation_id: correlationId,
      data,
    } = JSON.parse(bodyFromValues(JSON.stringify(values), event, 'production'));
    const { contribution } = data;
    assert.deepEqual([sequence, correlationId, contribution.environment], [1001, null, 'production']);
    assert.deepEqual([contribution.partner_event_id, contribution.partner_order_ref], ['"', 'طلب']);
    assert.equal(
      contribution.expected_environmental_support.summary_en,
      `This contribution of ${points} points is expected to ${en}`,
    );
    assert.equal(contribution.expected_environmental_support.summary_ar, ar);
  }
});

/** Nothing that may be absent is there, and a text has what JSON escapes. */
const SPARSE_BODY =
  '{"event_id":"evt_01KAHV5B8R2N4Q6S8V0X2Z4C6E","event_type":"impact.transaction.confirmed","api_version":"v1","environment":"production","sequence":1001,"occurred_at":"2026-11-23T09:00:50.949Z","correlation_id":null,"data":{"contribution":{"transaction_id":"txn_01KAHV5B8R2N4Q6S8V0X2Z4C6E","partner_event_id":"a\\"b","partner_order_ref":"طلب\\\\","status":"confirmed","points":9223372036854775807,"opaque_customer_ref":null,"contribution_rule_version":"r","point_conversion_version":null,"tree_cost_version":null,"expected_environmental_support":{"summary_en":"This contribution of 9223372036854775807 points is expected to support planting about 25 trees.","summary_ar":"يُتوقَّع أن تدعم هذه المساهمة، وقدرها 9223372036854775807 نقاط، زراعة 25 شجرة تقريبًا."},"non_refundable":true,"environment":"production","created_at":"2026-11-23T09:00:50.949Z","confirmed_at":"2026-11-23T09:00:50.949Z","failed_at":null},"association":{"status":"not_requested"}}}';

test('values that are absent, and texts that JSON escapes', () => {
  const values = '[1,"a\\"b","طلب\\\\","9223372036854775807",null,"r",null,null,7,"25"]';
  assert.equal(bodyFromValues(values, { ...EVENT, correlationId: null }, 'production'), SPARSE_BODY);
  assert.doesNotThrow(() => JSON.parse(SPARSE_BODY));
});

test('a body that no template makes has no values', () => {
  const others: [string, Contribution][] = [
    [BODY.replace('not_requested', 'associated'), CONTRIBUTION],
    [`${BODY} `, CONTRIBUTION],
    [BODY, { ...CONTRIBUTION, partnerOrderRef: 'order-0000000002' }],
    [BODY, { ...CONTRIBUTION, points: 138n }],
    [BODY, { ...CONTRIBUTION, expectedEnvironmentalSupport: { summaryEn: 'Of another release.', summaryAr: '…' } }],
  ];
  for (const [body, contribution] of others) assert.equal(valuesOfBody(body, EVENT, 'sandbox', contribution), null);
  assert.equal(valuesOfBody(BODY, { ...EVENT, occurredAt: new Date(0) }, 'sandbox', CONTRIBUTION), null);
});

test('values of no known template, and what is no JSON, are refused', () => {
  for (const values of ['[2]', '[]', '{}', 'null', '[1,"a","b","1",null,"r",null,null,8,null]', '', '[1'])
    assert.throws(() => bodyFromValues(values, EVENT, 'sandbox'));
});
