/**
 * Answers that rest on rows that were read, on a server whose standbys come and go while the service runs (decisions, section 3: an
 * answer never says more than what outlives a failover). The server is this file's own.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { lookUpContributionsByEvent } from '../../src/store/contributions/looked-up-contribution.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { DatabaseSession } from '../../src/store/database-session.ts';
import { checkWritable } from '../../src/store/durability.ts';
import { CommitUnknownError, inTransaction } from '../../src/store/transaction.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, Client, countByStatus, detailCodes, newConfirmation, newEstimate, uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { cancelWaits } from '../support/postgres/cancel-waits.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';
import { clearAway, end, hold, makeDataDirectory } from '../support/postgres/embedded.ts';
import { insertPendingAged } from '../support/records.ts';
import { testService } from '../support/service.ts';

const dataDirectory = await makeDataDirectory();
let server = await hold(dataDirectory);
const databaseUrl = `postgresql:///postgres?host=${encodeURIComponent(server.socketDirectory as string)}&user=postgres`;
const service = await testService({ env: { DATABASE_URL: databaseUrl }, roles: ['api'] });
// After the service has stopped, which may wait for an answer of the server.
after(clearAway);
const { client, partner, key } = await service.newPartner();

/** A session that waits for no standby, whatever is set: that of an operator, or of a writer who was cut off while it waited. */
const local = new pg.Pool({ connectionString: databaseUrl, options: '-c synchronous_commit=local', max: 4 });
after(() => local.end());
local.on('error', () => {});

/** Every session that is open has it, so that no statement after this knows the setting of before. */
async function nameStandbys(names: string): Promise<void> {
  await local.query(`alter system set synchronous_standby_names = '${names}'`);
  await local.query('select pg_reload_conf()');
  const { pool } = service.database;
  const sessions = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  try {
    for (const session of sessions)
      await waitFor('new setting', async () => {
        const { rows } = await session.query("select current_setting('synchronous_standby_names') as names");
        return rows[0].names === names;
      });
  } finally {
    for (const session of sessions) session.release();
  }
}

/** A contribution like another one, whose COMMIT waited for nobody. */
async function insertLike(transactionId: string): Promise<{ partner_event_id: string; transaction_id: string }> {
  const changed = {
    transaction_id: `txn_${uniqueId('local')}`,
    partner_event_id: uniqueId('event'),
    partner_order_ref: uniqueId('order'),
    idempotency_key: uniqueId('key'),
  };
  await local.query(
    `insert into contribution select (jsonb_populate_record(c, $2)).* from contribution c where transaction_id = $1`,
    [transactionId, changed],
  );
  return changed;
}

/** As on a standby that never had the decision. */
async function undecide(transactionId: string): Promise<void> {
  const session = await local.connect();
  await session.query("begin; set local session_replication_role = 'replica'");
  const undecided = "status = 'pending', failed_at = null, failure_reason = null";
  await session.query(`update contribution set ${undecided} where transaction_id = $1`, [transactionId]);
  await session.query('commit');
  session.release();
}

describe('standbys that are named after the start', () => {
  const confirmation = newConfirmation();
  const keys = { confirm: uniqueId('key'), estimate: uniqueId('key'), link: uniqueId('key') };
  const estimate = newEstimate();
  let transactionId: string;
  let calculationId: string;

  before(async () => {
    transactionId = (await client.confirm(confirmation, { 'idempotency-key': keys.confirm })).body.contribution.transaction_id;
    calculationId = (
      await client.estimate(
        { ...estimate, partner_order_ref: confirmation.partner_order_ref },
        { 'idempotency-key': keys.estimate },
      )
    ).body.estimate.calculation_id;
    assert.equal((await client.associate(transactionId, calculationId, { 'idempotency-key': keys.link })).status, 201);
  });
  after(() => nameStandbys(''));

  const reads = (): Record<string, Promise<Answer>> => ({
    'look-up by event': client.findByEvent(confirmation.partner_event_id),
    'look-up by id': client.get(transactionId),
    'look-up of an unknown event': client.findByEvent(uniqueId('event')),
    'replay of a confirmation': client.confirm(confirmation, { 'idempotency-key': keys.confirm }),
    'other payload under a known key': client.confirm({ ...confirmation, points: 1 }, { 'idempotency-key': keys.confirm }),
    'known event under another key': client.confirm(confirmation),
    'known order under another event': client.confirm({ partner_order_ref: confirmation.partner_order_ref }),
    'look-up of an estimate': client.getEstimate(calculationId),
    'replay of an estimate': client.estimate(
      { ...estimate, partner_order_ref: confirmation.partner_order_ref },
      { 'idempotency-key': keys.estimate },
    ),
    'replay of an association': client.associate(transactionId, calculationId, { 'idempotency-key': keys.link }),
    'second link of a contribution': client.associate(transactionId, calculationId),
    'association with an unknown contribution': client.associate('txn_unknown', calculationId),
    'calculation of an estimate': client.call(`/v1/emissions/estimates/${calculationId}/calculation`),
    'list of events': client.listEvents(),
    'list of settlements': client.call('/v1/settlements'),
    'list of contributions': client.call('/v1/impact-transactions?created_after=2026-01-01T00:00:00Z'),
    'list of no contributions': client.call('/v1/impact-transactions?created_before=2001-01-01T00:00:00Z'),
    'environmental status': client.call(`/v1/impact-transactions/${transactionId}/environmental-status`),
  });

  test('one that is down is named by doctor', async () => {
    await nameStandbys('nobody');
    const { code, stdout } = await commandLine({ DATABASE_URL: databaseUrl }).run(['doctor', '--json']);
    await nameStandbys('');
    assert.equal(code, 1);
    const { findings } = JSON.parse(stdout) as { findings: { check: string; verdict: string; message: string }[] };
    const problems = findings.filter(({ verdict }) => verdict === 'problem');
    assert.deepEqual(
      problems.map(({ check }) => check),
      ['writing'],
    );
    assert.match(
      problems[0]?.message ?? '',
      /Commits wait for synchronous_standby_names = 'nobody'; servers that follow: 0\. Start the standby/,
    );
  });

  test('a command whose change waits for one says to look before it is repeated', async () => {
    await nameStandbys('nobody');
    const create = (...more: string[]) =>
      commandLine({ DATABASE_URL: databaseUrl }).run(['partner', 'create', '--name', 'In doubt', ...more]);
    const [{ code, stderr }, forPrograms] = [await create(), await create('--json')];
    await nameStandbys('');
    assert.deepEqual([code, forPrograms.code], [1, 1]);
    assert.equal(JSON.parse(forPrograms.stderr).error.code, 'outcome_unknown');
    assert.match(
      stderr,
      /outcome of the COMMIT is unknown\. Check whether the change was made before you repeat the command\.$/m,
    );
  });

  test('no look-up, replay or conflict is answered from a row that no standby has: internal_service_unavailable', async () => {
    await nameStandbys('nobody');
    const stranded = await insertLike(transactionId);
    const asked = Object.entries({ ...reads(), 'look-up of a stranded row': client.findByEvent(stranded.partner_event_id) });
    const answers = await Promise.all(asked.map(async ([what, answer]) => [what, (await answer).status] as const));
    assert.deepEqual(
      answers.filter(([, status]) => status !== 503),
      [],
    );
    assert.ok(answers.length >= 19);
  });

  test('the same requests are answered as ever when nobody has to be waited for', async () => {
    await nameStandbys('');
    const answers = Object.entries(reads());
    const statuses = Object.fromEntries(await Promise.all(answers.map(async ([what, answer]) => [what, (await answer).status])));
    assert.deepEqual(statuses, {
      'look-up by event': 200,
      'look-up by id': 200,
      'look-up of an unknown event': 404,
      'replay of a confirmation': 201,
      'other payload under a known key': 409,
      'known event under another key': 409,
      'known order under another event': 409,
      'look-up of an estimate': 200,
      'replay of an estimate': 201,
      'replay of an association': 201,
      'second link of a contribution': 409,
      'association with an unknown contribution': 404,
      'calculation of an estimate': 200,
      'list of events': 200,
      'list of settlements': 200,
      'list of contributions': 200,
      'list of no contributions': 200,
      'environmental status': 200,
    });
  });

  test('without standbys a read commits nothing', async () => {
    // What commits writes in each round; autovacuum and a checkpoint, which write beside them, in some.
    const written: number[] = [];
    while (written.length < 10 && !written.some((bytes) => bytes < 10_000)) written.push(await writtenBy50LookUps());
    assert.ok(Math.min(...written) < 10_000, `without standbys look-ups wrote ${written.join(', ')} bytes of WAL`);
  });

  async function writtenBy50LookUps(): Promise<number> {
    const before = await local.query('select pg_current_wal_insert_lsn() as lsn');
    await Promise.all(Array.from({ length: 50 }, () => client.get(transactionId)));
    const { rows } = await local.query('select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::int8 as written', [
      before.rows[0].lsn,
    ]);
    return Number(rows[0].written);
  }
});

describe('a wait for the standby that is cut short', () => {
  before(() => nameStandbys('nobody'));
  after(() => nameStandbys(''));

  test('a COMMIT is in doubt', async () => {
    const commit = inTransaction(service.database, { lockTimeoutMs: 100 }, (db) =>
      db.query("insert into partner values ('ptn_cut_short', 'x', 1, 1, 1)"),
    );
    assert.ok((await cancelWaits(local, commit)) > 0);
    await assert.rejects(commit, CommitUnknownError);
  });

  test('a confirmation is not answered, and the same request is a replay when the standby is no longer waited for', async () => {
    const fields = newConfirmation();
    const headers = { 'idempotency-key': uniqueId('key') };
    const asked = client.confirm(fields, headers);
    assert.ok((await cancelWaits(local, asked)) > 0);
    const answer = await asked;
    assert.equal(answer.status, 503, answer.text);
    assert.deepEqual(detailCodes(answer), { point_restoration: 'not_authorized', next_action: 'look_up' });
    await nameStandbys('');
    const found = await client.findByEvent(fields.partner_event_id);
    assert.equal(found.status, 200);
    const again = await client.confirm(fields, headers);
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
    assert.deepEqual(again.body.contribution, found.body.contribution);
    await nameStandbys('nobody');
  });

  test('an association is not refused for a failure that a failover removes: internal_service_unavailable', async () => {
    await nameStandbys('');
    const proxy = await databaseProxy(databaseUrl);
    const behind = await testService({ env: { DATABASE_URL: proxy.databaseUrl }, roles: ['api'] });
    const caller = new Client(behind.baseUrl, key.apiKey);
    const { calculation_id, partner_order_ref: partnerOrderRef } = (await client.estimate()).body.estimate;
    const { partnerId } = partner;
    const pending = await insertPendingAged(service.database, { partnerId, partnerOrderRef, age: '1 hour' });
    const headers = { 'idempotency-key': uniqueId('key') };

    const beforeRead = proxy.pauseBefore(pending);
    const asked = caller.associate(pending, calculation_id, headers);
    const read = await beforeRead;
    // The standby goes, and an operator's decision is stored on the primary alone.
    await nameStandbys('nobody');
    const decision = "status = 'failed', failed_at = date_trunc('milliseconds', now()), failure_reason = 'wrong order'";
    await local.query(`update contribution set ${decision} where transaction_id = $1`, [pending]);
    const beforeSecondRead = proxy.pauseBefore(headers['idempotency-key']);
    read();
    // The primary goes, and what waits there is not answered.
    const cancelled = cancelWaits(local, beforeSecondRead);
    const readAgain = await beforeSecondRead;
    await cancelled;
    await nameStandbys('');
    await undecide(pending);
    readAgain();
    const answer = await asked;
    assertError(answer, 'internal_service_unavailable');
    assert.deepEqual(detailCodes(answer), { point_restoration: 'not_authorized', next_action: 'look_up' });
    assertError(await caller.associate(pending, calculation_id, headers), 'contribution_pending');
    await nameStandbys('nobody');
  });

  test('a commit that is to be proved is not proved', async () => {
    const proof = checkWritable(service.database.pool);
    assert.ok((await cancelWaits(local, proof)) > 0);
    await assert.rejects(proof, /answered with a warning/);
  });

  test('a read is not answered', async () => {
    const asked = client.findByEvent(uniqueId('event'));
    assert.ok((await cancelWaits(local, asked)) > 0);
    const answer = await asked;
    assert.equal(answer.status, 503);
    assert.deepEqual(detailCodes(answer), { point_restoration: 'not_authorized', next_action: 'look_up' });
  });

  for (const [timer, { config, reason }] of Object.entries({
    'of the connection': { config: {}, reason: /The database does not answer/ },
    'of the statement': { config: { query_timeout: 300 }, reason: /read timeout/ },
  }))
    test(`the session of a commit that outlasts the time ${timer} ends, and frees its place on the server`, async () => {
      const session = new DatabaseSession({ connectionString: databaseUrl, pipeline: true, answerTimeoutMs: 300 });
      await session.connect();
      session.on('error', () => {});
      // A busy machine may take longer for this one.
      const { rows } = await session.query({ text: 'select pg_backend_pid() as pid', query_timeout: 30_000 });
      const write = { text: "select pg_logical_emit_message(true, 'test', 'wait')", ...config };
      await assert.rejects(session.query(write), reason);
      await waitFor('end of the session', async () => {
        const found = await local.query('select from pg_stat_activity where pid = $1', [rows[0].pid]);
        return found.rowCount === 0;
      });
    });

  test('reads that arrive together wait together', async () => {
    const asked = Promise.all(Array.from({ length: 100 }, () => client.findByEvent(uniqueId('event'))));
    const waits = await cancelWaits(local, asked);
    assert.ok(waits > 0 && waits < 25, `100 look-ups waited ${waits} times`);
    assert.deepEqual(countByStatus(await asked), { 503: 100 });
  });
});

describe('a warning in any language (lc_messages)', () => {
  const words = 'storniere das Warten auf synchrone Replikation';

  before(async () => {
    await local.query(`create table warned (id int4)`);
    await local.query(
      `create function warn() returns trigger language plpgsql as $$ begin raise warning '${words}'; return null; end $$`,
    );
    await local.query(`create constraint trigger warns after insert on warned deferrable initially deferred
      for each row execute function warn()`);
  });

  test('beside a COMMIT: in doubt', async () => {
    const insert = inTransaction(service.database, { lockTimeoutMs: 100 }, (db) => db.query('insert into warned values (1)'));
    await assert.rejects(insert, CommitUnknownError);
    const last = inTransaction(service.database, { lockTimeoutMs: 100 }, (db, { finalStatement }) =>
      finalStatement(() => db.query('insert into warned values (2)')),
    );
    await assert.rejects(last, CommitUnknownError);
  });

  test('beside a statement that is its own transaction: it fails, and the next one on the connection does not', async () => {
    const database = openDatabase({ databaseUrl, poolSize: 1 });
    try {
      await assert.rejects(database.pool.query('insert into warned values (3)'), new RegExp(words));
      const session = await database.pool.connect();
      const outcomes = await Promise.allSettled([
        session.query('select 1'),
        session.query('insert into warned values (4)'),
        session.query('select 2'),
      ]);
      session.release();
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
    } finally {
      await database.close();
    }
  });
});

describe('a server in recovery', () => {
  let promoted: Database | undefined;
  let event: string;
  after(() => promoted?.close());

  before(async () => {
    const confirmed = await client.confirm();
    assert.equal(confirmed.status, 201);
    event = confirmed.body.contribution.partner_event_id;
    await end(server.process, 'SIGTERM');
    writeFileSync(join(dataDirectory, 'postgres/standby.signal'), '');
    server = await hold(dataDirectory);
    assert.equal(server.refusal, undefined);
  });

  test('nothing is found there, and nothing is said not to be there: 503', async () => {
    const { rows } = await local.query(
      'select pg_is_in_recovery() as standby, (select count(*)::int4 from contribution) as rows',
    );
    assert.equal(rows[0].standby, true);
    assert.ok(rows[0].rows > 0, 'a plain read of the standby is answered');
    const answers = await Promise.all([
      client.findByEvent(event),
      client.findByEvent(uniqueId('event')),
      client.get('txn_unknown'),
      client.confirm(),
      client.getEstimate('calc_unknown'),
    ]);
    assert.deepEqual(countByStatus(answers), { 503: 5 });
  });

  test('no connection to it is used; where a pooler hides the server, the read itself fails', async () => {
    const database = openDatabase({ databaseUrl, poolSize: 1 });
    await assert.rejects(database.pool.query('select 1'), /in recovery/);
    await database.close();
    const lookUp = lookUpContributionsByEvent(local, [{ partnerId: partner.partnerId, partnerEventId: event }]);
    await assert.rejects(lookUp, /recovery/);
  });

  test('promoted, it answers again', async () => {
    await local.query('select pg_promote()');
    const answer = await client.findByEvent(event);
    assert.equal(answer.status, 200);
  });
});
