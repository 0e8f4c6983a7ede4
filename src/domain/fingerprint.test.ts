import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, fingerprint, type JsonValue } from './fingerprint.ts';
import { readJson } from './parse-json.ts';

/** Values as `readJson` gives them. */
const { json: jsonValues } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('json'), { maxKeys: 4 }),
  ),
}));

/** Writes a value as other JSON text: members in reverse order, and white space between the tokens. */
function otherText(value: JsonValue | undefined, space: string): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${space}${value.map((item) => otherText(item, space)).join(`${space},${space}`)}]`;
  const members = Object.entries(value).reverse();
  return `{${members.map(([name, member]) => `${space}${JSON.stringify(name)}${space}:${otherText(member, space)}`).join(',')}${space}}`;
}

test('RFC 8785, section 3.2.2: the example of serialization', () => {
  const text = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  const expected = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
  assert.equal(canonicalJson(JSON.parse(text)), expected);
});

test('RFC 8785, section 3.2.3: the example of sorting, by UTF-16 code units', () => {
  const text = String.raw`{
    "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
  }`;
  assert.equal(
    canonicalJson(JSON.parse(text)),
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  );
});

test('RFC 8785, appendix B: numbers', () => {
  const samples = {
    '0000000000000000': '0',
    '8000000000000000': '0',
    '0000000000000001': '5e-324',
    '8000000000000001': '-5e-324',
    '7fefffffffffffff': '1.7976931348623157e+308',
    ffefffffffffffff: '-1.7976931348623157e+308',
    '4340000000000000': '9007199254740992',
    c340000000000000: '-9007199254740992',
    '4430000000000000': '295147905179352830000',
    '44b52d02c7e14af5': '9.999999999999997e+22',
    '44b52d02c7e14af6': '1e+23',
    '44b52d02c7e14af7': '1.0000000000000001e+23',
    '444b1ae4d6e2ef4e': '999999999999999700000',
    '444b1ae4d6e2ef4f': '999999999999999900000',
    '444b1ae4d6e2ef50': '1e+21',
    '3eb0c6f7a0b5ed8c': '9.999999999999997e-7',
    '3eb0c6f7a0b5ed8d': '0.000001',
    '41b3de4355555553': '333333333.3333332',
    '41b3de4355555554': '333333333.33333325',
    '41b3de4355555555': '333333333.3333333',
    '41b3de4355555556': '333333333.3333334',
    '41b3de4355555557': '333333333.33333343',
    becbf647612f3696: '-0.0000033333333333333333',
    '43143ff3c1cb0959': '1424953923781206.2',
  };
  for (const [bits, text] of Object.entries(samples))
    assert.equal(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE()), text, bits);
});

test('Common request headers, idempotency rule 1: a fingerprint never changes, for it is stored', () => {
  const digest = fingerprint('confirmContribution', {
    points: 9_007_199_254_740_993n,
    partner_order_ref: 'order-1',
    partner_event_id: 'evt-000001',
    calculation_id: undefined,
  });
  const text =
    '{"operation":"confirmContribution","partner_event_id":"evt-000001","partner_order_ref":"order-1","points":9007199254740993}';
  assert.deepEqual(digest, createHash('sha256').update(text).digest());
  assert.equal(digest.toString('hex'), '7f0ec99714c4ee39f4430e729a67f1ae83ff9bf5cb32e40d0e4b2b92f3680bb9');
});

test('Common request headers, idempotency rule 1: member order and white space are not part of the payload', () => {
  const members = fc.dictionary(
    fc.string().filter((name) => name !== 'operation' && name !== '__proto__'),
    jsonValues,
    { maxKeys: 6 },
  );
  fc.assert(
    fc.property(members, fc.constantFrom('', ' ', '\r\n\t '), (payload, space) => {
      const other = readJson(otherText(payload, space)) as Record<string, JsonValue>;
      assert.deepEqual(fingerprint('confirmContribution', other), fingerprint('confirmContribution', payload));
    }),
    { numRuns: 500 },
  );
});

test('Common request headers, idempotency rule 2: the canonical text is read back as the payload, so no two payloads share one', () => {
  fc.assert(
    fc.property(jsonValues, (value) => assert.deepEqual(structuredClone(readJson(canonicalJson(value))), structuredClone(value))),
  );
});

test('Common request headers, idempotency rule 2: points beyond 2^53 that differ by one are another payload', () => {
  const of = (points: bigint) => fingerprint('confirmContribution', { points }).toString('hex');
  assert.notEqual(of(9_007_199_254_740_992n), of(9_007_199_254_740_993n));
  assert.notEqual(of(9_223_372_036_854_775_806n), of(9_223_372_036_854_775_807n));
});

test('Common request headers, idempotency rule 2: the operation is part of the payload', () => {
  assert.notDeepEqual(fingerprint('confirmContribution', {}), fingerprint('associateEmissionsEstimate', {}));
  assert.throws(() => fingerprint('confirmContribution', { operation: 'x' }), TypeError);
});

test('decisions, section 3: an undefined member is an absent one, a null member is not', () => {
  assert.deepEqual(fingerprint('o', { a: 1n, b: undefined }), fingerprint('o', { a: 1n }));
  assert.notDeepEqual(fingerprint('o', { a: 1n, b: null }), fingerprint('o', { a: 1n }));
});

test('decisions, section 3: every bad calculation_id has a fingerprint, as the raw JSON value sent', () => {
  const sent = [
    '1e400',
    '-1e400',
    'null',
    '5',
    '"5"',
    '[1e400]',
    '[null]',
    '{"__proto__":1}',
    '{}',
    '[]',
    '1.5',
    'true',
    '"\\u0000"',
  ];
  const texts = sent.map((text) => canonicalJson({ calculation_id: readJson(text) as JsonValue }));
  assert.equal(new Set(texts).size, sent.length, texts.join(' '));
});
