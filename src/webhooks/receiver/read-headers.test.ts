import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readHeaders } from './read-headers.ts';

const SIGNATURE = `v1=${'0a'.repeat(32)}`;
const EXPECTED = { 'x-service-timestamp': '1767225600', 'x-service-signature': SIGNATURE };

const forms: [title: string, text: string][] = [
  ['lines', `X-Service-Timestamp: 1767225600\nX-Service-Signature: ${SIGNATURE}\n`],
  [
    'lines as `curl --dump-header` writes them',
    `HTTP/1.1 200 OK\r\nX-Service-Timestamp: 1767225600\r\nx-service-signature:${SIGNATURE} \r\n\r\n`,
  ],
  [
    'lines as `curl --verbose` writes them',
    `> POST /a HTTP/1.1\n> X-Service-Timestamp: 1767225600\n> X-Service-Signature: ${SIGNATURE}\n>\n`,
  ],
  ['lines after a byte order mark', `\u{FEFF}X-Service-Timestamp: 1767225600\nX-Service-Signature: ${SIGNATURE}`],
  ['a JSON object', JSON.stringify({ 'X-Service-Timestamp': '1767225600', 'X-Service-Signature': SIGNATURE })],
  ['a JSON object with a number and a list', `{"x-service-timestamp":1767225600,"x-service-signature":["${SIGNATURE}"]}\n`],
  ['a JSON object after a byte order mark', `\u{FEFF}${JSON.stringify(EXPECTED)}`],
];

describe('the same headers', () => {
  for (const [title, text] of forms) test(title, () => assert.deepEqual(readHeaders(text), EXPECTED));
});

test('a value keeps what stands within it, colons too', () => {
  assert.deepEqual(readHeaders('Date: Thu, 01 Jan 2026 00:00:00 GMT\nX-Empty:'), {
    date: 'Thu, 01 Jan 2026 00:00:00 GMT',
    'x-empty': '',
  });
});

test('a header that comes twice is not made one by choosing', () => {
  for (const text of ['A: 1\na: 2', '{"A":"1","a":"2"}', '{"a":["1","2"]}']) assert.deepEqual(readHeaders(text), { a: '1, 2' });
});

test('no header at all gives none', () => assert.deepEqual(readHeaders('\n'), {}));

test('what is no header is named by its place, without its content', () => {
  const refused: [text: string, reason: RegExp][] = [
    ['A: 1\nwhsec_abc', /^line 2 is not "Name: value"$/],
    ['A: 1\n folded', /^line 2 /],
    ['two words: 1', /^line 1 /],
    ['{"a":', /^(?!.*"a")/],
    ['{"a":true}', /^the member "a" must be a string$/],
    ['{"a":{"b":"c"}}', /^the member "a" must be a string$/],
    ['{"a":1.5}', /^the member "a" must be a string$/],
    ['["a"]', /^line 1 /],
  ];
  for (const [text, reason] of refused) {
    assert.throws(
      () => readHeaders(text),
      (error: Error) => error instanceof SyntaxError && reason.test(error.message),
      text,
    );
  }
});
