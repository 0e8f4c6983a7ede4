import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasTag, takesGzip } from '../../src/partner-api/http/negotiation.ts';

test('If-None-Match names a tag alone, in a list, made weak by a proxy, or all of them', () => {
  const cases: [string | undefined, boolean][] = [
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", W/"abc" ,"y"', true],
    ['"x,\t", "abc"', true],
    [' * ', true],
    ['"abcd"', false],
    ['abc', false],
    ['', false],
    [undefined, false],
  ];
  for (const [named, has] of cases) assert.equal(hasTag(named, '"abc"'), has, String(named));
  assert.equal(hasTag('"abc"', 'W/"abc"'), true);
});

test('gzip is taken where it is named with a weight above 0', () => {
  const cases: [string | undefined, boolean][] = [
    ['gzip, deflate, br', true],
    ['br;q=1.0, GZIP;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip; q=0.0, br', false],
    ['identity', false],
    ['', false],
    [undefined, false],
  ];
  for (const [accepted, takes] of cases) assert.equal(takesGzip(accepted), takes, String(accepted));
});
