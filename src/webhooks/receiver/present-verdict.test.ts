import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAUSES, type SignatureVerdict } from './explain-signature.ts';
import { verdictInWords, verdictToWire } from './present-verdict.ts';

const ONE = `v1=${'1'.repeat(64)}`;
const TWO = `v1=${'2'.repeat(64)}`;

const verdicts: [verdict: SignatureVerdict, words: RegExp, wire: Record<string, unknown>][] = [
  [
    { status: 'valid', header: 'X-Service-Signature-Next', ageSeconds: 2 },
    /^The signature is valid: X-Service-Signature-Next, made 2 s ago\.$/,
    { status: 'valid', header: 'X-Service-Signature-Next', age_seconds: 2 },
  ],
  [
    { status: 'valid', header: 'X-Service-Signature', ageSeconds: -3 },
    /made 3 s in the future/,
    { status: 'valid', header: 'X-Service-Signature', age_seconds: -3 },
  ],
  [{ status: 'timestamp_missing' }, /X-Service-Timestamp is missing/, { status: 'timestamp_missing' }],
  [
    { status: 'timestamp_ill_formed', timestamp: '2026 \u001b' },
    /digits alone, and is "2026 \\u001b"/,
    { status: 'timestamp_ill_formed', timestamp: '2026 \u001b' },
  ],
  [
    { status: 'timestamp_outside_tolerance', ageSeconds: 301, toleranceSeconds: 300 },
    /signature is right, but was made 301 s ago; 300 s either way/,
    { status: 'timestamp_outside_tolerance', age_seconds: 301, tolerance_seconds: 300 },
  ],
  [{ status: 'signature_missing' }, /X-Service-Signature is missing/, { status: 'signature_missing' }],
  [
    { status: 'signature_ill_formed', signature: 'v1=AB' },
    /64 hexadecimal digits in lower case, and is v1=AB\./,
    { status: 'signature_ill_formed', signature: 'v1=AB' },
  ],
  [
    { status: 'signature_differs', expected: ONE, received: TWO, causes: [] },
    new RegExp(`is ${TWO}, expected is ${ONE}\\. No usual mistake`),
    { status: 'signature_differs', expected: ONE, received: TWO, causes: [] },
  ],
  [
    { status: 'signature_differs', expected: ONE, received: TWO, causes: ['secret_decoded', 'newline_added'] },
    new RegExp(`The received one was made ${CAUSES.secret_decoded}; and ${CAUSES.newline_added}\\.$`.replace(/[()]/g, '\\$&')),
    { status: 'signature_differs', expected: ONE, received: TWO, causes: ['secret_decoded', 'newline_added'] },
  ],
];

for (const [verdict, words, wire] of verdicts) {
  test(`${verdict.status}: a sentence names the part, and a program reads it in snake_case`, () => {
    assert.match(verdictInWords(verdict), words);
    assert.match(verdictInWords(verdict), /\.$/);
    assert.deepEqual(verdictToWire(verdict), wire);
  });
}
