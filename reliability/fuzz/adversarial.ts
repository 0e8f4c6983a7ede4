/** Values that have broken services before: numbers in every spelling, text of every kind. JSON values stand here as JSON text. */
import fc from 'fast-check';

const INT64_EDGES = [2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 62n, 2n ** 63n, 2n ** 64n, 10n ** 18n, 10n ** 19n, 10n ** 308n];

/** Every whole number next to an edge, either sign. */
const edges = INT64_EDGES.flatMap((edge) => [-1n, 0n, 1n].flatMap((step) => [edge + step, -(edge + step)])).map(String);

const SPELLINGS = [
  ...[
    '0',
    '-0',
    '0.0',
    '-1',
    '1.0',
    '1.00',
    '1e0',
    '1e2',
    '1E+2',
    '100e-2',
    '0.1e1',
    '1e-2',
    '0.5',
    '1.5',
    '250.0000',
    '250.00001',
  ],
  ...[
    '1e18',
    '9e18',
    '9.223372036854775807e18',
    '9.223372036854775808e18',
    '92233720368547758070e-1',
    '1e308',
    '1e309',
    '1e400',
    '-1e400',
  ],
  ...[
    '1e-400',
    '0e999999999',
    '1e999999999',
    '1e-999999999',
    '0.000000000000000000001',
    '9007199254740993',
    '9007199254740993.0',
  ],
  // Not JSON, though some parsers take it.
  ...['01', '+1', '.5', '5.', '1.e1', '1e', '0x10', '1_000', 'NaN', 'Infinity', '-Infinity', '１２', '1n', '-', '--1', '1 2'],
];

const manyDigits = fc
  .tuple(fc.integer({ min: 1, max: 2_000 }), fc.constantFrom('0', '9', '1'))
  .map(([length, digit]) => `1${digit.repeat(length)}`);

/** Text of a number, or of what only looks like one. */
export const numberText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...edges) },
  { weight: 4, arbitrary: fc.constantFrom(...SPELLINGS) },
  { weight: 2, arbitrary: fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String) },
  { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: manyDigits },
);

/** Lengths around both limits of an identifier. */
export const edgeLength: fc.Arbitrary<number> = fc.constantFrom(0, 1, 7, 8, 127, 128, 129, 130, 255, 1_000, 5_000);

const IDENTIFIER_CHARACTERS = [...'ABCXYZabcxyz0189._:-'];

export function identifierOf(length: fc.Arbitrary<number>): fc.Arbitrary<string> {
  return length.chain((size) =>
    fc.string({ unit: fc.constantFrom(...IDENTIFIER_CHARACTERS), minLength: size, maxLength: size, size: 'max' }),
  );
}

const TRICKS = [
  ...[
    'مرحبا-طلب',
    'شجرة١٢٣',
    '\u202Eorder\u202C',
    'order\u200B-1',
    'İstanbul-ß',
    'ﬀ-ligature',
    '👩‍👩‍👧‍👦-order',
    'e\u0301vent-1',
    'Ａ-wide-1',
  ],
  ...[
    'order\u0000ref',
    'order\nref',
    'order\r\nX-Injected: 1',
    '\ufefforder-1',
    ' order-1',
    'order-1 ',
    'order 1',
    'order/1',
    'order\\1',
  ],
  ...[
    "'; drop table contribution; --",
    '$\u007B7*7}',
    '{{7*7}}',
    '=1+1',
    '../../etc/passwd',
    '<script>alert(1)</script>',
    '%00',
    '%n%n',
  ],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'null', 'undefined', 'true', 'name@example.com', '+966500000000'],
];

/** Text that an identifier must not be, mostly. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TRICKS) },
  { weight: 3, arbitrary: identifierOf(edgeLength) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }) },
);

/** A string as JSON text; half surrogate pairs and control characters come as escapes, or raw where JSON forbids them. */
export const stringText: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: text.map((value) => JSON.stringify(value)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['"\\ud800"', '"\\udc00abcdefg"', '"abc\\ud83d\\u0041efgh"', '"\\u0000abcdefgh"', '"\\u0041bcdefghi"', '"\\x41bcdefgh"'],
      ...['"raw\ttab-12"', '"raw\nline-1"', '"unterminated', "'single-quoted'", '"\\"', '"\\uD83D\\uDE00-order"', '"bad\\u12"'],
    ),
  },
);

/** Any JSON value that is not what the field wants. */
export const valueText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: stringText },
  { weight: 3, arbitrary: numberText },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        'null',
        'true',
        'false',
        '{}',
        '[]',
        '[1]',
        '["event-12345678"]',
        '{"value":1}',
        '"100"',
        '""',
        '[null]',
        '{"__proto__":1}',
      ],
      ...['{"$gt":""}', '[[[[[[]]]]]]', '{"toString":1}', 'undefined', 'nul', 'True', '{"length":8}', '{"a":1,"a":2}'],
    ),
  },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)) },
);

/** A segment of a path or a value in a query, already in the form in which it is sent. */
export const rawSegment: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: identifierOf(edgeLength) },
  { weight: 3, arbitrary: text.map((value) => encodeURIComponent(value.toWellFormed())) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        '%',
        '%z',
        '%zz',
        '%4',
        '%41bcdefgh',
        '%00',
        '%00abcdefgh',
        '%0d%0aX-Injected:%201',
        '%2F',
        '%2e%2e%2f',
        '..',
        '.',
        '...',
      ],
      ...[
        '%c0%af',
        '%ff%fe',
        '%F0%9F%8C%B3',
        '%ed%a0%80',
        '%u0041',
        '%25',
        '%2525',
        ';a=b',
        'a;b',
        'a,b',
        '*',
        ':id',
        '{id}',
        '~',
        "'",
      ],
      ...[
        '__proto__',
        'constructor',
        'a'.repeat(1_000),
        'a'.repeat(15_000),
        '%41'.repeat(2_000),
        '[]',
        '()',
        '!$&',
        '@',
        'a+b',
        'a%20b',
      ],
    ),
  },
);

/** Bytes that stand for no JSON, or hardly. */
export const bodyBytes: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      ...[
        '',
        ' ',
        '\n',
        '\0',
        'null',
        'true',
        '0',
        '""',
        '[]',
        '{}',
        '[{}]',
        '{',
        '}',
        '{"',
        '{"a"',
        '{"a":',
        '{"a":1',
        '{"a":1,}',
        '{,}',
      ],
      ...[
        '{}{}',
        '{} {}',
        '{}x',
        '{}\0',
        '{"a":1}//c',
        '{/*c*/}',
        "{'a':1}",
        '{a:1}',
        '<xml/>',
        'a=b&c=d',
        '--boundary\r\n',
        '\u2028{}',
        '{"":1}',
      ],
    )
    .map((value) => Buffer.from(value)),
  fc.constantFrom(63, 64, 65, 66, 500, 30_000).map((depth) => Buffer.from(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)),
  fc.constantFrom(64, 65, 20_000, 32_768).map((depth) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))),
  fc.constantFrom(
    ...['c080', 'ff', 'fffe7b007d00', 'feff007b007d', 'eda080', 'f8888080', '80', 'e28'].map((hex) => Buffer.from(hex, 'hex')),
  ),
);
