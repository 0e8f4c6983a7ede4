/** What is due, and what has run out, is told by the clock of the database, whatever a process takes for now (decisions, section 2). */

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { timeOfId } from '../../src/domain/identifiers.ts';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { listJobs } from '../../src/schedule/jobs.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { findOpenSettlement } from '../../src/store/settlements/settlement.ts';
import { listDeliveryAttempts } from '../../src/store/webhooks/attempt-log.ts';
import { findWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { rotateSecret } from '../../src/webhooks/endpoints/rotate-secret.ts';
import { auditKeys, OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { Client, uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { countRows, insertEstimateAged, untilSequenced } from '../support/records.ts';
import { insertContributionRule } from '../support/rules.ts';
import { OPEN_RATES, type ServiceProcess, spawnService } from '../support/service.ts';
import { tools as settlementTools } from '../support/settlements.ts';
import { type Arrived, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const DAY_MS = 24 * 3_600_000;
const JOBS = listJobs({ eventDays: 90, reviewExpiryHours: 72, settlementTools: settlementTools() }).length;
const SHIFT = new URL('../support/clock/shifted-clock.ts', import.meta.url).href;
const ENV = { ...WEBHOOK_ENV, AUDIT_KEY: auditKeys().map(writeNamedKey).join() };

function shiftedBy(aheadMs: number): Record<string, string> {
  return { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${SHIFT}`, CLOCK_AHEAD_MS: String(aheadMs) };
}

/** `serve` on a machine whose clock is wrong by so much. */
function spawnShifted(databaseUrl: string, aheadMs: number, env: Record<string, string> = {}): Promise<ServiceProcess> {
  return spawnService(databaseUrl, { ...ENV, ...env, ...shiftedBy(aheadMs) });
}

async function keyOf(database: Database, partnerId: string, expiresAt: Date | null): Promise<string> {
  const terms = { name: 'server', permission: 'read_write', allowedAddresses: [], expiresAt } as const;
  return (await issueApiKey(database, OWNER, { environment: 'sandbox', partnerId, ...terms })).apiKey;
}

/** A service whose clock is wrong, and a partner of whom more than 100 points are reviewed. */
async function wrongService(aheadMs: number) {
  const { databaseUrl } = await testDatabase();
  const database = openDatabase({ databaseUrl, poolSize: 4, auditKeys });
  after(() => database.close());
  const { partnerId } = await createPartner(database, OWNER, 'Anywhere', OPEN_RATES);
  await insertContributionRule(database, { partnerId, review_threshold: 100 });
  const service = await spawnShifted(databaseUrl, aheadMs);
  const client = new Client(service.baseUrl, await keyOf(database, partnerId, null));
  return { databaseUrl, database, partnerId, service, client };
}

/** Waits until every job has ended so many runs, whoever did them. */
async function untilRuns({ pool }: Database, runs: number): Promise<string[]> {
  for (;;) {
    const { rows } = await pool.query<{ jobName: string; count: number; outcomes: string[] }>(
      `select job_name as "jobName", count(*)::int4 as count, array_agg(distinct outcome) as outcomes from job_run
       where ended_at is not null group by job_name`,
    );
    if (rows.length === JOBS && rows.every(({ count }) => count >= runs)) return rows.flatMap(({ outcomes }) => outcomes);
    await sleep(20, undefined, { ref: false });
  }
}

async function untilJobs({ pool }: Database): Promise<void> {
  await waitFor('state of each job', async () => (await pool.query('select from job')).rowCount === JOBS);
}

function signatureOf(secret: string, { headers, body }: Arrived): string {
  return `v1=${createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(body).digest('hex')}`;
}

const CLOCKS = [
  ['30 days ahead', 30 * DAY_MS],
  ['30 days behind', -30 * DAY_MS],
] as const;

for (const [clock, aheadMs] of CLOCKS) {
  const { databaseUrl, database, partnerId, service, client } = await wrongService(aheadMs);
  const { pool } = database;

  describe(`beside a process whose clock is ${clock}`, HANG_LIMIT, () => {
    test('deliveries wait as long as the receiver asks, are signed by the secret in force, and disable no endpoint', async () => {
      const tools = endpointTools(database);
      await untilSequenced(database, partnerId, 1);
      const receiver = await WebhookReceiver.open();
      const { endpointId, secret } = await addEndpoint(tools, OWNER, { partnerId, url: receiver.url, eventTypes: [] });
      const next = await rotateSecret(tools, OWNER, { partnerId, endpointId });
      await pool.query("update endpoint_health set failures_in_row = 11, failing_since = now() - interval '4 days'");
      const inAnHour = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000).toUTCString();
      receiver.answerWith(503, { 'retry-after': inAnHour });
      await client.confirm({ points: 5 });
      const [arrived] = (await receiver.until(1)) as [Arrived];
      assert.equal(arrived.headers['x-service-signature'], signatureOf(secret, arrived));
      assert.equal(arrived.headers['x-service-signature-next'], signatureOf(next.secret, arrived));
      const [delivery] = await untilDeliveries(database, partnerId, ([first]) => first?.attempts === 1);
      const [attempt] = await listDeliveryAttempts(pool, partnerId, delivery?.deliveryId as string);
      const { rows } = await pool.query(
        `select $1::timestamptz - now() between '30 minutes' and '60 minutes 10 seconds' as "isInAnHour",
          now() - $2::timestamptz between '0' and '10 minutes' as "isNow"`,
        [delivery?.nextAttemptAt, attempt?.startedAt],
      );
      assert.deepEqual(rows, [{ isInAnHour: true, isNow: true }]);
      assert.equal((await findWebhookEndpoint(pool, partnerId, endpointId))?.status, 'active');
    });

    test('keys and estimates end at their time, and neither before nor after', async () => {
      const until = (ms: number) => keyOf(database, partnerId, new Date(Date.now() + ms));
      const [shortly, ended] = [await until(3_600_000), await until(-1_000)];
      const statusOf = async (apiKey: string) => (await new Client(service.baseUrl, apiKey).listEvents()).status;
      assert.deepEqual([await statusOf(shortly), await statusOf(ended)], [200, 401]);
      const { body } = await client.estimate();
      const { calculation_id: calculationId, calculated_at, expires_at } = body.estimate;
      assert.equal(Date.parse(expires_at) - Date.parse(calculated_at), DAY_MS);
      assert.equal((await client.getEstimate(calculationId)).status, 200);
      const { rows } = await pool.query(
        "select calculated_at between now() - interval '10 minutes' and now() as ok from estimate",
      );
      assert.deepEqual(rows, [{ ok: true }]);
      const statusAt = async (age: string) => {
        const aged = { partnerId, partnerOrderRef: uniqueId('order'), age };
        return (await client.getEstimate(await insertEstimateAged(database, aged))).status;
      };
      assert.deepEqual([await statusAt('23 hours 50 minutes'), await statusAt('24 hours')], [200, 410]);
    });

    test('a list of a span of time has each contribution of it, whose ids carry that time', async () => {
      const { body } = await client.confirm({ points: 7 });
      const { transaction_id: id, created_at } = body.contribution;
      const around = (ms: number) => new Date(Date.parse(created_at) + ms).toISOString();
      const listed = await client.call(`/v1/impact-transactions?created_after=${around(-1)}&created_before=${around(1)}`);
      assert.deepEqual(
        listed.body.contributions.map((each: { transaction_id: string }) => each.transaction_id),
        [id],
      );
      const skewMs = (timeOfId('txn', id) ?? 0) - Date.parse(created_at);
      assert.ok(Math.abs(skewMs) < 60_000, `${skewMs} ms`);
    });

    test('jobs change nothing before its time, and are due for the others when they should be', async () => {
      const { body: pending } = await client.confirm({ points: 150 });
      const open = await findOpenSettlement(pool, partnerId);
      await untilJobs(database);
      await pool.query("update job set due_at = now() - interval '1 second'");
      assert.deepEqual(new Set(await untilRuns(database, 1)), new Set(['succeeded']));
      const before = await countRows(database, partnerId);
      assert.equal((await client.get(pending.contribution.transaction_id)).body.contribution.status, 'pending');
      assert.equal((await findOpenSettlement(pool, partnerId))?.settlementId, open?.settlementId);
      assert.equal(before['event'], 3, 'settlement.created and the confirmations of the tests before');
      assert.equal(await service.end('SIGKILL'), null);
      // A day later every one of them was due.
      await pool.query("update job set due_at = due_at - interval '1 day', lease_until = null");
      const right = await spawnService(databaseUrl, ENV, ['--roles', 'schedule']);
      assert.deepEqual(new Set(await untilRuns(database, 2)), new Set(['succeeded']));
      assert.deepEqual(await countRows(database, partnerId), before);
      assert.equal(await right.end('SIGTERM'), 0);
    });

    test('job list says which job is running, and which was abandoned', async () => {
      await pool.query("update job set lease_until = now() + interval '1 minute' where job_name = 'verify'");
      await pool.query("update job set lease_until = now() - interval '1 minute' where job_name = 'expire-pending'");
      const env = { ...ENV, DATABASE_URL: databaseUrl, ...shiftedBy(aheadMs) };
      const { stdout, stderr } = await commandLine(env).runApart(['job', 'list']);
      assert.match(stdout, /^verify +running /m, stderr);
      assert.match(stdout, /^expire-pending +abandoned /m);
    });
  });
}

/** Who may ask the process for the time of day, and what for. */
const READERS: Readonly<Record<string, string>> = {
  'src/domain/identifiers.ts': 'when an identifier is made, until the clock of the database was read',
  'src/concurrency/age-clock.ts': 'notices that the machine was suspended',
  'src/observability/log.ts': 'when a line was written',
  'src/observability/start-metrics.ts': 'when the service was started',
  'src/operator-api/export-route.ts': 'what a file is named',
  'src/service/start-partner-api.ts': 'the timestamp of a signature',
  'src/service/start-service.ts': 'the timestamp of a signature',
  'src/service/database-watch.ts': 'compares the two clocks',
  'src/service/open-operators.ts': 'the timestamp of a signature',
  'src/service/open-sample-data.ts': 'the timestamp of a signature',
  'src/sample-data/deliveries.ts': 'the timestamp of a signature',
  'src/webhooks/receiver/development-receiver.ts': 'a receiver for development judges signatures as partners do',
  'src/commands/doctor.ts': 'from when on uses of break-glass are listed',
  'src/commands/examine-server.ts': 'compares the two clocks',
  'src/commands/webhooks/endpoint.ts': 'the timestamp of a signature',
  'src/commands/sandbox/partner-client.ts': 'until when to wait, by Retry-After',
  'src/commands/access/key.ts': 'what is shown',
  'src/commands/terminal/options.ts': 'mistakes in what was typed',
  'src/commands/contributions/review.ts': 'what is shown',
  'src/commands/rules/rule.ts': 'what is shown',
  'src/commands/webhooks/webhook.ts': 'judges signatures as partners do',
};

/** Itself, or through the package that makes identifiers. */
const ASKS = /\bDate\.now\b|\bnew Date\(\)|\bfrom 'ulid'/;

test('no other code asks the process for the time of day', async () => {
  const sources = await Array.fromAsync(glob('src/**/*.ts', { exclude: (path) => path.endsWith('.test.ts') }));
  assert.ok(sources.length > 100);
  const readers: string[] = [];
  for (const path of sources) if (ASKS.test(await readFile(path, 'utf8'))) readers.push(path);
  assert.deepEqual(readers.sort(), Object.keys(READERS).sort());
});

test('a service whose clock is ten minutes off says so', HANG_LIMIT, async () => {
  const { databaseUrl } = await testDatabase();
  const service = await spawnShifted(databaseUrl, -10 * 60_000, { LOG_LEVEL: 'info' });
  await waitFor('line about the clock', () =>
    /"reason":"clock","cause":"it is 60[0-2] s ahead of this machine's","msg":"the database has a problem: its clock /.test(
      service.output(),
    ),
  );
});
