/** The sample data of a new sandbox: a quarter, made once beside the service, marked, verified, and removed with its database. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { ADJUSTMENT_STATUSES } from '../../src/domain/adjustments/adjustment.ts';
import { CONTRIBUTION_STATUSES } from '../../src/domain/contributions/contribution-status.ts';
import { EVENT_TYPES } from '../../src/domain/events/event.ts';
import { timeOfId } from '../../src/domain/identifiers.ts';
import { readPooledWorth } from '../../src/operations/impact/read-pooled-worth.ts';
import { readOverview } from '../../src/operations/overview/read-overview.ts';
import { makeSampleData, type SampleOutcome } from '../../src/sample-data/make-sample-data.ts';
import { listJobs } from '../../src/schedule/jobs.ts';
import { openAuditKeys } from '../../src/service/keys/configured-keys.ts';
import { configuredSettlementTools } from '../../src/service/keys/configured-seals.ts';
import { prepareSampleData } from '../../src/service/open-sample-data.ts';
import { eachPartner } from '../../src/store/access/partner.ts';
import { openDatabase } from '../../src/store/database.ts';
import { claimInstallation } from '../../src/store/installation.ts';
import { PAST_PATH } from '../../src/store/sandbox/past-clock.ts';
import { findSampleData, insertSampleData } from '../../src/store/sandbox/sample-data.ts';
import { listEndpointStates } from '../../src/store/webhooks/endpoint-state.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { endpointTools, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const BIN = join(import.meta.dirname, '../../bin/partner-impact.mjs');
const DAY_MS = 86_400_000;
/** A quarter with fewer orders. */
const SHARE = 0.3;
const config = readConfig({});

const service = await testService({
  roles: ['api', 'webhooks', 'schedule'],
  async prepare(database) {
    await claimInstallation(database.pool, 'sandbox');
    await insertSampleData(database.pool);
  },
});
const past = openDatabase({
  databaseUrl: service.databaseUrl,
  poolSize: 8,
  auditKeys: () => openAuditKeys(config),
  settings: [PAST_PATH, 'synchronous_commit=off'],
});
/** Its sessions, as the server knows them. */
const sessions: unknown[] = [];
past.pool.on('connect', (client) => sessions.push((client as unknown as { processID: unknown }).processID));
after(() => past.close());

const said: string[] = [];

const make = (onProgress: (sentence: string) => void): Promise<SampleOutcome> =>
  makeSampleData({
    database: service.database,
    past,
    share: SHARE,
    signal: new AbortController().signal,
    onProgress,
    endpointTools: { ...endpointTools(past), allowInsecure: false, allowThisMachine: true },
    settlementTools: configuredSettlementTools(config),
    jobs: listJobs({ ...config, settlementTools: configuredSettlementTools(config) }),
  });

const rowsOf = async (text: string) => (await service.database.pool.query(text)).rows;
const valuesOf = async (text: string) => (await rowsOf(text)).map(({ value }) => value).sort();

describe('a quarter beside the service', HANG_LIMIT, () => {
  test('the service answers meanwhile, a run that breaks off in the middle is continued, and another one waits for nobody', async () => {
    const { client } = await service.newPartner();
    let broken: Promise<unknown> | undefined;
    const interrupted = make((sentence) => {
      said.push(sentence);
      if (sentence.includes('50 %'))
        broken = service.database.pool.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1::int[])',
          [sessions],
        );
    });
    interrupted.catch(() => {});
    await waitFor('the begin of the quarter', async () => said.length > 0);
    assert.equal((await client.confirm(newConfirmation())).status, 201);
    assert.equal(await make(() => assert.fail('the second one made something')), 'busy');
    await assert.rejects(interrupted);
    await broken;
    const before = await rowsOf('select count(*)::int4 as value from contribution');
    assert.equal(await make((sentence) => said.push(sentence)), 'made');
    assert.ok(before[0].value > 0);
    assert.ok(said.some((sentence) => sentence.includes('is continued')));
    assert.match(said.at(-1) ?? '', /ready, \d+ contributions .* demo remove/);
  });

  test('a further run makes nothing', async () => {
    const text = 'select last_no as value from audit_head';
    const entries = await valuesOf(text);
    assert.equal(await make(() => assert.fail('it said something')), 'none');
    assert.deepEqual(await valuesOf(text), entries);
  });
});

describe('what it holds', () => {
  test('no event is numbered twice, or lost, and each order is recorded once', async () => {
    const [counts] = await rowsOf(
      `select count(*)::int4 as orders, count(distinct (partner_id, partner_event_id))::int4 as different from contribution`,
    );
    assert.equal(counts.orders, counts.different);
    const sequences = await rowsOf(
      'select partner_id, count(*)::int4 as events, max(sequence)::int4 as last from event group by partner_id',
    );
    for (const { events, last } of sequences) assert.equal(events, last);
    const confirmed = await rowsOf(
      `select count(*)::int4 as value from contribution c where status = 'confirmed'
        and not exists (select from event e where e.subject_id = c.transaction_id and e.event_type = 'impact.transaction.confirmed')`,
    );
    assert.deepEqual(confirmed, [{ value: 0 }]);
    assert.deepEqual(await rowsOf("select to_regnamespace('past_clock') is null as value"), [{ value: true }]);
  });

  test('every status and every kind of event', async () => {
    assert.deepEqual(await valuesOf('select distinct status as value from contribution'), [...CONTRIBUTION_STATUSES].sort());
    assert.deepEqual(await valuesOf('select distinct status as value from adjustment'), [...ADJUSTMENT_STATUSES].sort());
    assert.deepEqual(await valuesOf('select distinct event_type as value from event'), [...EVENT_TYPES].sort());
    assert.deepEqual(await valuesOf('select distinct status as value from settlement'), ['closed', 'open']);
    assert.deepEqual(await valuesOf('select distinct status as value from failure_draft'), ['approved', 'drafted', 'rejected']);
    assert.deepEqual(await valuesOf('select distinct status as value from impact_batch'), ['funded', 'verified']);
    const associations = await valuesOf('select distinct association_outcome as value from contribution');
    assert.deepEqual(associations, ['associated', 'not_requested', 'rejected']);
  });

  test('each impact batch is for the trees that its settlements pay', async () => {
    const batches = await rowsOf('select impact_batch_id as id, quantity as value from impact_batch');
    assert.equal(batches.length, 2);
    for (const { id, value } of batches) {
      const worth = await readPooledWorth(service.database.pool, String(id));
      assert.ok(worth.length > 1);
      assert.equal(value, worth.reduce((sum, { trees }) => sum + (trees ?? 0n), 0n) || 1n);
    }
  });

  test('every partner is marked, with a currency and a zone of its own', async () => {
    const { partnerIds = [] } = (await findSampleData(service.database.pool)) ?? {};
    const partners = (await Array.fromAsync(eachPartner(service.database.pool))).filter(({ partnerId }) =>
      partnerIds.includes(partnerId),
    );
    assert.equal(partners.length, 4);
    for (const { name } of partners) assert.match(name, /\((sample data|بيانات تجريبية)\)$/);
    assert.ok(partners.some(({ name }) => /\p{Script=Arabic}/u.test(name)));
    assert.deepEqual(partners.map(({ currency }) => currency).sort(), ['AED', 'EUR', 'JPY', 'SAR']);
    assert.equal(new Set(partners.map(({ timeZone }) => timeZone)).size, 4);
  });

  test('healthy, failing and disabled endpoints, and something of all that waits', async () => {
    const states = (await listEndpointStates(service.database.pool)).map(({ state }) => state);
    assert.ok(states.includes('healthy'));
    assert.ok(states.includes('disabled'));
    assert.equal(states.length, 3);
    const overview = await readOverview(service.database, { reviewExpiryHours: 72 });
    const { reviews, adjustmentsToApprove, adjustmentsToPost, failuresToApprove, disputes, unacknowledged, webhooks } = overview;
    for (const { count } of [reviews, adjustmentsToApprove, adjustmentsToPost, failuresToApprove, disputes, unacknowledged])
      assert.ok(count > 0);
    assert.equal(webhooks.relayLagSeconds, 0);
    assert.ok(overview.jobs.length >= 8);
    for (const { jobName, lastSuccessAt } of overview.jobs) assert.ok(lastSuccessAt, `${jobName} has not run`);
  });

  test('attempts failed, deliveries came, evidence and a list are there', async () => {
    const [counts] = await rowsOf(`select
      (select count(*)::int4 from delivery where first_status between 200 and 299) as delivered,
      (select count(*)::int4 from delivery_attempt where status >= 400) as failed,
      (select count(*)::int4 from delivery where status = 'exhausted') as exhausted,
      (select count(*)::int4 from impact_evidence) as evidence,
      (select count(*)::int4 from reconciliation where uploaded_by is not null) as lists,
      (select count(*)::int4 from settlement where status = 'closed') as closed,
      (select count(*)::int4 from estimate) as estimates`);
    for (const [what, count] of Object.entries(counts)) assert.ok(Number(count) > 0, what);
    await waitFor('the end of the reconciliation', async () => {
      const [list] = await rowsOf('select status as value from reconciliation');
      return list.value === 'done';
    });
  });

  test('times are of a quarter, and none is of the future', async () => {
    const [row] =
      await rowsOf(`select max(created_at) <= now() as past, max(created_at) - min(created_at) > interval '80 days' as long
      from contribution`);
    assert.deepEqual(row, { past: true, long: true });
  });

  test('all verifications pass', async () => {
    const { run } = commandLine({ DATABASE_URL: service.databaseUrl, SECRETS_KEY: WEBHOOK_ENV.SECRETS_KEY });
    for (const words of [['verify'], ['audit', 'verify'], ['doctor']]) {
      const { code, stdout, stderr } = await run(words);
      assert.equal(code, 0, `${words.join(' ')}: ${stdout} ${stderr}`);
    }
  });
});

describe('who gets none', () => {
  test('a database of DATABASE_URL, which the commands refuse', async () => {
    const { run } = commandLine({ DATABASE_URL: service.databaseUrl });
    for (const words of [
      ['demo', 'make'],
      ['demo', 'remove', '--yes'],
    ]) {
      const { code, stderr } = await run(words);
      assert.notEqual(code, 0);
      assert.match(stderr, /Only a sandbox with the embedded PostgreSQL has sample data/);
    }
  });

  test('production, and a sandbox that has a partner', async () => {
    const { databaseUrl } = await testDatabase();
    const production = openDatabase({ databaseUrl, poolSize: 1 });
    await claimInstallation(production.pool, 'production');
    assert.equal(await prepareSampleData(production, true), false);
    assert.equal(await findSampleData(production.pool), undefined);
    await production.close();
  });
});

describe('beside a start on the embedded PostgreSQL', HANG_LIMIT, () => {
  const settings = { DATA_DIR: temporaryFolder('sample'), PORT: '0', OPERATIONS_PORT: '0' };
  const { run, runJson } = commandLine(settings);
  const started: ChildProcess[] = [];
  after(() => {
    for (const child of started) child.kill('SIGKILL');
  });
  const start = async (...words: string[]) => {
    const child = spawn(process.execPath, [BIN, 'serve', '--first-call', ...words], { env: { ...process.env, ...settings } });
    started.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    await waitFor('the first call', async () => /^(curl|Another key) /m.test(output));
    return { child, output: () => output };
  };
  const stop = async (child: ChildProcess) => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  };
  const partners = async () => (await runJson('partner', 'list')).map(({ name }: { name: string }) => name);

  test('a killed start leaves what a later one may keep as it is: verified, and with its events', async () => {
    const first = await start('--demo');
    assert.match(first.output(), /^Demo key /m);
    // It has the lowest priority, and waits for all other tests.
    while (!/25 %/.test(first.output())) await sleep(50);
    const ended = once(first.child, 'exit');
    first.child.kill('SIGKILL');
    await ended;
    const second = await start('--no-demo');
    assert.equal((await partners()).length, 5);
    const [, own] = /^Demo partner +(ptn_\w+)$/m.exec(first.output()) ?? [];
    assert.ok(second.output().includes(`key issue --partner ${own} --permission manage\n                (of Demo partner)\n`));
    // Lists and timelines find records of a time by their identifiers.
    for (const { partner_id, created_at } of await runJson('partner', 'list'))
      assert.ok(Math.abs((timeOfId('ptn', partner_id) ?? 0) - Date.parse(created_at)) < DAY_MS, partner_id);
    const { code, stdout } = await run(['verify']);
    assert.equal(code, 0, stdout);
    const refused = await run(['demo', 'remove', '--yes']);
    assert.match(refused.stderr, /Stop the service first/);
    assert.equal((await partners()).length, 5);
    assert.doesNotMatch(second.output(), /Sample data/);
    await stop(second.child);
  });

  test('one command names what goes, asks, and leaves an empty database, which stays so', async () => {
    const asked = await run(['demo', 'remove']);
    assert.equal(asked.code, 2);
    assert.match(asked.stdout, /4 partners and 4 operators of the sample data/);
    assert.match(asked.stdout, /your partner Demo partner \(ptn_\w+\)/);
    assert.equal((await partners()).length, 5);
    assert.equal((await run(['demo', 'remove', '--yes'])).code, 0);
    assert.deepEqual(await partners(), []);
    assert.match((await run(['demo', 'remove', '--yes'])).stderr, /has no sample data/);
    const { child, output } = await start('--demo');
    assert.match(output(), /^Demo key /m);
    assert.deepEqual(await partners(), ['Demo partner']);
    await stop(child);
    assert.doesNotMatch(output(), /Sample data/);
  });
});
