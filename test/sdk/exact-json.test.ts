import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { escapeBidi, parseExactJson, stringifyExactJson } from '../../sdk/src/index.ts';

describe('parseExactJson', () => {
  for (const [text, value] of [
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['100.0', 100n],
    ['1e2', 100n],
    ['12.50e1', 125n],
    ['1200e-2', 12n],
    ['-0', 0n],
    ['0e5', 0n],
    ['0.5', '0.5'],
    ['1e-400', '1e-400'],
    ['{"__proto__":1}', JSON.parse('{"__proto__":1}', (_name, each) => (each === 1 ? 1n : each))],
    ['"\\ud800"', '\ud800'],
    [' [ ] ', []],
  ] as const)
    test(`${text} is exact`, () => assert.deepEqual(parseExactJson(text), value));

  for (const text of [
    '',
    ' ',
    '{',
    '[1,]',
    '[1 2]',
    '{"a":1,}',
    '{"a":1,"a":1}',
    '{a:1}',
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '--1',
    'nul',
    'NaN',
    'Infinity',
    '"a',
    '"\n"',
    '"\\x"',
    "'a'",
    '1 2',
    '{"a":1}}',
    '['.repeat(100),
    `[${'['.repeat(100)}${']'.repeat(100)}]`,
    '1e999999999',
    '9'.repeat(401),
    '\uFEFF1',
  ])
    test(`${JSON.stringify(text.slice(0, 40))} is a SyntaxError, and quickly`, () =>
      assert.throws(() => parseExactJson(text), SyntaxError));

  test('says of any text what JSON.parse says, but for members that occur twice', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]":,\\ \n01-.eEtrufalsn'), maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(fc.json(), noise), (text) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          assert.throws(() => parseExactJson(text), SyntaxError);
          return;
        }
        assert.deepEqual(floats(parseExactJson(text)), floats(expected));
      }),
      { numRuns: 3_000 },
    );
  });

  /** Numbers as JSON.parse gives them; a fraction and a text of the same digits are not the same in the tests that need it. */
  function floats(value: unknown): unknown {
    if (typeof value === 'bigint') return Number(value) + 0;
    if (typeof value === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return Number(value) + 0;
    if (typeof value === 'number') return value + 0;
    if (Array.isArray(value)) return value.map(floats);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, floats(each)]));
  }
});

describe('stringifyExactJson', () => {
  test('writes what parseExactJson reads again, every bigint with all its digits', () => {
    const leaf = fc.oneof(fc.bigInt(), fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
    }));
    fc.assert(
      fc.property(value, (any) => assert.deepEqual(plain(parseExactJson(stringifyExactJson(any))), plain(any))),
      { numRuns: 1_000 },
    );
  });

  const plain = (value: unknown) =>
    JSON.parse(JSON.stringify(value, (_name, each) => (typeof each === 'bigint' ? `${each}n` : each)));

  test('refuses what would lose digits', () => {
    for (const value of [0.5, 2 ** 53, Number.NaN, () => 1, Symbol('x'), undefined])
      assert.throws(() => stringifyExactJson(value), TypeError);
  });

  test('leaves members out that are undefined', () => assert.equal(stringifyExactJson({ a: undefined, b: 1n }), '{"b":1}'));

  test('a lone surrogate is escaped, so that the text is UTF-8', () => assert.equal(stringifyExactJson('\ud800'), '"\\ud800"'));

  test('escapes controls of bidirectional text on request, and means the same', () => {
    const value = { formattedAr: '\u2066<0.01\u2069 كجم' };
    assert.equal(stringifyExactJson(value), '{"formattedAr":"\u2066<0.01\u2069 كجم"}');
    const escaped = stringifyExactJson(value, { escapeBidi: true });
    assert.equal(escaped, '{"formattedAr":"\\u2066<0.01\\u2069 كجم"}');
    assert.deepEqual(parseExactJson(escaped), value);
    assert.equal(escapeBidi('\u202Eabc\u061C'), '\\u202eabc\\u061c');
  });
});
