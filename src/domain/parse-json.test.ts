import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readJson } from './parse-json.ts';

/** A request of the usual size around one value. */
const bodyWith = (points: string) => `{"partner_event_id":"evt-000001","points":${points},"note":"1.5e3, \\"7\\": {"}`;
const pointsIn = (points: string) => (readJson(bodyWith(points)) as { points: unknown }).points;

test('confirmContribution, points: an integer is exact whatever its spelling and size', () => {
  const spellings: [string, bigint][] = [
    ['100', 100n],
    ['100.0', 100n],
    ['100.000', 100n],
    ['1e2', 100n],
    ['1E+2', 100n],
    ['0.1e3', 100n],
    ['0.0001e6', 100n],
    ['10000e-2', 100n],
    ['0', 0n],
    ['-0', 0n],
    ['0.0', 0n],
    ['-0e5', 0n],
    ['0e999999999', 0n],
    ['-5', -5n],
    ['-5.0', -5n],
    ['999999999999999', 999_999_999_999_999n],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['9223372036854775807', 9_223_372_036_854_775_807n],
    ['9223372036854775808', 9_223_372_036_854_775_808n],
    ['-9223372036854775808', -9_223_372_036_854_775_808n],
    ['922337203685477580.7e1', 9_223_372_036_854_775_807n],
    ['1e308', 10n ** 308n],
    ['9'.repeat(309), BigInt('9'.repeat(309))],
    [`0.${'0'.repeat(400)}1e401`, 1n],
    [`1${'0'.repeat(300)}e-300`, 1n],
  ];
  for (const [source, value] of spellings) assert.equal(pointsIn(source), value, source);
});

test('confirmContribution, points: what is no integer, or is beyond all bounds, is never a bigint', () => {
  const spellings: [string, number][] = [
    ['1.5', 1.5],
    ['100.5', 100.5],
    ['1e-1', 0.1],
    ['-0.25', -0.25],
    ['0.99999999999999999999', 1],
    ['1.00000000000000000001', 1],
    ['9007199254740993.5', 9_007_199_254_740_994],
    ['1e-999999999', 0],
    ['1e309', Infinity],
    ['15e-1', 1.5],
    ['15E-1', 1.5],
    ['1e400', Infinity],
    ['1E400', Infinity],
    ['-1e400', -Infinity],
    ['1e999999999', Infinity],
    [`1e${'9'.repeat(1000)}`, Infinity],
    ['9'.repeat(310), Infinity],
    [`1${'0'.repeat(309)}`, Infinity],
  ];
  for (const [source, value] of spellings) assert.equal(pointsIn(source), value, source.slice(0, 30));
});

test('confirmContribution, points: every integer of any size up to 309 digits comes back, in four spellings', () => {
  const size = 10n ** 300n;
  fc.assert(
    fc.property(fc.bigInt({ min: -size, max: size }), fc.integer({ min: 0, max: 8 }), (value, zeros) => {
      assert.equal(readJson(`${value}`), value);
      assert.equal(readJson(`${value}.${'0'.repeat(zeros + 1)}`), value);
      // JSON has no 00.
      if (value !== 0n) assert.equal(readJson(`${value}${'0'.repeat(zeros)}e-${zeros}`), value);
      assert.equal(readJson(`${value}E+${zeros}`), value * 10n ** BigInt(zeros));
    }),
  );
});

test('confirmContribution, points: a text in a string stays a string, whatever stands beside it', () => {
  assert.deepEqual(readJson('{"a":"100","b":"1e2","c":[1.5,"2",2],"d":true,"e":null,"f":{}}'), {
    a: '100',
    b: '1e2',
    c: [1.5, '2', 2n],
    d: true,
    e: null,
    f: {},
  });
});

test('Errors, invalid_request: a member named twice is refused, even with equal values, and the message names it', () => {
  const refused: [string, RegExp][] = [
    ['{"a":1,"a":1}', /the member "a" occurs twice$/],
    ['{"a":1,"b":2,"a":3}', /the member "a" occurs twice$/],
    ['{"a":1,"\\u0061":1}', /the member "a" occurs twice$/],
    ['{"\\u0061":1.5,"a":2.5}', /the member "a" occurs twice$/],
    ['{"a" \t\r\n:1,"a":1}', /the member "a" occurs twice$/],
    ['{"x":{"y":[{"deep":0},{"deep":1,"deep":2}]}}', /the member "deep" occurs twice$/],
    ['{"a":{"a":1},"b":{"b":1,"c":2,"b":3}}', /the member "b" occurs twice$/],
    ['{"1":0,"1":0}', /the member "1" occurs twice$/],
    ['{"":0,"":0}', /the member "" occurs twice$/],
    ['{"__proto__":1,"__proto__":1}', /the member "__proto__" occurs twice$/],
    ['{"a\\"":1,"b":"\\\\","a\\"":1}', /the member "a\\"" occurs twice$/],
    ['{"v":"v","a":1,"a":1}', /the member "a" occurs twice$/],
    ['{"x":{"b":1},"b":2,"a":1,"a":1}', /the member "a" occurs twice$/],
    [`{"${'n'.repeat(5000)}":1,"${'n'.repeat(5000)}":1}`, /the member "n{64}" occurs twice$/],
  ];
  for (const [text, message] of refused) assert.throws(() => readJson(text), { name: 'SyntaxError', message }, text.slice(0, 60));
});

test('Errors, invalid_request: equal names in different objects are no repetition', () => {
  for (const text of ['[{"a":1},{"a":1}]', '{"a":{"a":{"a":1}}}', '{"a":":","b":"{\\"a\\":1,\\"a\\":1}"}', '{"a":1,"A":1}']) {
    assert.doesNotThrow(() => readJson(text), text);
  }
});

test('Errors, invalid_request: __proto__ is an own member, visible as unknown, and changes no prototype', () => {
  for (const text of ['{"__proto__":{"admin":1}}', '{"__proto__":{"admin":1.5}}', '{"__proto__":7,"x":1.5}', '{"__proto__":7}']) {
    const value = readJson(text) as Record<string, unknown>;
    assert.ok(Object.hasOwn(value, '__proto__'), text);
    assert.equal(Object.getPrototypeOf(value), Object.prototype, text);
    assert.equal(value['admin'], undefined, text);
  }
  assert.deepEqual(Object.values(readJson('{"__proto__":7}') as object), [7n]);
  assert.equal(({} as Record<string, unknown>)['admin'], undefined);
});

test('Errors, invalid_request: nesting ends in a refusal, never in a crash', () => {
  const nested = (depth: number, inside = '') => '['.repeat(depth) + inside + ']'.repeat(depth);
  assert.doesNotThrow(() => readJson(nested(64, '1.5')));
  assert.throws(() => readJson(nested(65)), { name: 'SyntaxError', message: /more than 64 levels/ });
  assert.throws(() => readJson(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`), {
    name: 'SyntaxError',
    message: /more than 64 levels/,
  });
  assert.throws(() => readJson('['.repeat(60 * 1024)), { name: 'SyntaxError' });
  assert.throws(() => readJson('{"a":'.repeat(12 * 1024)), { name: 'SyntaxError' });
  assert.throws(() => readJson(nested(30 * 1024)), { name: 'SyntaxError', message: /more than 64 levels/ });
  assert.throws(() => readJson(nested(500_000)), { name: 'SyntaxError', message: /more than 64 levels/ });
  assert.doesNotThrow(() => readJson(`[${'[],{},'.repeat(1000)}0]`), 'width is no depth');
  assert.doesNotThrow(() => readJson(`["${'['.repeat(1000)}"]`), 'a bracket in a string opens nothing');
});

test('Errors, invalid_request: half a surrogate pair is refused in names and values, a whole one is not', () => {
  for (const text of [
    '{"a":"\\ud800"}',
    '{"\\udc00":1}',
    '["\\ud83d \\ude00"]',
    '{"a":["x",{"b":"\\uD83D"}]}',
    '"\ud800"',
    '"\\udead"',
  ]) {
    assert.throws(() => readJson(text), { name: 'SyntaxError', message: /surrogate/ }, JSON.stringify(text));
  }
  assert.deepEqual(readJson('["\\ud83d\\ude00","😀","شجرة","\\u0000"]'), ['😀', '😀', 'شجرة', '\0']);
});

test('Errors, invalid_request: what is not JSON is refused, and the message quotes no value', () => {
  const value = 'customer-77';
  const texts = [
    '',
    ' ',
    value,
    'undefined',
    '[object Object]',
    '{',
    '[1,]',
    '01',
    '.5',
    '5.',
    '+1',
    'NaN',
    'Infinity',
    `{'${value}':1}`,
    `{"a":"${value}"} {"b":"${value}"}`,
    `{"a":"${value}" "b":1}`,
    `{"a":"${value}", b":"${value}"}`,
    `{"a":"${value}",}`,
    `{"a":${value}}`,
    `["${value}" x`,
    `["${value}\n"]`,
    `"${value}`,
    `\ufeff{"a":"${value}"}`,
    '// a comment\n1',
    '\u00a01',
  ];
  for (const text of texts) {
    assert.throws(
      () => readJson(text),
      (error) => error instanceof SyntaxError && error.message !== '' && !/customer|77/.test(error.message),
      text,
    );
  }
});

test('Errors, invalid_request: an adversarial text costs time in proportion to its length', () => {
  const textsOf = (size: number) => [
    `[1${'0'.repeat(size)}1.5]`,
    `[0.${'0'.repeat(size)}1]`,
    `[${'9'.repeat(size)}]`,
    `["${'\\\\'.repeat(size / 2)}"]`,
    `["${'\\"'.repeat(size / 2)}"]`,
    `{"a"${' '.repeat(size)}:1}`,
    `[1e${'9'.repeat(size)}]`,
  ];
  /** Processor time of this process, which other programs do not lengthen. */
  const costOf = (texts: readonly string[]) => {
    const before = process.cpuUsage().user;
    for (const text of texts) readJson(text);
    return process.cpuUsage().user - before;
  };
  const [long, short] = [textsOf(240 * 1024), textsOf(24 * 1024)];
  for (const text of short) readJson(text);
  for (const [number, text] of long.entries()) {
    const few = costOf(Array.from({ length: 10 }, () => short[number] as string));
    // The same characters in one text: of a step that is quadratic it would be ten times as much.
    assert.ok(costOf([text]) < 4 * few + 20_000, text.slice(0, 20));
  }
});

test('readJson agrees with JSON.parse on every text that loses nothing there', () => {
  const floats = (value: unknown): unknown => {
    if (typeof value === 'bigint') return Number(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(floats);
    const copy = {};
    for (const [name, member] of Object.entries(value)) {
      Object.defineProperty(copy, name, { value: floats(member), enumerable: true, writable: true, configurable: true });
    }
    return copy;
  };
  const text = fc.json({ maxDepth: 6, stringUnit: 'binary' });
  fc.assert(
    fc.property(text, fc.constantFrom(0, 1, '\t'), (json, indent) => {
      const spaced = JSON.stringify(JSON.parse(json), null, indent);
      assert.deepEqual(floats(readJson(spaced)), floats(JSON.parse(spaced)));
    }),
    { numRuns: 1000 },
  );
});

test('readJson refuses exactly what JSON.parse refuses, on texts broken in one place', () => {
  const accepts = (read: (text: string) => unknown, text: string) => {
    try {
      read(text);
      return true;
    } catch (error) {
      assert.ok(error instanceof SyntaxError);
      return false;
    }
  };
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 3 }),
      fc.nat(),
      fc.constantFrom('', '"', '\\', '{', '}', ',', ':', '1', '.', '-', 'e', ' '),
      (json, at, put) => {
        const place = at % (json.length + 1);
        const broken = json.slice(0, place) + put + json.slice(place + 1);
        const accepted = accepts(readJson, broken);
        if (accepted) assert.doesNotThrow(() => JSON.parse(broken));
        else if (accepts(JSON.parse, broken)) assert.throws(() => readJson(broken), /twice|surrogate/);
      },
    ),
    { numRuns: 2000 },
  );
});
