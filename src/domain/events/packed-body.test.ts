/** Bodies of events as they are stored: each is read as the very text that was packed, by every later release. */
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { BODY_DICTIONARY_1 } from './body-dictionary.ts';
import { packBody, unpackBody } from './packed-body.ts';

const TYPICAL =
  '{"event_id":"evt_01KAHV5B8R2N4Q6S8V0X2Z4C6E","event_type":"impact.transaction.confirmed","api_version":"v1","environment":"sandbox","sequence":1001,"occurred_at":"2026-11-23T09:00:50.949Z","correlation_id":"corr_01KAHV5B8R2N4Q6S8V0X2Z4C6F","data":{"contribution":{"transaction_id":"txn_01KAHV5B8R2N4Q6S8V0X2Z4C6E","partner_event_id":"cc323615-0f27-46cd-80e4-52f167739e25","partner_order_ref":"order-0000000001","status":"confirmed","points":137,"opaque_customer_ref":"customer-00007919","contribution_rule_version":"rule_2025_01","point_conversion_version":null,"tree_cost_version":null,"expected_environmental_support":{"summary_en":"This contribution of 137 points is expected to support tree planting.","summary_ar":"يُتوقَّع أن تدعم هذه المساهمة، وقدرها 137 نقطة، زراعة الأشجار."},"non_refundable":true,"environment":"sandbox","created_at":"2026-11-23T09:00:50.949Z","confirmed_at":"2026-11-23T09:00:50.949Z","failed_at":null},"association":{"status":"not_requested"}}}';

/** {@link TYPICAL}, packed by the release that introduced the form. */
const PACKED =
  'AcNSsXg7eoSZOlkEGfmZBJoFW4QZRBhFmTibuVK7wsFaqxgY4KhYDHWNjEMMLEEhYmqgZ2liia9iweEFN9IrHDyBgaUiSk42NjI2MzTVNUgzMtc1MUtO0bUwSDXRNTVKMzQzNze2TDUyxZsRDGDAkGCVZWxOsMoCGWRuaWhJTNVlZGBkCs2mA1qDGZvjqMEorHRIqwGMzalbA+At5nEkbSzFPFaVxBfzGLkfAA==';

function pack(text: string): Buffer {
  return packBody(Buffer.from(text));
}

function again(text: string): string {
  return unpackBody(pack(text)).toString();
}

test('any text comes back, whatever its length and letters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', size: 'large' }), (text) => {
      assert.equal(again(text), text);
    }),
  );
  for (const text of ['', '🌳'.repeat(50_000), TYPICAL.repeat(20)]) assert.equal(again(text), text);
});

test('a typical body takes less than a fifth; what would not get shorter takes one byte more', () => {
  assert.ok(pack(TYPICAL).length * 5 < Buffer.byteLength(TYPICAL));
  const random = randomBytes(600).toString('base64url');
  assert.ok(pack(random).length <= Buffer.byteLength(random) + 1);
  assert.deepEqual(pack('x'), Buffer.from('\0x'));
});

test('what a release has stored is read by every later one: the forms and the dictionary never change', () => {
  assert.equal(hash('sha256', BODY_DICTIONARY_1), 'c8e7e975ffe437798e562b7fdb360dce2283018d260b85d803664dfa5350f97d');
  assert.equal(unpackBody(Buffer.from(PACKED, 'base64')).toString(), TYPICAL);
  assert.equal(unpackBody(Buffer.from('\0وقدرها 137 نقطة')).toString(), 'وقدرها 137 نقطة');
});

test('bytes of another form, and bytes cut short, are an error and no other text', () => {
  const packed = pack(TYPICAL);
  for (const bytes of [Buffer.of(), Buffer.of(2, 1), packed.subarray(0, -1), packed.subarray(0, 1), Buffer.from([1, 255, 255])])
    assert.throws(() => unpackBody(bytes));
});
