/** A list that is sent in binary form is stored as the same list sent as text by the driver. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { withBinaryLists } from '../../src/store/binary-lists.ts';
import { run } from '../../src/store/query.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { pool } = service.database;

/** The server writes what it read as text, in which two lists differ when any of their elements do. */
const statementOf = (type: string) => ({ name: `lists_of_${type}`, text: `select $1::${type}[]::text as stored` });

async function storedAs(type: string, values: readonly unknown[]): Promise<unknown> {
  const statement = statementOf(type);
  const [parameter] = withBinaryLists(statement, [values]);
  assert.ok(Buffer.isBuffer(parameter), `${type}[] is not in binary form`);
  const [row] = await run<{ stored: string }>(pool, statement, [values]);
  return row?.stored;
}

async function storedByDriver(type: string, values: readonly unknown[]): Promise<unknown> {
  const { rows } = await pool.query<{ stored: string }>(statementOf(type).text, [values]);
  return rows[0]?.stored;
}

const INT8_MAX = 2n ** 63n - 1n;
const withoutZero = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', ''));
const EXAMPLES: Readonly<Record<string, { readonly values: readonly unknown[]; readonly any: fc.Arbitrary<unknown> }>> = {
  text: {
    values: ['', 'NULL', 'null', null, undefined, '"', '\\', '\\"', '{a,b}', ' a ', 'a\nb', 'شجرة', '🌳', 'order-1', '\ud800'],
    any: withoutZero,
  },
  bytea: {
    values: [Buffer.alloc(0), Buffer.from([0, 1, 255, 92, 34]), null, Buffer.alloc(5_000, 7)],
    any: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  },
  int4: { values: [0, -1, 2 ** 31 - 1, -(2 ** 31), null], any: fc.integer() },
  int8: { values: [0n, -1n, INT8_MAX, -INT8_MAX - 1n, null], any: fc.bigInt({ min: -INT8_MAX - 1n, max: INT8_MAX }) },
  timestamptz: {
    values: [new Date(0), new Date('1969-12-31T23:59:59.999Z'), new Date('2026-11-28T09:30:00.001Z'), null],
    any: fc.date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('9000-01-01T00:00:00Z'), noInvalidDate: true }),
  },
};

describe('lists in binary form', () => {
  for (const [type, { values, any }] of Object.entries(EXAMPLES)) {
    test(`${type}[] with every special value`, async () => {
      assert.equal(await storedAs(type, values), await storedByDriver(type, values));
    });

    test(`${type}[] without an element, and of nulls alone`, async () => {
      assert.equal(await storedAs(type, []), '{}');
      assert.equal(await storedAs(type, [null, undefined]), '{NULL,NULL}');
    });

    test(`any ${type}[]`, async () => {
      const list = fc.array(fc.option(any, { freq: 8 }), { maxLength: 200 });
      await fc.assert(
        fc.asyncProperty(list, async (each) => {
          assert.equal(await storedAs(type, each), await storedByDriver(type, each));
        }),
        { numRuns: 30 },
      );
    });
  }

  test('lists of one statement do not change each other, however long they are', async () => {
    const statement = {
      name: 'lists_of_several_types',
      text: 'select $1::text[]::text as first, $2::int8[]::text as second, $3::text[]::text as third, $4::text as fourth',
    };
    const long = Array.from({ length: 3_000 }, (_, number) => `order ${number}, شجرة`);
    const numbers = long.map((_, number) => BigInt(number));
    const [row] = await run<Record<string, string>>(pool, statement, [['a', 'b'], numbers, long, 'alone']);
    assert.deepEqual(row, {
      first: '{a,b}',
      second: `{${numbers.join(',')}}`,
      third: `{${long.map((text) => `"${text}"`).join(',')}}`,
      fourth: 'alone',
    });
  });

  test('a value that the type does not hold is refused by the server, and nothing else is sent for it', async () => {
    for (const [type, value, code] of [
      ['int8', INT8_MAX + 1n, '22003'],
      ['int4', 2 ** 31, '22003'],
      ['int4', 0.5, '22P02'],
      ['timestamptz', 'soon', '22007'],
      ['text', 'a\0b', '22021'],
    ] as const)
      await assert.rejects(run(pool, statementOf(type), [[value]]), { code }, `${type} ${value}`);
  });
});
