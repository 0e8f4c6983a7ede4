import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newNamedKey, readNamedKeys, writeNamedKey } from './named-key.ts';

const OLD = newNamedKey('2025');
const NEW = newNamedKey('2026');
const read = (text: string) => readNamedKeys(text, 'SECRETS_KEY');

describe('keys of the settings', () => {
  test('is one or more keys, and reads back as written', () => {
    assert.deepEqual(read(writeNamedKey(NEW)), [NEW]);
    assert.deepEqual(read(` ${writeNamedKey(NEW)} ,\n${writeNamedKey(OLD)}\n`), [NEW, OLD]);
    assert.deepEqual(read(writeNamedKey(NEW).replace(/=$/, '')), [NEW], 'the padding may be missing');
  });

  const base64 = Buffer.alloc(32, 0xa7).toString('base64');
  const cases: [text: string, complaint: RegExp][] = [
    ['', /part 1 is not a name and a key separated by one colon\.$/],
    [base64, /part 1 is not a name and a key/],
    [`a:b:${base64}`, /part 1 is not a name and a key/],
    [`a:${base64},`, /part 2 is not a name and a key/],
    [`:${base64}`, /part 1 has an invalid name/],
    [`a b:${base64}`, /part 1 has an invalid name/],
    [`${'a'.repeat(33)}:${base64}`, /part 1 has an invalid name/],
    [`a.b:${base64}`, /part 1 has an invalid name/],
    ['a:', /part 1 is not base64/],
    [`a:${base64.replace('p', '!')}`, /part 1 is not base64/],
    [`a:${base64.slice(0, -2)}/=`, /part 1 is not base64/],
    [`a:${base64}=`, /part 1 is not base64/],
    [`b:${base64},a:${Buffer.alloc(31, 0xa7).toString('base64')}`, /part 2 has 31 bytes/],
    [`a:${Buffer.alloc(33, 0xa7).toString('base64')}`, /part 1 has 33 bytes/],
    [`a:${'a7'.repeat(32)}`, /part 1 has 48 bytes/],
    [`a:${base64},a:${base64}`, /^SECRETS_KEY names the key "a" twice\.$/],
  ];
  for (const [text, complaint] of cases) {
    test(`${JSON.stringify(text.slice(0, 50))}: ${complaint.source}`, () => {
      assert.throws(
        () => read(text),
        ({ message }: Error) => {
          assert.match(message, complaint);
          assert.match(message, /^SECRETS_KEY (must be id:base64|names)/);
          assert.ok(!message.includes(base64.slice(0, 8)), 'the key itself is not repeated');
          return true;
        },
      );
    });
  }
});
