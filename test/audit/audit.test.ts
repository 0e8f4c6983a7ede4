/** The audit's chain: whatever somebody with all rights on the database does to it is found, and named. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { DEFAULT_RATES } from '../../src/domain/access/partner-rates.ts';
import { newNamedKey, writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { audit } from '../../src/operations/audit/audit.ts';
import { listEntries, listLatestEntries } from '../../src/operations/audit/list-entries.ts';
import { verifyAudit } from '../../src/operations/audit/verify-audit.ts';
import { requireRole } from '../../src/operations/with-role.ts';
import { insertPartner } from '../../src/store/access/partner.ts';
import { listAuditEntries } from '../../src/store/audit/audit-entry.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { inTransaction } from '../../src/store/transaction.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { commandLine } from '../support/command-line.ts';
import { testDatabase } from '../support/postgres/database.ts';

const KEY = newNamedKey('2026');
const NEXT_KEY = newNamedKey('2027');

interface Chain {
  readonly database: Database;
  readonly databaseUrl: string;
  append(count: number): Promise<void>;
  /** What a superuser does who has switched the triggers off. */
  tamper(...statements: string[]): Promise<void>;
}

async function newChain(count: number, keys = [KEY]): Promise<Chain> {
  const { databaseUrl, pool } = await testDatabase();
  const database = openDatabase({ databaseUrl, auditKeys: () => keys });
  after(() => database.close());
  const append = async (more: number) => {
    // Many in a transaction: each commit waits for the disk.
    for (let from = 0; from < more; from += AT_ONCE) await appendMany(database, from, Math.min(from + AT_ONCE, more));
  };
  await append(count);
  const tamper = async (...statements: string[]) => {
    await pool.query(`set session_replication_role = replica; ${statements.join('; ')}; set session_replication_role = origin`);
  };
  return { database, databaseUrl, append, tamper };
}

const AT_ONCE = 100;

function appendOne(database: Database, made: number): Promise<void> {
  return appendMany(database, made, made + 1);
}

async function appendMany(database: Database, from: number, to: number): Promise<void> {
  await inTransaction(database, { lockTimeoutMs: 4_000 }, async (db) => {
    for (let made = from; made < to; made++) {
      const entry = { action: 'test.change', partnerId: `ptn_${made % 2}`, subjectId: `subject_${made}` };
      await audit(db, OWNER, { ...entry, before: null, after: { made, points: 9_223_372_036_854_775_807n } });
    }
  });
}

test('a range of time holds each entry by its own time, however long its transaction took', async () => {
  const { database } = await newChain(0);
  const change = { partnerId: null, before: null, after: null };
  const [first, second] = ['settlement.close', 'review.confirm'];
  await inTransaction(database, { lockTimeoutMs: 4_000 }, async (db) => {
    await db.query('select pg_sleep(0.01)');
    await inTransaction(database, { lockTimeoutMs: 4_000 }, async (other) => {
      await audit(other, OWNER, { ...change, action: second, subjectId: 'b' });
    });
    await audit(db, OWNER, { ...change, action: first, subjectId: 'a' });
  });
  const [late, early] = await listAuditEntries(database.pool, { limit: 2 });
  assert.deepEqual([early?.action, late?.action], [second, first]);
  const [began, after] = [late?.recordedAt as Date, early?.recordedAt as Date];
  assert.ok(began < after);
  const inRange = async (range: { since?: Date; until?: Date }) => {
    const order = { by: 'recorded_at', isDescending: false } as const;
    const { page } = await listEntries(database.pool, range, { order, after: undefined, limit: 10 });
    return page.map(({ action }) => action);
  };
  assert.deepEqual(await inRange({ until: after }), [first]);
  assert.deepEqual(await inRange({ since: after }), [second]);
  assert.deepEqual(await inRange({ since: began, until: after }), [first]);
  assert.deepEqual(await inRange({ since: began }), [second, first]);
  const [beginning, end] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59Z')];
  assert.deepEqual(await inRange({ since: beginning, until: end }), [second, first]);
});

test('a range of time holds its entries also where the clock was a year ahead or behind for some', async () => {
  const { database, tamper } = await newChain(0);
  const change = { partnerId: null, before: null, after: null, subjectId: 'a' };
  for (const action of ['first', 'ahead', 'ahead-too', 'second', 'behind', 'behind-too'])
    await inTransaction(database, { lockTimeoutMs: 4_000 }, (db) => audit(db, OWNER, { ...change, action }));
  await tamper(
    "update audit_entry set recorded_at = recorded_at + interval '1 year' where action like 'ahead%'",
    "update audit_entry set recorded_at = recorded_at - interval '1 year' where action like 'behind%'",
  );
  const { rows } = await database.pool.query("select now() - interval '1 hour' as since, now() + interval '1 hour' as until");
  const order = { by: 'recorded_at', isDescending: false } as const;
  const actionsOf = (entries: readonly { readonly action: string }[]) => entries.map(({ action }) => action);
  const inRange = async (range: { since?: Date; until?: Date }) =>
    actionsOf((await listEntries(database.pool, range, { order, after: undefined, limit: 10 })).page);
  const [{ since, until }] = rows;
  assert.deepEqual(await inRange({ since, until }), ['first', 'second']);
  assert.deepEqual(await inRange({ until }), ['first', 'second', 'behind', 'behind-too']);
  assert.deepEqual(await inRange({ since }), ['first', 'ahead', 'ahead-too', 'second']);
  assert.deepEqual(actionsOf(await listLatestEntries(database.pool, { since, limit: 10 })), [
    'second',
    'ahead-too',
    'ahead',
    'first',
  ]);
});

const COPY = `insert into audit_entry select $1, recorded_at, operator_id, role, action, partner_id, subject_id, before_json, after_json,
  correlation_id, previous_mac, key_id, mac from audit_entry where entry_no = $2`;
const copy = (to: number, from: number) => COPY.replace('$1', String(to)).replace('$2', String(from));
const swap = (one: number, other: number) =>
  `update audit_entry set entry_no = -1 where entry_no = ${one}; update audit_entry set entry_no = ${one} where entry_no = ${other};
   update audit_entry set entry_no = ${other} where entry_no = -1`;
const renumber = (from: number, by: number) =>
  `update audit_entry set entry_no = -entry_no where entry_no >= ${from}; update audit_entry set entry_no = -entry_no + ${by} where entry_no < 0`;
const SET_HEAD_BACK = `update audit_head set (last_no, last_mac) = (select entry_no, mac from audit_entry order by entry_no desc limit 1)`;

describe('an entry that a superuser has touched is found and named', () => {
  const cases: [what: string, statements: string[], entryNo: bigint, is: string, sentence: RegExp][] = [
    ['edited', ["update audit_entry set after_json = '{}' where entry_no = 4"], 4n, 'edited', /entry 4 .*edited/],
    ['given to somebody else', ["update audit_entry set operator_id = 'opr_x' where entry_no = 4"], 4n, 'edited', /entry 4/],
    [
      'dated back',
      ["update audit_entry set recorded_at = recorded_at - interval '1 ms' where entry_no = 9"],
      9n,
      'edited',
      /entry 9/,
    ],
    ['without its partner', ['update audit_entry set partner_id = null where entry_no = 1'], 1n, 'edited', /entry 1 /],
    ['sealed by guessing', ["update audit_entry set mac = repeat('0', 64) where entry_no = 2"], 2n, 'edited', /entry 2 /],
    ['removed', ['delete from audit_entry where entry_no = 5'], 5n, 'removed', /entry 5 was removed/],
    ['several removed', ['delete from audit_entry where entry_no between 1 and 3'], 1n, 'removed', /entries 1 to 3 were removed/],
    [
      'removed, the others renumbered',
      ['delete from audit_entry where entry_no = 5', renumber(6, -1), SET_HEAD_BACK],
      5n,
      'removed',
      /entry 5 was removed, and entry 6 is in its place/,
    ],
    ['two neighbours swapped', [swap(6, 7)], 6n, 'reordered', /entry 7 is in the place of entry 6/],
    ['two swapped', [swap(2, 9)], 2n, 'reordered', /entry 9 is in the place of entry 2/],
    ['one inserted, the others renumbered', [renumber(5, 1), copy(5, 3), SET_HEAD_BACK], 5n, 'inserted', /copy of entry 3/],
    [
      'one made up, the others renumbered',
      [renumber(5, 1), copy(5, 3), "update audit_entry set action = 'x' where entry_no = 5", SET_HEAD_BACK],
      5n,
      'inserted',
      /entry 5 .*inserted/,
    ],
    ['one added at the end', [copy(11, 10), SET_HEAD_BACK], 11n, 'inserted', /copy of entry 10/],
    ['an end that was cut off', ['delete from audit_entry where entry_no > 8'], 9n, 'truncated', /entries 9 to 10 were removed/],
    ['everything removed', ['truncate audit_entry'], 1n, 'truncated', /entries 1 to 10 were removed/],
    ['a head that was set back', ['update audit_head set last_no = 9'], 10n, 'head_changed', /audit_head names entry 9/],
    ['sealed with no known key', ["update audit_entry set key_id = 'x' where entry_no = 3"], 3n, 'unknown_key', /key "x"/],
  ];
  for (const [what, statements, entryNo, is, sentence] of cases) {
    test(what, async () => {
      const { database, tamper } = await newChain(10);
      assert.equal((await verifyAudit(database)).fault, null);
      await tamper(...statements);
      const { fault, entries } = await verifyAudit(database);
      assert.deepEqual([fault?.entryNo, fault?.is], [entryNo, is], fault?.sentence);
      assert.match(fault?.sentence ?? '', sentence);
      assert.ok(entries <= entryNo);
    });
  }

  test('and where it came from is looked for nearby, with pauses, however far audit_head says that the chain goes', async () => {
    const { database, tamper } = await newChain(3);
    await tamper("update audit_entry set after_json = '{}' where entry_no = 2", 'update audit_head set last_no = 300000');
    let pauses = 0;
    const pause = async () => void pauses++;
    const { fault } = await verifyAudit(database, { pause });
    assert.deepEqual([fault?.entryNo, fault?.is], [2n, 'edited']);
    assert.ok(pauses >= 5 && pauses <= 50, `${pauses} pauses`);
  });

  test('one of another copy of the database, which has the key too', async () => {
    const [one, other] = [await newChain(3), await newChain(4)];
    const [foreign] = await listAuditEntries(other.database.pool, { limit: 1 });
    await one.append(1);
    await one.tamper(
      `update audit_entry set recorded_at = '${foreign?.recordedAt.toISOString()}', subject_id = '${foreign?.subjectId}', partner_id = '${foreign?.partnerId}',
        after_json = '${foreign?.after}', previous_mac = '${foreign?.previousMac}', mac = '${foreign?.mac}' where entry_no = 4`,
      SET_HEAD_BACK,
    );
    const { fault } = await verifyAudit(one.database);
    assert.deepEqual([fault?.entryNo, fault?.is], [4n, 'replaced']);
  });
});

describe('an end that was cut off together with its head', () => {
  test('is found by an entry that was written down elsewhere', async () => {
    const { database, tamper } = await newChain(5);
    const { last } = await verifyAudit(database);
    await tamper('delete from audit_entry where entry_no > 3', SET_HEAD_BACK);
    assert.equal((await verifyAudit(database)).fault, null, 'the database alone cannot tell');
    const { fault } = await verifyAudit(database, { expected: last });
    assert.deepEqual([fault?.entryNo, fault?.is], [4n, 'truncated']);
  });

  test('and written anew behind it', async () => {
    const { database, tamper, append } = await newChain(5);
    const { last } = await verifyAudit(database);
    await tamper('delete from audit_entry where entry_no > 3', SET_HEAD_BACK);
    await append(4);
    const { fault } = await verifyAudit(database, { expected: last });
    assert.deepEqual([fault?.entryNo, fault?.is], [5n, 'not_expected']);
  });
});

describe('a head that is gone', () => {
  test('is a fault like others, with the next step, and the row can be put back as the document says', async () => {
    const { database, databaseUrl, tamper, append } = await newChain(5);
    await tamper('delete from audit_head');
    const { fault, entries, last } = await verifyAudit(database);
    assert.deepEqual([fault?.entryNo, fault?.is, entries, last.lastNo], [5n, 'head_removed', 5n, 5n]);
    assert.match(fault?.sentence ?? '', /the row of audit_head was removed.*--expect-last.*docs\/operating\.md/);
    await assert.rejects(append(1), /audit_head has no row.*run `partner-impact audit verify`/);
    const { run } = commandLine({ DATABASE_URL: databaseUrl, AUDIT_KEY: writeNamedKey(KEY) });
    const told = await run(['audit', 'verify']);
    assert.deepEqual([told.code, told.stderr], [1, '']);
    assert.match(
      told.stdout,
      new RegExp(
        `^Audit chain broken at entry 5; entries 1 to 5 verified\\.\\nCause: the row of audit_head[\\s\\S]*\\nLast  5:${last.lastMac}\\n`,
      ),
    );
    await database.pool.query('insert into audit_head (last_no, last_mac) values ($1, $2)', [last.lastNo, last.lastMac]);
    await append(1);
    assert.deepEqual([(await verifyAudit(database)).fault, (await verifyAudit(database)).entries], [null, 6n]);
  });

  test('and the end with it: an entry that was written down elsewhere tells', async () => {
    const { database, tamper } = await newChain(5);
    const { last } = await verifyAudit(database);
    await tamper('delete from audit_entry where entry_no > 3', 'delete from audit_head');
    const { fault } = await verifyAudit(database, { expected: last });
    assert.deepEqual([fault?.entryNo, fault?.is], [4n, 'truncated']);
    assert.match(fault?.sentence ?? '', /the last entries were removed, and the row of audit_head with it/);
    await tamper("update audit_entry set action = 'x' where entry_no = 2");
    assert.deepEqual((await verifyAudit(database)).fault?.is, 'edited');
  });
});

describe('an audit that nobody changed', () => {
  test('an empty chain, and one of more pages than one, with a stranger appending meanwhile', async () => {
    const { database, append } = await newChain(0);
    assert.deepEqual((await verifyAudit(database)).fault, null);
    await append(1_005);
    const [verdict] = await Promise.all([verifyAudit(database), append(20)]);
    assert.equal(verdict.fault, null);
    assert.ok(verdict.entries >= 1_005n);
  });

  test('entries of an old key, as long as it is given; the first key seals', async () => {
    const { database, databaseUrl } = await newChain(2);
    const renewed = openDatabase({ databaseUrl, auditKeys: () => [NEXT_KEY, KEY] });
    after(() => renewed.close());
    await appendOne(renewed, 7);
    assert.deepEqual((await verifyAudit(renewed)).entries, 3n);
    assert.equal((await listAuditEntries(renewed.pool, { limit: 1 }))[0]?.keyId, '2027');
    const { fault } = await verifyAudit(database);
    assert.deepEqual([fault?.entryNo, fault?.is], [3n, 'unknown_key']);
  });

  test('twenty changes at once: a chain without gaps', async () => {
    const { database } = await newChain(0);
    await Promise.all(Array.from({ length: 20 }, (_, made) => appendOne(database, made)));
    assert.deepEqual((await verifyAudit(database)).entries, 20n);
  });
});

describe('while nobody switches triggers off', () => {
  test('the database refuses to change, remove or empty, and to set the head back', async () => {
    const { database } = await newChain(2);
    for (const statement of [
      "update audit_entry set action = 'x'",
      'delete from audit_entry',
      'truncate audit_entry',
      'update audit_head set last_no = 1',
      'delete from audit_head',
    ])
      await assert.rejects(database.pool.query(statement), /not allowed|goes on by one/, statement);
    assert.equal((await verifyAudit(database)).fault, null);
  });

  test('an entry is written in the transaction of its change or not at all', async () => {
    const { database } = await newChain(0);
    const entry = { action: 'x', partnerId: null, subjectId: 'x', before: null, after: null };
    await assert.rejects(audit(database.pool, OWNER, entry), /not a transaction/);
    await assert.rejects(
      inTransaction(database, { lockTimeoutMs: 1_000 }, async (db) => {
        await audit(db, OWNER, entry);
        await db.query('select 1/0');
      }),
      /division by zero/,
    );
    assert.equal((await verifyAudit(database)).entries, 0n);
  });

  test('a role below the least is refused in words', () => {
    assert.throws(() => requireRole(signedIn('viewer'), 'operator'), /needs the role operator; opr_\w+ has the role viewer/);
    requireRole(signedIn('admin'), 'operator');
  });
});

test('the command line: list, verify with what it showed before, and exit code 1 with the entry that is wrong', async () => {
  const { database, databaseUrl, tamper } = await newChain(4);
  const { run, runJson } = commandLine({ DATABASE_URL: databaseUrl, AUDIT_KEY: writeNamedKey(KEY) });
  await insertPartner(database.pool, { partnerId: 'ptn_1', name: 'One', ...DEFAULT_RATES, currency: null, timeZone: 'UTC' });
  const listed = await runJson('audit', 'list', '--partner', 'ptn_1');
  assert.deepEqual(
    listed.map(({ entry_no }: { entry_no: number }) => entry_no),
    [4, 2],
  );
  assert.match((await run(['audit', 'list', '--subject', 'subject_0', '--json'])).stdout, /"points":9223372036854775807/);
  const sound = await runJson('audit', 'verify');
  assert.deepEqual([sound.ok, sound.entries], [true, 4]);
  assert.equal((await runJson('audit', 'verify', '--expect-last', sound.last)).ok, true);
  await tamper(swap(2, 3));
  const { code, stdout } = await run(['audit', 'verify']);
  assert.equal(code, 1);
  assert.match(stdout, /^Audit chain broken at entry 2; entry 1 verified\.\nCause: entry 3 is in the place of entry 2/);
  const { fault } = await verifyAudit(database);
  assert.equal(fault?.is, 'reordered');
});
