/** What a process remembers of the rules: when it reads them again, and from which moment on a version is in force. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type pg from 'pg';
import type { ContributionRules } from '../../src/domain/rules/contribution-rules.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { withdrawRule } from '../../src/operations/rules/manage-rule.ts';
import { openRuleCache, type RulesOf } from '../../src/operations/rules/rule-cache.ts';
import { openDatabase } from '../../src/store/database.ts';
import { auditKeys, OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { insertContributionRule } from '../support/rules.ts';
import { OPEN_RATES, testService } from '../support/service.ts';

const { databaseUrl } = await testDatabase();
const database = openDatabase({ databaseUrl, poolSize: 2, auditKeys });
after(() => database.close());

const someone = { partnerId: 'ptn_someone', currency: null };

/** No version here differs from the audit. */
const TELLS_NOTHING = { onUnverified: (error: Error) => assert.fail(error), onRefused: () => assert.fail() };

/** A book whose clock stands still until it is moved. */
function openCache(at = database) {
  const clock = { atMs: 5_000, now: () => clock.atMs };
  const errors: unknown[] = [];
  const book = openRuleCache(at, { ...TELLS_NOTHING, clock, onError: (error) => errors.push(error) });
  after(() => book.close());
  return { clock, errors, labelOf: async (atMs: number) => (await book.rulesOf(someone, atMs)).contributionRuleVersion, book };
}

/** As somebody does who edits or restores the row in the database. */
function setPointsMax(label: string, value: bigint): Promise<void> {
  return asSuperuser(database.pool, async (superuser) => {
    await superuser.query('update rule_version set points_max = $2 where version = $1', [label, value]);
  });
}

async function startOf(label: string): Promise<number> {
  const { rows } = await database.pool.query('select starts_at from rule_version where version = $1', [label]);
  return rows[0].starts_at.getTime();
}

async function databaseNow(): Promise<number> {
  const { rows } = await database.pool.query('select clock_timestamp() as now');
  return rows[0].now.getTime();
}

/** Milliseconds around an instant, as a clock that stands still tells it: the database went on by as much while the book was read. */
const SLACK_MS = 2_000;

describe('the moment', () => {
  test('a version is in force from its start on the clock of the database, and never before', async () => {
    const { labelOf, clock } = openCache();
    await labelOf(0);
    const label = await insertContributionRule(database, { starts: '1 hour' });
    clock.atMs += 60_000;
    const before = await databaseNow();
    await labelOf(clock.atMs);
    const untilStartMs = (await startOf(label)) - before;
    assert.notEqual(await labelOf(clock.atMs + untilStartMs - SLACK_MS), label);
    assert.equal(await labelOf(clock.atMs + untilStartMs + SLACK_MS), label);
    assert.notEqual(
      await labelOf(clock.atMs + untilStartMs - SLACK_MS),
      label,
      'a request that arrived before it is judged after it',
    );
  });
});

describe('the memory', () => {
  test('it answers at once while it is fresh, without asking the database', async () => {
    const { book, clock } = openCache();
    await book.rulesOf(someone, 0);
    clock.atMs += 10_000;
    assert.ok(!((book.rulesOf as RulesOf)(someone, clock.atMs) instanceof Promise));
  });

  test('it is read anew after the machine was suspended, when the clock of requests stood still', async () => {
    const clock = { now: () => 5_000 };
    const ages = { atMs: 5_000, now: () => ages.atMs };
    const book = openRuleCache(database, { ...TELLS_NOTHING, clock, ages, onError: (error) => assert.fail(error as Error) });
    after(() => book.close());
    await book.rulesOf(someone, clock.now());
    const label = await insertContributionRule(database, { starts: '-1 hour' });
    ages.atMs += 3_600_000;
    assert.equal((await book.rulesOf(someone, clock.now())).contributionRuleVersion, label);
  });

  test('older than ten seconds it is read anew before it is used', async () => {
    const { book, clock, labelOf } = openCache();
    await labelOf(clock.atMs);
    const label = await insertContributionRule(database, { starts: '-1 hour' });
    clock.atMs += 10_000;
    assert.notEqual((book.rulesOf(someone, clock.atMs) as ContributionRules).contributionRuleVersion, label);
    clock.atMs += 1;
    assert.ok(book.rulesOf(someone, clock.atMs) instanceof Promise);
    assert.equal(await labelOf(clock.atMs), label);
  });

  test('while the versions are read after a change, those from before it are used for half a minute, and no longer', async () => {
    const [isReading, mayRead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isFirst = true;
    const query = async (...words: Parameters<typeof database.pool.query>) => {
      const result = await database.pool.query(...words);
      if ((words[0] as { name?: string }).name?.startsWith('list_rule_versions')) {
        if (!isFirst) {
          isReading.resolve();
          await mayRead.promise;
        }
        isFirst = false;
      }
      return result;
    };
    const { book, clock, labelOf } = openCache({ ...database, pool: { query } as unknown as pg.Pool });
    const before = await labelOf(clock.atMs);
    const label = await insertContributionRule(database, { starts: '-1 hour' });
    await isReading.promise;
    clock.atMs += 30_000;
    assert.equal((book.rulesOf(someone, clock.atMs) as ContributionRules).contributionRuleVersion, before);
    clock.atMs += 1;
    const late = labelOf(clock.atMs);
    mayRead.resolve();
    assert.deepEqual([await late, await labelOf(clock.atMs)], [label, label]);
  });

  test('what was withdrawn is forgotten', async () => {
    const label = await insertContributionRule(database, { starts: '2 hours' });
    const { clock, labelOf } = openCache();
    const inThreeHours = () => clock.atMs + 3 * 3_600_000;
    assert.equal(await labelOf(inThreeHours()), label);
    await withdrawRule(database, OWNER, { kind: 'contribution_rule', version: label });
    clock.atMs += 10_001;
    assert.notEqual(await labelOf(inThreeHours()), label);
  });

  test('a version that differs from the audit is told once, and used again as soon as it is restored', async () => {
    const { partnerId } = await createPartner(database, OWNER, 'restored', OPEN_RATES);
    const label = await insertContributionRule(database, { partnerId });
    const clock = { atMs: 5_000, now: () => clock.atMs };
    const told: Error[] = [];
    const onError = (error: unknown) => assert.fail(error as Error);
    const options = { onUnverified: (error: Error) => void told.push(error), onRefused() {}, clock, onError };
    await setPointsMax(label, 5n);
    const book = openRuleCache(database, options);
    after(() => book.close());
    const labelAfter = async (ms: number) => {
      clock.atMs += ms;
      return (await book.rulesOf({ partnerId, currency: null }, clock.atMs)).contributionRuleVersion;
    };
    for (const ms of [0, 10_001]) await assert.rejects(labelAfter(ms), { code: 'internal_service_unavailable' });
    assert.equal(told.length, 1);
    await setPointsMax(label, 2n ** 63n - 1n);
    assert.equal(await labelAfter(10_001), label);
  });

  test('while a version that differs cannot be compared again, the rules of the other partners are used', async () => {
    const { partnerId } = await createPartner(database, OWNER, 'differing', OPEN_RATES);
    const label = await insertContributionRule(database, { partnerId });
    await setPointsMax(label, 5n);
    let isLocked = false;
    const query = (statement: pg.QueryConfig) =>
      isLocked && !statement.text.includes('rule_revision')
        ? Promise.reject(new Error('locked'))
        : database.pool.query(statement);
    const clock = { atMs: 5_000, now: () => clock.atMs };
    const onError = (error: unknown) => assert.fail(error as Error);
    const tells = { onUnverified() {}, onRefused() {}, clock, onError };
    const book = openRuleCache({ ...database, pool: { query } as unknown as pg.Pool }, tells);
    after(() => book.close());
    const labelOf = async (partner: typeof someone) => (await book.rulesOf(partner, clock.atMs)).contributionRuleVersion;
    const before = await labelOf(someone);
    isLocked = true;
    clock.atMs += 10_001;
    assert.equal(await labelOf(someone), before);
    await assert.rejects(labelOf({ partnerId, currency: null }), { code: 'internal_service_unavailable' });
    await setPointsMax(label, 2n ** 63n - 1n);
  });

  test('without the database nothing old is used: internal_service_unavailable', async () => {
    const proxy = await databaseProxy(databaseUrl);
    const cut = openDatabase({ databaseUrl: proxy.databaseUrl, poolSize: 1, auditKeys });
    after(() => cut.close());
    const { clock, labelOf } = openCache(cut);
    await labelOf(clock.atMs);
    proxy.cut();
    clock.atMs += 10_001;
    await assert.rejects(labelOf(clock.atMs), { code: 'internal_service_unavailable' });
  });
});

describe('a process that cannot read the rules', () => {
  test('what is stored replays and conflicts; of anything else the outcome is unknown, and nobody says that it was not stored', async () => {
    const first = await testService();
    const { partner, client } = await first.newPartner();
    const [confirmation, key] = [newConfirmation(), { 'idempotency-key': uniqueId('key') }];
    const stored = await client.confirm(confirmation, key);
    const { pool } = first.database;
    await pool.query('alter table rule_revision rename to rule_revision_away');
    const second = await testService({ env: { DATABASE_URL: first.databaseUrl } });
    const { client: caller } = await second.newPartner({ of: partner });
    const replay = await caller.confirm(confirmation, key);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [201, 'true']);
    assert.deepEqual(replay.body.contribution, stored.body.contribution);
    assertError(await caller.confirm({ ...confirmation, points: 1 }, key), 'idempotency_conflict');
    assertError(await caller.confirm(confirmation), 'partner_event_conflict');
    const unknown = await caller.confirm();
    assertError(unknown, 'internal_service_unavailable');
    assert.doesNotMatch(unknown.text, /nothing was|not stored/i);
    await pool.query('alter table rule_revision_away rename to rule_revision');
    assert.equal((await caller.confirm()).status, 201);
  });
});
