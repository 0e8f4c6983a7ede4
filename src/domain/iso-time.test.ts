import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIsoTime } from './iso-time.ts';

test('a time with its zone is read, to the millisecond', () => {
  const times = [
    '2026-11-20T19:29Z',
    '2026-11-20T19:29:00Z',
    '2026-11-20T22:29:00.5+03:00',
    '2028-02-29T00:00:00.123456789Z',
    '2026-11-20T24:00:00Z',
  ];
  assert.deepEqual(
    times.map((text) => parseIsoTime(text)?.toISOString()),
    [
      '2026-11-20T19:29:00.000Z',
      '2026-11-20T19:29:00.000Z',
      '2026-11-20T19:29:00.500Z',
      '2028-02-29T00:00:00.123Z',
      '2026-11-21T00:00:00.000Z',
    ],
  );
});

for (const text of [
  ...['', '2026', '2026-11-20', '20261120T192900Z', '2026-11-20T19:29:00', ' 2026-11-20T19:29:00Z'],
  ...['2026-02-29T00:00:00Z', '2026-02-30T00:00:00Z', '2026-04-31T00:00:00Z', '2026-13-01T00:00:00Z', '2026-11-20T25:00:00Z'],
])
  test(`"${text}" is none`, () => assert.equal(parseIsoTime(text), undefined));
