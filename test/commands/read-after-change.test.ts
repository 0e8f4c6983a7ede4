/** A command whose change is committed has succeeded, even where what it prints of it cannot be read. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { insertPendingAged } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { endpointTools, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const { pool } = database;
const folder = temporaryFolder('read-after-change');
const { run, runJson } = commandLine({
  ...WEBHOOK_ENV,
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: folder,
  XDG_CONFIG_HOME: join(folder, 'home'),
  AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(','),
});

/** With the next audit entry, and so with the COMMIT of the change, the table is gone until the work is done. */
async function withoutAfterChange<Value>(table: string, work: () => Promise<Value>): Promise<Value> {
  await pool.query(`create function hide_table() returns trigger language plpgsql as $$
    begin alter table ${table} rename to hidden_table; return null; end $$`);
  await pool.query('create trigger hide_table after insert on audit_entry execute function hide_table()');
  try {
    return await work();
  } finally {
    await pool.query('drop function hide_table cascade');
    await pool.query(`alter table if exists hidden_table rename to ${table}`);
  }
}

async function newPending() {
  const { partnerId } = (await service.newPartner()).partner;
  const transactionId = await insertPendingAged(database, { partnerId, partnerOrderRef: uniqueId('order'), age: '1 hour' });
  return ['--partner', partnerId, '--transaction', transactionId, '--reason', 'known', '--yes'];
}

async function newBatch(): Promise<string> {
  return (await runJson('impact-batch', 'create', '--name', 'November', '--trees', '12')).impact_batch_id;
}

async function newSettlement(): Promise<string[]> {
  const { partner, client } = await service.newPartner();
  const { partnerId } = partner;
  await openFirst(database, partner);
  await client.confirm();
  const { closed } = await closeNow(database, partnerId);
  return ['--partner', partnerId, '--settlement', closed.settlementId, '--yes'];
}

async function newFullBatch(): Promise<string> {
  const batchId = await newBatch();
  await runJson('impact-batch', 'add', '--batch', batchId, ...(await newSettlement()));
  return batchId;
}

async function endpointOf() {
  const { partner, endpointId } = await newEndpoint(service, endpointTools(database));
  return ['--partner', partner.partnerId, '--endpoint', endpointId];
}

describe('says that the change is done, and where it is shown later: exit code 0', HANG_LIMIT, () => {
  const changes: [words: string, table: string, options: () => Promise<string[]>, later: string, known: object][] = [
    ['review confirm', 'contribution_review', newPending, 'review show', { status: 'confirmed' }],
    ['review fail', 'contribution_review', newPending, 'review show', { status: 'failed' }],
    [
      'impact-batch create',
      'impact_evidence',
      async () => ['--name', 'December', '--trees', '3'],
      'impact-batch show',
      { name: 'December', status: 'recorded' },
    ],
    [
      'impact-batch correct',
      'impact_evidence',
      async () => ['--batch', await newFullBatch(), '--trees', '2', '--yes'],
      'impact-batch show',
      { quantity: 2 },
    ],
    [
      'impact-batch add',
      'impact_evidence',
      async () => ['--batch', await newBatch(), ...(await newSettlement())],
      'impact-batch show',
      { name: 'November' },
    ],
    [
      'endpoint update',
      'endpoint_health',
      async () => [...(await endpointOf()), '--events', 'all'],
      'endpoint show',
      { status: 'active' },
    ],
    ['endpoint disable', 'endpoint_health', endpointOf, 'endpoint show', { status: 'disabled' }],
    ['endpoint enable', 'endpoint_health', endpointOf, 'endpoint show', { status: 'active' }],
  ];
  for (const [words, table, options, later, known] of changes)
    test(words, async () => {
      const given = [...words.split(' '), ...(await options()), '--json'];
      const { code, stdout, stderr } = await withoutAfterChange(table, () => run(given));
      assert.equal(code, 0, stderr);
      assert.match(
        stderr,
        new RegExp(`^Done\\. The effect cannot be read now: The database says: .+\\. Run \`${later}\` later\\.$`, 'm'),
      );
      const shown = JSON.parse(stdout);
      assert.deepEqual({ ...shown, ...known }, shown);
    });

  test('delivery recover, with the count', async () => {
    const { partner, client, endpointId } = await newEndpoint(service, endpointTools(database));
    const { partnerId } = partner;
    await client.confirm();
    await untilDeliveries(database, partnerId, ([delivery]) => delivery?.status === 'delivered');
    await pool.query("update delivery set status = 'exhausted' where partner_id = $1", [partnerId]);
    const given = ['delivery', 'recover', '--partner', partnerId, '--endpoint', endpointId];
    const { code, stdout, stderr } = await withoutAfterChange('webhook_endpoint', () => run(given));
    assert.deepEqual([code, stdout], [0, '1 exhausted delivery is due again.\n'], stderr);
    assert.match(stderr, /^Done\. .+ Run `endpoint show` later\.$/m);
  });

  const EXHAUSTED = "update delivery set status = 'exhausted', ended_at = now() where partner_id = $1";

  test('delivery recover, where the pause of the endpoint cannot be ended', async () => {
    const { partner, client, endpointId } = await newEndpoint(service, endpointTools(database));
    const { partnerId } = partner;
    await client.confirm();
    await untilDeliveries(database, partnerId, ([delivery]) => delivery?.status === 'delivered');
    await pool.query(EXHAUSTED, [partnerId]);
    const given = ['delivery', 'recover', '--partner', partnerId, '--endpoint', endpointId, '--json'];
    const { code, stdout, stderr } = await withoutAfterChange('endpoint_health', () => run(given));
    assert.deepEqual([code, JSON.parse(stdout || '{}').recovered], [0, 1], stderr);
    assert.match(stderr, /^Done\. The pause of the endpoint after failures was not ended: .+ `endpoint enable` ends it\.$/m);
  });

  test('endpoint enable, where its held deliveries cannot be made due', async () => {
    const given = ['endpoint', 'enable', ...(await endpointOf()), '--json'];
    const { code, stdout, stderr } = await withoutAfterChange('delivery', () => run(given));
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).status, 'active');
    assert.match(stderr, /^Done\. Not all held deliveries are due at once: .+ The service sends them in their turn\.$/m);
  });

  test('login, where the former sign-in cannot be ended', async () => {
    const home = { XDG_CONFIG_HOME: join(folder, 'twice') };
    const codeOf = async (name: string) => {
      const words = ['--name', name, '--email', `${uniqueId(name)}@example.org`, '--role', 'viewer'];
      return (await runJson('operator', 'create', ...words)).sign_in_code as string;
    };
    const [first, second] = [await codeOf('first'), await codeOf('second')];
    assert.equal((await run(['login'], home, first)).code, 0);
    const { code, stdout, stderr } = await withoutAfterChange('operator_credential', () => run(['login'], home, second));
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Signed in as second/);
    assert.match(stderr, /^Done\. The former sign-in was not ended: .+$/m);
  });
});
