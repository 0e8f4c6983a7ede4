/** Daily caps: decisions, section 4. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { failPendingContribution } from '../../src/operations/contributions/resolve-pending-contribution.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, Client, countByStatus, newConfirmation, uniqueId } from '../support/client.ts';
import { QUIET_ZONE } from '../support/clock/quiet-zone.ts';
import { BLOCKED_MS_MAX, endHolding, holdContribution } from '../support/contributions/held-contribution.ts';
import { connect } from '../support/postgres/connect.ts';
import { insertContributionRule, type RuleRow } from '../support/rules.ts';
import { OPEN_RATES, testServiceProcesses } from '../support/service.ts';

const CAPS: Record<string, RuleRow> = {
  count: { daily_count_cap: 20 },
  points: { daily_points_cap: 1_000 },
  replays: { daily_count_cap: 10 },
  boundary: { daily_count_cap: 25 },
  back: { daily_points_cap: 300 },
  held: { daily_count_cap: 2 },
  east: { daily_count_cap: 1 },
  west: { daily_count_cap: 1 },
  former: { daily_count_cap: 1 },
  yesterday: { daily_points_cap: 300 },
  blocked: { daily_count_cap: 1_000 },
  late: { daily_count_cap: 1_000 },
};
/** The last is no name for the PostgreSQL of the tests, as `Asia/Calcutta` is none for that of Debian 13. */
const ZONES: Record<string, string> = { east: 'Pacific/Kiritimati', west: 'Pacific/Niue', former: 'US/Pacific-New' };
const partners: Record<string, Partner> = {};

const service = await testServiceProcesses(2, {}, async (database) => {
  for (const [name, caps] of Object.entries(CAPS)) {
    const partner = await createPartner(database, OWNER, name, { ...OPEN_RATES, timeZone: ZONES[name] ?? QUIET_ZONE });
    partners[name] = partner;
    await insertContributionRule(database, { ...caps, partnerId: partner.partnerId });
  }
});
const { database } = service;

/** The partner, and a client of it at each of the two processes. */
async function open(name: string) {
  const partner = partners[name] as Partner;
  const { key } = await service.newPartner({ of: partner });
  const clients = service.processes.map(({ baseUrl }) => new Client(baseUrl, key.apiKey));
  const clientAt = (index: number) => clients[index % clients.length] as Client;
  return { partner, clientAt, client: clientAt(0) };
}

async function readCount({ partnerId }: Partner) {
  const { rows } = await database.pool.query(
    'select day::text, points::int4, contributions::int4 from daily_count where partner_id = $1 order by day',
    [partnerId],
  );
  return rows;
}

/** As a partner does: the same request again where a machine that has too much to do gives no outcome in time. */
async function confirmUntilAnswered(client: Client, fields: object = {}) {
  const body = { ...newConfirmation(), ...fields };
  const headers = { 'idempotency-key': uniqueId('key') };
  while (true) {
    const answer = await client.confirm(body, headers);
    if (answer.status !== 503) return answer;
  }
}

const fifty = Array.from({ length: 50 }, (_, index) => index);

describe('exact over all processes, however many requests race', () => {
  test('a cap of 20 contributions: of 50 at once over two processes 20 are confirmed', async () => {
    const { partner, clientAt } = await open('count');
    const answers = await Promise.all(fifty.map((index) => confirmUntilAnswered(clientAt(index))));
    assert.deepEqual(countByStatus(answers), { 201: 20, 202: 30 });
    assert.deepEqual(
      (await readCount(partner)).map(({ points, contributions }) => [points, contributions]),
      [[50 * 250, 50]],
      'pending counts',
    );
    const { rows } = await database.pool.query(
      'select reason, count(*)::int4 from contribution_review where partner_id = $1 group by reason',
      [partner.partnerId],
    );
    assert.deepEqual(rows, [{ reason: 'daily_count_cap', count: 30 }]);
  });

  test('a cap of 1000 points: it is reached exactly and not passed', async () => {
    const { clientAt } = await open('points');
    const answers = await Promise.all(fifty.map((index) => confirmUntilAnswered(clientAt(index), { points: 100 })));
    assert.deepEqual(countByStatus(answers), { 201: 10, 202: 40 });
  });

  test('replays do not count, nor does what meets another record', async () => {
    const { partner, clientAt } = await open('replays');
    const sent = Array.from({ length: 15 }, () => [newConfirmation(), { 'idempotency-key': uniqueId('key') }] as const);
    const copies = [...sent, ...sent, ...sent].map(([fields, headers], index) => clientAt(index).confirm(fields, headers));
    const strangers = sent.map(([fields], index) => clientAt(index).confirm(fields));
    const answers = await Promise.all([...copies, ...strangers]);
    const confirmed = new Set(idsOf(answers, 201));
    const pending = new Set(idsOf(answers, 202));
    assert.deepEqual([confirmed.size, pending.size], [10, 5]);
    assert.deepEqual(
      (await readCount(partner)).map(({ contributions }) => contributions),
      [15],
    );
  });

  test('in the order of a batch: a stored one in its middle takes no place from those behind it', async () => {
    const { partner, clientAt } = await open('boundary');
    const stored = Array.from({ length: 10 }, () => [newConfirmation(), { 'idempotency-key': uniqueId('key') }] as const);
    for (const [fields, headers] of stored) assert.equal((await clientAt(0).confirm(fields, headers)).status, 201);
    const mixed = fifty.map((index) => {
      const [fields, headers] = stored[index % 10] as (typeof stored)[number];
      return index % 5 < 3 ? clientAt(index).confirm(fields, headers) : clientAt(index).confirm();
    });
    const answers = await Promise.all(mixed);
    const fresh = answers.filter((_, index) => index % 5 >= 3);
    assert.deepEqual(countByStatus(fresh), { 201: 15, 202: 5 });
    assert.deepEqual(
      (await readCount(partner)).map(({ contributions }) => contributions),
      [30],
    );
  });
});

test('whoever counts holds the day: another process judges by what was counted until its commit', async () => {
  const { partner, client } = await open('held');
  assert.equal((await client.confirm()).status, 201);
  const other = await database.pool.connect();
  try {
    await other.query('begin');
    await other.query('update daily_count set contributions = 2 where partner_id = $1', [partner.partnerId]);
    const answer = client.confirm();
    await untilWaitedFor('daily_count');
    await other.query('commit');
    assert.equal((await answer).status, 202);
  } finally {
    other.release();
  }
});

test(
  'a key that another transaction holds delays its own request alone, not the others that count on the day',
  HANG_LIMIT,
  async () => {
    const { partner, clientAt } = await open('blocked');
    assert.equal((await clientAt(0).confirm()).status, 201);
    for (const isLast of [false, false, true]) if (await answersOthersMeanwhile(isLast)) break;

    /** @returns Whether it took less time than the blocked one may wait: on a busy machine that may be answered first, which says nothing. */
    async function answersOthersMeanwhile(isLast: boolean): Promise<boolean> {
      const fields = newConfirmation();
      const session = await holdContribution(database, partner.partnerId, fields);
      const answered: Answer[] = [];
      const sentAtMs = performance.now();
      const others: Answer[] = [];
      let othersBefore = 0;
      const waiting = clientAt(0)
        .confirm(fields)
        .then((answer) => {
          answered.push(answer);
          othersBefore = others.length;
        });
      // One after the other: each meets whoever holds the day just then.
      while (others.length < 12) others.push(await clientAt(others.length).confirm());
      const meanwhile = [...answered];
      await endHolding(session, 'rollback');
      const isInTime = performance.now() - sentAtMs < BLOCKED_MS_MAX;
      await waiting;
      if (isInTime) assert.deepEqual([countByStatus(others), meanwhile, countByStatus(answered)], [{ 201: 12 }, [], { 201: 1 }]);
      else if (isLast) assert.ok(othersBefore > 0, 'none of the others was answered before the blocked one');
      return isInTime;
    }
  },
);

test('a confirmation that was told that its outcome is unknown waits for the day no longer', HANG_LIMIT, async () => {
  const { partner, client } = await open('late');
  assert.equal((await client.confirm()).status, 201);
  const fields = newConfirmation();
  const other = await connect(service.databaseUrl);
  await other.query('begin');
  await other.query('update daily_count set contributions = contributions where partner_id = $1', [partner.partnerId]);
  assertError(await client.confirm(fields), 'internal_service_unavailable');
  // Less than it would wait for the day without a deadline.
  for (const untilMs = performance.now() + 600; performance.now() < untilMs && (await isWaitedFor('daily_count')); )
    await sleep(20);
  await other.query('rollback');
  // It meets the day after whatever still waited for it.
  assert.equal((await client.confirm()).status, 201);
  assertError(await client.findByEvent(fields.partner_event_id), 'contribution_not_found');
});

/** What is under way, on each node where there are several. */
const ACTIVITY = process.env['TEST_ENGINE'] === 'citus' ? 'citus_stat_activity' : 'pg_stat_activity';

async function untilWaitedFor(table: string): Promise<void> {
  await waitFor(`statement that waits for a lock of ${table}`, () => isWaitedFor(table));
}

/** Whether a statement on the table waits for somebody's lock. */
async function isWaitedFor(table: string): Promise<boolean> {
  const { rows } = await database.pool.query(
    `select 1 from ${ACTIVITY} where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`,
    [table],
  );
  return rows.length > 0;
}

function idsOf(answers: readonly Answer[], wanted: number): string[] {
  return answers.filter(({ status }) => status === wanted).map(({ body }) => body.contribution.transaction_id);
}

describe('what counts', () => {
  test('failed does not: what it counted is given back, once', async () => {
    const { partner, client } = await open('back');
    const count = async () => (await readCount(partner)).map(({ points, contributions }) => [points, contributions]);
    assert.equal((await client.confirm({ points: 250 })).status, 201);
    const over = await client.confirm({ points: 100 });
    assert.equal(over.status, 202);
    assert.deepEqual(await count(), [[350, 2]]);
    const id = { partnerId: partner.partnerId, transactionId: over.body.contribution.transaction_id };
    const failing = Array.from({ length: 5 }, () => failPendingContribution(database, signedIn('operator'), id, 'too many'));
    const outcomes = await Promise.allSettled(failing);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.match(outcome.reason.message, /is failed, which is final/);
    assert.deepEqual(await count(), [[250, 1]]);
    assert.equal((await client.confirm({ points: 50 })).status, 201, 'reached exactly');
    assert.equal((await client.confirm({ points: 1 })).status, 202);
  });

  test('failed does not, on the day on which it counted', async () => {
    const { partner, client } = await open('yesterday');
    const count = async () => (await readCount(partner)).map(({ points, contributions }) => [points, contributions]);
    const statusOf = async (points: number) => (await client.confirm({ points })).status;
    assert.equal(await statusOf(250), 201);
    const { transaction_id } = (await client.confirm({ points: 100 })).body.contribution;
    for (const text of ['daily_count set day = day - 1', 'contribution_review set counted_on = counted_on - 1'])
      assert.equal((await database.pool.query(`update ${text} where partner_id = $1`, [partner.partnerId])).rowCount, 1);
    assert.deepEqual([await statusOf(300), await statusOf(1)], [201, 202]);
    const id = { partnerId: partner.partnerId, transactionId: transaction_id };
    await failPendingContribution(database, signedIn('operator'), id, 'too many');
    assert.deepEqual(await count(), [
      [250, 1],
      [301, 2],
    ]);
    assert.equal(await statusOf(1), 202, 'the cap of today is still reached');
  });

  for (const name of Object.keys(ZONES)) {
    test(`a day is that of the partner's own calendar: ${ZONES[name]}`, async () => {
      const { partner, client } = await open(name);
      const format = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONES[name] as string });
      const dayOf = ({ body }: Answer) => format.format(new Date(body.contribution.created_at));
      const first = await client.confirm();
      let second = await client.confirm();
      // Between the two it may have become midnight.
      if (dayOf(second) !== dayOf(first)) second = await client.confirm();
      assert.deepEqual([first.status, second.status], [201, 202]);
      const day = dayOf(second);
      const { transaction_id } = second.body.contribution;
      const { rows } = await database.pool.query('select counted_on::text from contribution_review where transaction_id = $1', [
        transaction_id,
      ]);
      assert.deepEqual(rows, [{ counted_on: day }]);
      assert.ok((await readCount(partner)).some((each) => each.day === day));
    });
  }
});
