/** What the database itself guarantees, whatever the code does. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { renderSchema } from '../../scripts/render-schema.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { openDatabase } from '../../src/store/database.ts';
import { checkWritable, listDurabilityProblems, readServerSettings } from '../../src/store/durability.ts';
import { claimInstallation } from '../../src/store/installation.ts';
import { listStatements, migrate } from '../../src/store/schema/migrate.ts';
import { CommitUnknownError, inTransaction } from '../../src/store/transaction.ts';
import { OWNER } from '../support/actor.ts';
import { Client, newConfirmation } from '../support/client.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { client, key, partner } = await service.newPartner();
const { pool } = service.database;

/** Tables whose rows do not grow with the partners' traffic, but with what operators do, or last as long as a lease. */
const SMALL_TABLES = [
  'installation',
  'partner',
  'api_key',
  'operator',
  'operator_credential',
  'project',
  'impact_batch',
  'impact_batch_change',
  'impact_evidence',
  'job',
  'job_run',
  'audit_entry',
  'audit_head',
  'rule_version',
  'rule_revision',
  'sample_data',
  'delivery_hand_over',
  'kysely_migration',
];

/** Of a contribution: an operator's search finds a name over all partners at once. */
const NAMES_BEFORE_PARTNERS = ['contribution_idempotency_key', 'contribution_order_holder', 'contribution_partner_event'];

test('partner_id stands in every unique index of a growing table: first, or second behind what a partner names a contribution by', async () => {
  const { rows } = await pool.query<{ table: string; index: string; names: string[] }>(
    `select t.relname as "table", i.relname as "index", array(
       select a.attname::text from unnest(x.indkey) with ordinality k (number, place)
         join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number order by k.place
     ) as names
     from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
     where x.indisunique and t.relnamespace = 'public'::regnamespace and t.relname <> all($1)`,
    [SMALL_TABLES],
  );
  assert.ok(rows.length >= 9, `${rows.length} unique indexes were looked at`);
  assert.deepEqual(
    rows.filter(({ index, names }) => names.indexOf('partner_id') !== (NAMES_BEFORE_PARTNERS.includes(index) ? 1 : 0)),
    [],
  );
});

test('migrations/schema.sql is what the migrations make', async () => {
  const written = await readFile(fileURLToPath(new URL('../../migrations/schema.sql', import.meta.url)), 'utf8');
  assert.equal(await renderSchema(pool), written, 'run `npm run schema` and review the difference');
});

test('a migration is sent statement by statement, as a distributed database needs it', async () => {
  const folder = fileURLToPath(new URL('../../migrations/', import.meta.url));
  for (const file of (await readdir(folder)).filter((name) => /^\d{4}_/.test(name))) {
    const statements = listStatements(await readFile(`${folder}${file}`, 'utf8'));
    for (const statement of statements) {
      const bare = statement.replaceAll(/\$\$.*?\$\$/gs, '').replaceAll(/--.*$/gm, '');
      assert.equal(bare.trim().split(';').length, 2, `${file}: ${statement}`);
    }
  }
});

test('twenty migrations of an empty database at once: each succeeds, and each file is applied once', async () => {
  const { databaseUrl } = await emptyDatabase();
  const applied = await Promise.all(Array.from({ length: 20 }, () => migrate(databaseUrl)));
  const names = applied.flat().map(({ name }) => name);
  assert.ok(names.length > 10);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(await migrate(databaseUrl), []);
});

test('a database remembers its environment, however many claim it at once', async () => {
  const { databaseUrl } = await emptyDatabase();
  await migrate(databaseUrl);
  const database = openDatabase({ databaseUrl });
  try {
    const owners = await Promise.all(
      Array.from({ length: 10 }, (_, index) => claimInstallation(database.pool, index % 2 === 0 ? 'sandbox' : 'production')),
    );
    assert.equal(new Set(owners).size, 1);
  } finally {
    await database.close();
  }
});

describe('immutability, by the database and not only by the code', () => {
  async function assertRefused(text: string, pattern: RegExp): Promise<void> {
    await assert.rejects(pool.query(text), (error: pg.DatabaseError) => error.code === '23001' && pattern.test(error.message));
  }

  test('a link is never changed and never removed', async () => {
    const fields = newConfirmation();
    const { calculation_id } = (await client.estimate({ partner_order_ref: fields.partner_order_ref })).body.estimate;
    await client.confirm({ ...fields, calculation_id });
    await assertRefused("update emissions_link set distance_km = '1'", /update is not allowed on emissions_link/);
    await assertRefused('delete from emissions_link', /delete is not allowed on emissions_link/);
  });

  test('an estimate is never changed and never removed', async () => {
    await client.estimate();
    await assertRefused('update estimate set raw_emissions_gco2e = 1', /update is not allowed on estimate/);
    await assertRefused('delete from estimate', /delete is not allowed on estimate/);
  });

  test('a confirmed contribution is never changed and never removed', async () => {
    await client.confirm();
    await assertRefused("update contribution set points = 1 where status = 'confirmed'", /does not go from confirmed/);
    await assertRefused(
      "update contribution set status = 'failed', failed_at = now(), confirmed_at = null, failure_reason = 'x'",
      /does not go from confirmed to failed/,
    );
    await assertRefused('delete from contribution', /delete is not allowed on contribution/);
  });

  test('a version of a rule that has started, or starts within a minute, is never changed and never removed', async () => {
    const { partnerId } = (await service.newPartner()).partner;
    for (const starts of ['-1 day', '59 seconds', '2 minutes'])
      await pool.query(
        `insert into rule_version (kind, version, partner_id, starts_at, created_at)
          values ('tree_cost', 'starts ' || $1, $2, now() + $1::interval, now())`,
        [starts, partnerId],
      );
    const change = (set: string, starts: string) => `update rule_version set ${set} where version = 'starts ${starts}'`;
    for (const starts of ['-1 day', '59 seconds'])
      await assertRefused(change('withdrawn_at = now()', starts), /only by being withdrawn/);
    await assertRefused(change("starts_at = now() + interval '3 days'", '2 minutes'), /only by being withdrawn/);
    await assertRefused(change("withdrawn_at = now(), currency = 'SAR'", '2 minutes'), /only by being withdrawn/);
    await assertRefused('delete from rule_version', /kept for good/);
    await pool.query(change('withdrawn_at = now()', '2 minutes'));
    await assertRefused(change('withdrawn_at = null', '2 minutes'), /only by being withdrawn/);
  });

  test('currency and time zone of a partner are fixed once something rests on them', async () => {
    const made = await service.newPartner();
    const change = (set: string) => `update partner set ${set} where partner_id = '${made.partner.partnerId}'`;
    await pool.query(change("time_zone = 'Africa/Cairo'"));
    await attestRecord(service.database, OWNER, { kind: 'partner', id: made.partner.partnerId, reason: 'moved by a test' });
    assert.equal((await made.client.confirm()).status, 201);
    await assertRefused(change("time_zone = 'Asia/Dubai'"), /fixed once something rests on them/);
    await pool.query(change("currency = 'EGP'"));
    await assertRefused(change("currency = 'SAR'"), /fixed once something rests on them/);
    await assertRefused(change('currency = null'), /fixed once something rests on them/);
    await assert.rejects(
      pool.query(
        "insert into partner (partner_id, name, writes_per_second, lookups_per_second, reports_per_second, time_zone) values ('ptn_x', 'x', 1, 1, 1, 'Asia/Nowhere')",
      ),
      /time zone "Asia\/Nowhere" not recognized/,
    );
  });

  test('a partner is never removed', async () => {
    await assertRefused('delete from partner', /delete is not allowed on partner/);
  });

  test('what refuses to be deleted refuses to be emptied', async () => {
    const { rows } = await pool.query<{ name: string }>(
      `select distinct tgrelid::regclass::text as name from pg_trigger
        where not tgisinternal and tgtype & 8 = 8 order by name`,
    );
    const names = rows.map(({ name }) => name);
    for (const name of ['contribution', 'api_key', 'operator_credential', 'webhook_endpoint', 'audit_entry'])
      assert.ok(names.includes(name), `${name} refuses no delete`);
    for (const name of names) await assertRefused(`truncate ${name} cascade`, /truncate is not allowed/);
  });
});

describe('transitions, guarded by the database (decisions, section 4)', () => {
  const insert = (status: string, more = '') =>
    pool.query(
      `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points,
        status, first_status, contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar,
        association_outcome, created_at, confirmed_at, failed_at, failure_reason)
      values ($1, $2, $2, sha256('x'), $2, $2, 5, '${status}', 'pending', 'r', 'p', 't', 'en', 'ar', 'not_requested', now(),
        ${status === 'confirmed' ? 'now()' : 'null'}, ${status === 'failed' ? "now(), 'reason'" : 'null, null'}) ${more}`,
      [partner.partnerId, `${status}-${Math.random()}`],
    );

  const bornFailed = (drafted: string | null, approved: string | null, firstStatus = 'failed') =>
    pool.query(
      `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points,
        status, first_status, contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar,
        association_outcome, created_at, failed_at, failure_reason, failure_drafted_by, failure_approved_by)
      values ($1, $2, $2, sha256('x'), $2, $2, 5, 'failed', $5, 'r', 'p', 't', 'en', 'ar', 'not_requested', now(), now(), 'r', $3, $4)`,
      [partner.partnerId, `born-failed-${Math.random()}`, drafted, approved, firstStatus],
    );

  test('nothing is inserted as failed, unless two different operators drafted and approved it', async () => {
    await assert.rejects(insert('failed'), /by two operators only/);
    await assert.rejects(bornFailed('opr_a', 'opr_a'), /by two operators only/);
    await assert.rejects(bornFailed('opr_a', null), /by two operators only/);
    await assert.rejects(bornFailed(null, null), /by two operators only/);
    await assert.rejects(bornFailed('opr_a', 'opr_b', 'pending'), /by two operators only/);
    await assert.rejects(bornFailed('opr_a', 'owner'), /contribution_failed_by_two/);
    await assert.rejects(bornFailed('schedule', 'opr_a'), /contribution_failed_by_two/);
    await bornFailed('opr_a', 'opr_b');
  });

  test('two operators are recorded of nothing but what was inserted as failed', async () => {
    await insert('pending');
    const fail = "status = 'failed', failed_at = now(), failure_reason = 'x'";
    await assert.rejects(
      pool.query(
        `update contribution set ${fail}, failure_drafted_by = 'opr_a', failure_approved_by = 'opr_b' where status = 'pending'`,
      ),
      /only the outcome/,
    );
    await assert.rejects(
      pool.query(`update contribution set ${fail}, first_status = 'failed' where status = 'pending'`),
      /only the outcome/,
    );
    await pool.query(`update contribution set ${fail} where status = 'pending'`);
  });

  test('pending becomes confirmed or failed, and nothing else changes with it', async () => {
    await insert('pending');
    await assert.rejects(
      pool.query("update contribution set status = 'confirmed', confirmed_at = now(), points = 6 where status = 'pending'"),
      /only the outcome/,
    );
    await assert.rejects(
      pool.query("update contribution set summary_en = 'x' where status = 'pending'"),
      /does not go from pending to pending/,
    );
    await pool.query(
      "update contribution set status = 'failed', failed_at = now(), failure_reason = 'x' where status = 'pending'",
    );
    await assert.rejects(
      pool.query(
        "update contribution set status = 'confirmed', failed_at = null, failure_reason = null, confirmed_at = now() where status = 'failed'",
      ),
      /does not go from failed to confirmed/,
    );
  });

  test('a status without its time is refused', async () => {
    await insert('pending');
    await assert.rejects(
      pool.query("update contribution set status = 'confirmed' where status = 'pending'"),
      /contribution_status/,
    );
    await pool.query("update contribution set status = 'confirmed', confirmed_at = now() where status = 'pending'");
  });
});

describe('durability (a commit that can be lost is no commit)', () => {
  test('the settings of the test server are safe', async () => {
    assert.deepEqual(listDurabilityProblems(await readServerSettings(pool)), []);
  });

  test('synchronous_commit = off, fsync = off, full_page_writes = off and an old server are refused, each with what to do', async () => {
    const safe = await readServerSettings(pool);
    const unsafe = { ...safe, fsync: 'off', fullPageWrites: 'off', synchronousCommit: 'off', version: 14 };
    assert.equal(listDurabilityProblems(unsafe).length, 4);
    assert.match(String(listDurabilityProblems({ ...safe, clientMinMessages: 'error' })), /client_min_messages is error/);
  });

  test('no setting of the database and no option of the URL takes the place of what a session needs', async () => {
    const { databaseUrl, name } = await emptyDatabase();
    const admin = new pg.Client({ connectionString: databaseUrl });
    await admin.connect();
    for (const setting of [
      'synchronous_commit = off',
      'client_min_messages = error',
      "datestyle = 'German'",
      'array_nulls = off',
      "default_transaction_isolation = 'serializable'",
      'idle_in_transaction_session_timeout = 0',
    ])
      await admin.query(`alter database ${name} set ${setting}`);
    await admin.end();
    const url = new URL(databaseUrl);
    url.searchParams.set('options', '-c search_path=public -c jit=on');
    url.searchParams.set('statement_timeout', '0');
    const database = openDatabase({ databaseUrl: url.href });
    const { rows } =
      await database.pool.query(`select name, current_setting(name) as value from unnest(array['synchronous_commit',
        'client_min_messages', 'datestyle', 'array_nulls', 'transaction_isolation', 'idle_in_transaction_session_timeout', 'search_path', 'jit',
        'statement_timeout']) name`);
    const { synchronousCommit } = await readServerSettings(database.pool);
    await database.close();
    assert.deepEqual(Object.fromEntries(rows.map((row) => [row.name, row.value])), {
      synchronous_commit: 'on',
      client_min_messages: 'notice',
      datestyle: 'ISO, MDY',
      array_nulls: 'on',
      transaction_isolation: 'read committed',
      idle_in_transaction_session_timeout: '3s',
      search_path: 'public',
      jit: 'off',
      statement_timeout: '4500ms',
    });
    assert.equal(synchronousCommit, 'off', 'the start still finds the setting of the database');
  });

  test('a server that can lose commits since the start is not ready', async () => {
    const client = await pool.connect();
    await checkWritable(client);
    await client.query('set synchronous_commit = off');
    await assert.rejects(checkWritable(client), /the database has synchronous_commit=off, which must be on/);
    client.release(true);
  });

  test('a database that cannot store Arabic stops the start', async () => {
    const { databaseUrl } = await emptyDatabase();
    const admin = new pg.Client({ connectionString: databaseUrl });
    await admin.connect();
    const name = `latin_${process.pid}`;
    await admin.query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const url = databaseUrl.replace(/\/[^/?]+(?=\?|$)/, `/${name}`);
    await assert.rejects(testService({ env: { DATABASE_URL: url } }), /has the encoding LATIN1, which has no Arabic/);
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });

  test('a role whose commits are not durable stops the start', async () => {
    const { databaseUrl, name } = await emptyDatabase();
    const admin = new pg.Client({ connectionString: databaseUrl });
    await admin.connect();
    await admin.query(`alter database ${name} set synchronous_commit = off`);
    await admin.end();
    await assert.rejects(testService({ env: { DATABASE_URL: databaseUrl } }), /synchronous_commit is off/);
  });
});

describe('transactions', () => {
  test('what throws stores nothing, and the connection is used again', async () => {
    const insert = { text: "insert into partner values ('ptn_rolled_back', 'x', 1, 1, 1)" };
    await assert.rejects(
      inTransaction(service.database, { lockTimeoutMs: 100 }, async (db) => {
        await db.query(insert);
        await db.query('select 1/0');
      }),
      /division by zero/,
    );
    const { rows } = await pool.query("select 1 from partner where partner_id = 'ptn_rolled_back'");
    assert.equal(rows.length, 0);
  });

  test('a COMMIT that is answered with ROLLBACK is not taken for a commit', async () => {
    const swallow = inTransaction(service.database, { lockTimeoutMs: 100 }, async (db) => {
      await db.query('select 1/0').catch(() => {});
    });
    await assert.rejects(swallow, CommitUnknownError);
  });

  test('a last statement that fails stores nothing, whatever COMMIT goes along, and says why', async () => {
    const failing = inTransaction(service.database, { lockTimeoutMs: 100 }, async (db, { finalStatement }) => {
      await db.query("insert into partner values ('ptn_last_failed', 'x', 1, 1, 1)");
      return finalStatement(() => db.query('select 1/0'));
    });
    await assert.rejects(failing, /division by zero/);
    const { rows } = await pool.query("select 1 from partner where partner_id = 'ptn_last_failed'");
    assert.equal(rows.length, 0);
  });

  test('what is stored, or may be, is never reported as not stored', async () => {
    const brokenAfterwards = inTransaction(service.database, { lockTimeoutMs: 100 }, async (db, { finalStatement }) => {
      await finalStatement(() => db.query("insert into partner values ('ptn_stored', 'x', 1, 1, 1)"));
      throw new Error('a defect behind the COMMIT');
    });
    await assert.rejects(brokenAfterwards, CommitUnknownError);
    const { rows } = await pool.query("select 1 from partner where partner_id = 'ptn_stored'");
    assert.equal(rows.length, 1);
    const cutOff = inTransaction(service.database, { lockTimeoutMs: 100 }, (db, { finalStatement }) =>
      finalStatement(() => db.query('select pg_terminate_backend(pg_backend_pid())')),
    );
    await assert.rejects(cutOff, CommitUnknownError);
  });

  test('a session that loses its client in the middle is ended by the server', async () => {
    const { rows } = await pool.query(
      "select current_setting('idle_in_transaction_session_timeout') as idle, current_setting('statement_timeout') as statement",
    );
    assert.deepEqual(rows, [{ idle: '3s', statement: '4500ms' }]);
  });

  test('a connection that dies while it is checked out rejects its work and ends nothing else', async () => {
    await assert.rejects(
      inTransaction(service.database, { lockTimeoutMs: 100 }, async (db) => {
        const { rows } = await db.query('select pg_backend_pid() as pid');
        await pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
        await db.query('select 1');
      }),
    );
    assert.equal((await client.confirm()).status, 201);
  });
});

test('behind a transaction pooler no statement is prepared by name (DATABASE_PREPARED_STATEMENTS=off)', async () => {
  const pooled = await testService({ env: { DATABASE_URL: service.databaseUrl, DATABASE_PREPARED_STATEMENTS: 'off' } });
  const caller = new Client(pooled.baseUrl, key.apiKey);
  const { calculation_id, partner_order_ref } = (await caller.estimate()).body.estimate;
  const { contribution, association } = (await caller.confirm({ calculation_id, partner_order_ref })).body;
  assert.equal(association.status, 'associated');
  assert.equal((await caller.findByEvent(contribution.partner_event_id)).status, 200);
  const { rows } = await pooled.database.pool.query('select name from pg_prepared_statements');
  assert.deepEqual(rows, []);
});
