/** The parts of the bench that compareWithBudgets: what they let through unnoticed, no figure would show. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { LEAST_TABLE, writeLeastScript, writeScript } from '../../bench/baselines/pgbench.ts';
import { compareWithBudgets, type Measured } from '../../bench/budgets.ts';
import { type Cell, medianCell } from '../../bench/cells.ts';
import { REQUESTS } from '../../bench/load/requests.ts';
import type { Figures } from '../../bench/measures/measure.ts';
import { listProblems } from '../../bench/measures/reconcile.ts';
import { comparePairs } from '../../bench/measures/side-by-side.ts';
import {
  calculationId,
  eventId,
  idempotencyKey,
  identifierSql,
  newToken,
  orderRef,
  transactionId,
} from '../../bench/rows/identifiers.ts';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { createOperations } from '../../src/operations/create-operations.ts';
import { openDatabase } from '../../src/store/database.ts';
import { auditKeys } from '../support/actor.ts';
import { testDatabase } from '../support/postgres/database.ts';

const task = { scenario: 'confirm', connections: 8 } as const;
const stored = (contributions: number, estimates = 0, links = 0) => ({ contributions, estimates, links });

describe('the rows in the database equal the acknowledged answers', () => {
  const outcome = { statuses: { '201': 100 }, unanswered: 0 };

  test('from all that was acknowledged to all that was in flight besides', () => {
    for (const count of [100, 108]) assert.deepEqual(listProblems(task, outcome, stored(count)), []);
  });

  test('one row fewer, or one more than could be in flight, is a problem', () => {
    for (const count of [99, 109]) assert.equal(listProblems(task, outcome, stored(count)).length, 1);
  });

  test('a failed request is a problem, and may have stored a row', () => {
    const failed = { statuses: { '201': 100, '503': 1 }, unanswered: 1 };
    assert.equal(listProblems(task, failed, stored(110)).length, 1);
    assert.equal(listProblems(task, failed, stored(111)).length, 2);
  });

  test('a replay that stores a row is a problem', () => {
    assert.equal(listProblems({ scenario: 'replay', connections: 8 }, outcome, stored(1)).length, 1);
  });

  test('a confirmation with calculation that made no link is a problem', () => {
    const withCalculation = { scenario: 'confirm-with-calculation', connections: 8 } as const;
    assert.deepEqual(listProblems(withCalculation, outcome, stored(100, 0, 100)), []);
    assert.equal(listProblems(withCalculation, outcome, stored(100, 0, 99)).length, 1);
  });
});

describe('the verdict on a budget', () => {
  const nothing: Measured = {
    cells: [],
    mixed: undefined,
    growth: [],
    halfLoad: [],
    deliveries: [],
    lifetime: undefined,
    young: [],
  };
  const held = (residentMegabytes: number) => ({ confirmations: 1, residentMegabytes });
  const verdictOn = (what: string, measured: Measured) =>
    compareWithBudgets(measured).find((verdict) => verdict.what.startsWith(what));

  test('what was not measured has none', () => {
    assert.ok(
      compareWithBudgets(nothing).every(({ isMustMet, isAimReached }) => isMustMet === undefined && isAimReached === undefined),
    );
  });

  test('of deliveries to one endpoint and to five the worse counts', () => {
    const sent = (perSecond: number) => ({ perSecond, cpuMicroseconds: 1, databaseCpuMicroseconds: undefined });
    const to = (endpoints: number, own: number) => ({
      endpoints,
      connections: 64,
      own: sent(own),
      other: undefined,
      bare: sent(100),
    });
    const verdict = verdictOn('deliveries', { ...nothing, deliveries: [to(1, 61), to(5, 29)] });
    assert.deepEqual([verdict?.measured, verdict?.isMustMet, verdict?.isAimReached], [0.29, false, false]);
  });

  test('of look-ups and replays in the first minute the worse counts, and only those of the working tree', () => {
    const latency = (p99Ms: number) => ({ p50Ms: 1, p99Ms, maxMs: p99Ms, perSecond: 1 });
    const of = (revision: string, scenario: 'replay' | 'lookup-by-event', p99Ms: number) => ({
      revision,
      scenario,
      young: latency(p99Ms),
      old: latency(10),
      confirmed: { young: 1, old: 1 },
    });
    const young = [of('new', 'lookup-by-event', 12), of('new', 'replay', 31), of('old', 'replay', 900)];
    const verdict = verdictOn('p99 in the first minute', { ...nothing, young });
    assert.deepEqual([verdict?.measured, verdict?.isMustMet], [3.1, false]);
  });

  test('processor time for a request counts in that of the constant route, and the dearer look-up decides', () => {
    const cell = (scenario: Cell['scenario'], serviceCpu: number) => cellOf({ scenario, serviceCpu, perSecond: 10_000 });
    const cells = [cell('confirm', 0.6), cell('lookup-by-event', 0.2), cell('lookup-by-id', 0.5)];
    const measured = (what: string) => verdictOn(what, { ...nothing, cells })?.measured?.toFixed(2);
    assert.equal(measured('processor time of the service'), '3.00');
    assert.equal(measured('the same for a look-up'), '2.50');
    assert.equal(measured('the same, against pgbench on the least table'), '1.25');
  });

  test('a p99 at half load counts only where the rate was kept', () => {
    const half = (scenario: Cell['scenario'], isRateKept: boolean | undefined) => {
      return { scenario, ratePerSecond: 1, connections: 128, figures: FIGURES, late: 1, isRateKept };
    };
    const met = (isRateKept: boolean | undefined) =>
      verdictOn('p99 at half', { ...nothing, halfLoad: [half('confirm', true), half('lookup-by-event', isRateKept)] })?.isMustMet;
    assert.deepEqual([met(true), met(false), met(undefined)], [true, false, undefined]);
  });

  test('where small is better, more than the limit misses it', () => {
    const lifetime = { readySeconds: 1.5, early: held(100), late: held(131) };
    const ready = verdictOn('ready', { ...nothing, lifetime });
    assert.deepEqual([ready?.isMustMet, ready?.isAimReached], [true, false]);
    assert.equal(verdictOn('memory', { ...nothing, lifetime })?.isMustMet, false);
  });
});

const FIGURES: Figures = {
  perSecond: 1,
  p50Ms: 1,
  p90Ms: 1,
  p99Ms: 1,
  maxMs: 1,
  serviceCpu: 1,
  databaseCpu: undefined,
  residentMegabytes: 1,
};

/** The constant route answers 10,000 a second with a fifth of a core. */
function cellOf({ scenario, ...figures }: Partial<Figures> & Pick<Cell, 'scenario'>): Cell {
  const baselines = { constant: { perSecond: 10_000, cpu: 0.2 }, pgbenchPerSecond: undefined, leastPerSecond: 8_000 };
  return { scenario, connections: 128, figures: { ...FIGURES, ...figures }, ...baselines };
}

test('of two revisions side by side each pair is compared by itself, whatever the machine did from one to the next', () => {
  // The machine is twice as fast in the second pair; the third was disturbed.
  const pair = (perSecond: number, [ownCpu, otherCpu]: [number, number]) =>
    [
      { ...FIGURES, perSecond, serviceCpu: ownCpu, databaseCpu: 0.5 },
      { ...FIGURES, perSecond: perSecond / 2, serviceCpu: otherCpu, databaseCpu: 0.5 },
    ] as const;
  const { perSecond, serviceCost, databaseCost } = comparePairs([
    pair(100, [0.5, 0.5]),
    pair(200, [0.5, 0.5]),
    pair(150, [1, 0.5]),
  ]);
  assert.deepEqual(perSecond, { median: 2, least: 2, most: 2 });
  assert.deepEqual(serviceCost, { median: 0.5, least: 0.5, most: 1 });
  assert.equal(databaseCost?.median, 0.5);
});

test('of several rounds the middle one counts, figure by figure', () => {
  const round = (perSecond: number, p99Ms: number) => cellOf({ scenario: 'confirm', perSecond, p99Ms });
  const { figures, leastPerSecond, pgbenchPerSecond } = medianCell([round(100, 5), round(9, 90), round(110, 7)]);
  assert.deepEqual([figures.perSecond, figures.p99Ms, leastPerSecond, pgbenchPerSecond], [100, 7, 8_000, undefined]);
  assert.equal(medianCell([round(100, 5), round(110, 7)]).figures.perSecond, 105);
});

test('several partners take turns, and each looks up what it has confirmed', () => {
  const rows = { token: newToken(), count: 1 };
  const terms = { apiKey: 'alone', apiKeys: ['key-0', 'key-1', 'key-2'], token: newToken(), known: rows, replayable: rows };
  const keysOf = (scenario: keyof typeof REQUESTS) =>
    [1, 2, 3, 4].map((number) => REQUESTS[scenario](terms, number).headers['x-api-key']);
  assert.deepEqual(keysOf('confirm'), ['key-1', 'key-2', 'key-0', 'key-1']);
  assert.deepEqual(keysOf('estimate'), keysOf('confirm'));
  for (const scenario of ['lookup-by-event', 'lookup-by-id', 'replay'] as const)
    assert.deepEqual(new Set(keysOf(scenario)), new Set(['key-1']), scenario);
  assert.equal(REQUESTS.confirm({ ...terms, apiKeys: undefined }, 1).headers['x-api-key'], 'alone');
});

test('the least table takes a contribution and its event, and neither its key nor its event a second time', async () => {
  const { pool } = await testDatabase();
  await pool.query(LEAST_TABLE);
  const script = writeLeastScript()
    .replace(/^\\.*$/gm, '')
    .replaceAll(':number', '1');
  await pool.query(script);
  for (const change of ['transaction_id', 'transaction_id, idempotency_key', 'transaction_id, partner_event_id'])
    await assert.rejects(
      pool.query(
        `insert into bench_least.contribution select (jsonb_populate_record(c, to_jsonb(c) || (
          select jsonb_object_agg(name, 'other') from unnest(string_to_array($1, ', ')) as name
        ))).* from bench_least.contribution c`,
        [change],
      ),
      /duplicate key/,
    );
  for (const table of ['contribution', 'event']) {
    const { rows } = await pool.query(`select count(*)::int4 as count from bench_least.${table}`);
    assert.equal(rows[0].count, 1, table);
  }
});

test('pgbench fills the columns that a confirmation fills, in the contribution and in its event', async () => {
  const { databaseUrl, pool } = await testDatabase();
  const database = openDatabase({ databaseUrl, auditKeys });
  after(() => database.close());
  await createOperations(database, { environment: 'sandbox', rulesOf: () => DEFAULT_RULES }).confirmContribution({
    partnerId: 'ptn_of_service',
    isSuspended: false,
    idempotencyKey: 'key-00001',
    fingerprint: Buffer.alloc(32),
    currency: null,
    timeZone: 'Asia/Riyadh',
    partnerEventId: 'event-00001',
    partnerOrderRef: 'order-1',
    points: 250n,
    opaqueCustomerRef: 'customer-1',
    calculationId: undefined,
    correlationId: 'corr-00001',
    arrivedAtMs: performance.now(),
  });
  const script = await writeScript(pool);
  await pool.query(script.replace(/^\\.*$/gm, '').replaceAll(':number', '1'));
  for (const table of ['contribution', 'event_outbox']) {
    const { rows } = await pool.query<{ columns: string[] }>(
      `select array(select key from jsonb_each(to_jsonb(t)) where value <> 'null' order by key) as columns from ${table} t`,
    );
    assert.equal(rows.length, 2, table);
    assert.deepEqual(rows[0], rows[1]);
  }
});

test('identifiers made by SQL are those that the load asks for', async () => {
  const { pool } = await testDatabase();
  const token = newToken();
  const columns = Object.values(identifierSql(token, 'number'));
  for (const number of [1, 4_294_967, 130_000_000]) {
    const { rows } = await pool.query({
      text: `select ${columns.join(', ')} from (values ($1::bigint)) as given (number)`,
      values: [number],
      rowMode: 'array',
    });
    const expected = [eventId, orderRef, idempotencyKey, transactionId, calculationId].map((make) => make(token, number));
    assert.deepEqual(rows[0], expected);
  }
});
