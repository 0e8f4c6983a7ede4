/**
 * Every list of the operators' interface in each of its orders and with each of its filters, the overview and the search: each answers on
 * one server and on a cluster, and its pages follow each other.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fillLists } from '../../bench/operators/fill-lists.ts';
import { LISTS, type Member, PARAMS, partnerId, queriesOf, WITH } from '../../bench/operators/list-queries.ts';
import { readPageCursor, writePageCursor } from '../../src/domain/page-cursor.ts';
import { ServiceError } from '../../src/domain/service-error.ts';
import { searchRecords } from '../../src/operations/overview/search-records.ts';
import type { OperatorApiTools } from '../../src/operator-api/app.ts';
import { getMonth } from '../../src/operator-api/overview/months.ts';
import { getOverview } from '../../src/operator-api/overview/overview.ts';
import type { OperatorRoute } from '../../src/operator-api/route.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { listTools } from '../support/operator-api/list-tools.ts';
import { clusterDatabase } from '../support/postgres/cluster-database.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { testDatabase } from '../support/postgres/database.ts';

const COUNTS = {
  partners: 20,
  contributions: 20_000,
  reviews: 1_000,
  settlements: 20_000,
  adjustments: 20_000,
  endpoints: 1_000,
  deliveries: 1_000,
  others: 1_000,
};

const clusterUrl = process.env['TEST_ENGINE'] === 'citus' ? process.env['TEST_DATABASE_URL'] : undefined;
const { databaseUrl, pool } = clusterUrl === undefined ? await testDatabase() : await clusterDatabase(clusterUrl);
let database: Database;
/** Of what the lists use. */
let tools: OperatorApiTools;

before(async () => {
  database = { ...openDatabase({ databaseUrl, poolSize: 4 }), isDistributed: clusterUrl !== undefined };
  tools = listTools(database);
  await fillLists(pool, COUNTS);
});
after(() => database.close());

const read = (route: OperatorRoute, query: object) => route.handle({ tools, params: PARAMS, query } as never) as Promise<object>;

/** The records of an answer: its one list. */
const recordsOf = (answer: object) => Object.values(answer).find(Array.isArray) as Record<string, unknown>[];
const comparable = (value: unknown) =>
  value instanceof Date ? value.getTime() : typeof value === 'bigint' ? value : String(value);

for (const route of LISTS)
  for (const query of queriesOf(route))
    test(`${route.operation} ${new URLSearchParams(query)}: answers`, async () => {
      const answer = (await read(route, query)) as { next_after?: string };
      assert.ok(recordsOf(answer));
      if (answer.next_after !== undefined) assert.ok(recordsOf(await read(route, { ...query, after: answer.next_after })));
    });

for (const route of LISTS) {
  const { query } = route as unknown as { query: { properties: { limit?: unknown; sort: Member }; required?: string[] } };
  if (!query.properties.limit) continue;
  for (const sort of query.properties.sort.enum ?? [])
    test(`${route.operation} sort=${sort}: pages follow each other in this order, and none has a record of another`, async () => {
      const by = sort.replace('-', '');
      const sent = { ...(query.required?.includes('partner_id') && { partner_id: partnerId }), ...WITH[by], sort };
      const page = (more: object) => read(route, { ...sent, ...more }) as Promise<{ next_after: string; has_more: boolean }>;
      const whole = await page({ limit: '120' });
      const limit = String(Math.max(1, Math.ceil(recordsOf(whole).length / 2)));
      const first = await page({ limit });
      const rest = first.has_more ? recordsOf(await page({ limit, after: first.next_after })) : [];
      assert.deepEqual([...recordsOf(first), ...rest], recordsOf(whole));
      assert.equal(rest.length > 0, recordsOf(whole).length > 1);
      // Names are in the order of the database's language.
      const values = recordsOf(whole).map((record) => comparable(record[by]));
      if (by.includes('name') || by === 'period' || values.includes('undefined')) return;
      const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
      assert.deepEqual(values, sort.startsWith('-') ? sorted.toReversed() : sorted);
    });
}

/** A cursor is bound to its list, and not secret: a person may write one, of any text. */
const FORGED = [
  'text',
  '{}',
  '["a"b"]',
  '[1,2]',
  '[]',
  '["one","two"]',
  '["\\u0000","\\u0000"]',
  '["99999999999999999999","2026-99-99 00:00:00+00","x"]',
];

/** What a list is called in its cursors: by its operation, what its path names, its filters and its order. */
function nameOf({ operation }: OperatorRoute, sort: string, cursor: string): string[] {
  const { partner_id, impact_batch_id, month, ...others } = PARAMS;
  const paths = [[], [impact_batch_id], [month], [partner_id], ...Object.values(others).map((id) => [partner_id, id])];
  const filters = Array.from({ length: 8 }, (_, count) => new Array<string>(count).fill('-'));
  const names = paths.flatMap((path) =>
    filters.flatMap((none) => [[], ['SAR']].map((currency) => [operation, ...path, ...none, ...currency, sort])),
  );
  const name = names.find((each) => readPageCursor(each, cursor) !== undefined);
  return name ?? assert.fail(`the list ${operation} has another name`);
}

for (const route of LISTS) {
  const { query } = route as unknown as { query: { properties: { limit?: unknown; sort: Member }; required?: string[] } };
  if (!query.properties.limit) continue;
  for (const sort of query.properties.sort.enum ?? [])
    test(`${route.operation} sort=${sort}: a cursor that somebody made is invalid_request, or a place`, async () => {
      const needed = query.required?.includes('partner_id') && { partner_id: partnerId };
      const sent = { ...needed, ...WITH[sort.replace('-', '')], sort, limit: '1' };
      const { next_after } = (await read(route, sent)) as { next_after: string };
      const name = nameOf(route, sort, next_after);
      for (const place of FORGED) {
        const refusal = await read(route, { ...sent, after: writePageCursor(name, place) }).catch((error: unknown) => error);
        if (!(refusal instanceof Error)) assert.ok(recordsOf(refusal as object), place);
        else {
          assert.ok(refusal instanceof ServiceError, `${place}: ${refusal.message}`);
          assert.deepEqual([refusal.code, refusal.details[0]?.code], ['invalid_request', 'not_of_this_list'], place);
        }
      }
    });
}

for (const route of LISTS) {
  const { query } = route as unknown as { query: { properties: { limit?: unknown }; required?: string[] } };
  if (!query.properties.limit) continue;
  test(`${route.operation}: a long page is read with as many statements as a short one`, async () => {
    const needed = query.required?.includes('partner_id') ? { partner_id: partnerId } : {};
    const count = async (limit: string) => {
      const { counted, sent } = countingDatabase(database);
      const of = { tools: { ...tools, database: counted }, params: PARAMS, query: { ...needed, limit } };
      await route.handle(of as never);
      return sent.values().reduce((sum, times) => sum + times, 0);
    };
    const [short, long] = [await count('10'), await count('100')];
    assert.ok(short > 0);
    assert.equal(long, short);
  });
}

test('the overview and a month add up what there is', async () => {
  const { reviews, adjustments_to_approve, webhooks } = (await read(getOverview, {})) as Record<string, Record<string, unknown>>;
  assert.deepEqual([reviews?.['count'], reviews?.['is_more']], [COUNTS.reviews, false]);
  assert.equal(adjustments_to_approve?.['is_more'], true);
  assert.ok(webhooks);
  assert.ok(await read(getMonth, {}));
});

for (const text of ['order-1234', 'event-1234', 'key-1234'])
  test(`the search finds the one contribution of ${text} first, then those whose name begins so`, async () => {
    const { contributions } = await searchRecords(database, text);
    const names = contributions.map(({ contribution: { partnerOrderRef, partnerEventId }, idempotencyKey }) =>
      [partnerOrderRef, partnerEventId, idempotencyKey].find((name) => name?.startsWith(text)),
    );
    const longer = Array.from({ length: 10 }, (_, digit) => `${text}${digit}`);
    assert.deepEqual([names[0], names.slice(1).toSorted()], [text, longer]);
  });

/** The database, and the length of the longest value that is sent to it. */
function measuringDatabase() {
  const longest = { value: 0 };
  const query = (statement: { readonly values: readonly unknown[] }) => {
    longest.value = Math.max(longest.value, ...statement.values.map((value) => JSON.stringify(value).length));
    return database.pool.query(statement as never);
  };
  return { measured: { ...database, pool: { query } } as unknown as Database, longest };
}

const numbered = (prefix: string, number: number) => `${prefix}_01${String(number).padStart(24, '0')}`;

for (const [kind, prefix, status] of [
  ['settlement', 'stl', 'closed'],
  ['adjustment', 'adj', 'draft'],
  ['endpoint', 'wep', 'active'],
  ['event', 'evt', null],
  ['reconciliation', 'rec', 'done'],
  ['failure', 'fail', 'drafted'],
  ['impact_batch', 'batch', 'recorded'],
] as const)
  test(`the search finds the ${kind} of an id, and sends no list of partners for it`, async () => {
    const { measured, longest } = measuringDatabase();
    const id = numbered(prefix, 7);
    const { records } = await searchRecords(measured, id);
    assert.deepEqual(records, [{ kind, partnerId: kind === 'impact_batch' ? null : partnerId, id, status }]);
    assert.ok(longest.value < 200, `${longest.value} characters`);
  });

test('the search finds the contribution and the delivery of an id, and sends no list of partners for them', async () => {
  const { measured, longest } = measuringDatabase();
  const { contributions } = await searchRecords(measured, numbered('txn', 1007));
  assert.deepEqual(
    contributions.map(({ contribution: { transactionId }, foundBy }) => [transactionId, foundBy]),
    [[numbered('txn', 1007), ['transaction_id']]],
  );
  const id = `${numbered('dlv', 7)}.x`;
  const { records } = await searchRecords(measured, id);
  assert.deepEqual(
    records.map((record) => [record.kind, record.partnerId, record.id]),
    [['delivery', partnerId, id]],
  );
  assert.ok(longest.value < 200, `${longest.value} characters`);
});
