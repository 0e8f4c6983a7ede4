/** A verification that cannot go on tells what it had found: the edit that it is for, and the failure, may be one person's work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { openSealKeys } from '../../src/domain/settlements/settlement-seal.ts';
import { type VerifiedPart, verifyEverything } from '../../src/operations/verification/verify-everything.ts';
import { verifyJob } from '../../src/schedule/jobs/verify.ts';
import { runByHand } from '../../src/schedule/run-by-hand.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine } from '../support/command-line.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { spawnService, testService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = await testService();
const { database } = service;
const { client, key } = await service.newPartner();
const keys = openSealKeys(database.auditKeys);
const { run } = commandLine({
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: temporaryFolder('verify-unfinished'),
  AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(','),
});
const { transaction_id: transactionId } = (await client.confirm()).body.contribution;
await asSuperuser(database.pool, async (superuser) => {
  await superuser.query("update api_key set permission = 'manage' where key_id = $1", [key.key.keyId]);
  await superuser.query('update contribution set points = points + 1 where transaction_id = $1', [transactionId]);
  // The last part cannot be read.
  await superuser.query('alter table impact_batch rename to impact_batch_away');
});
const ofKey = new RegExp(`api_key ${key.key.keyId}.*permission differs from the audit`);
const ofContribution = new RegExp(transactionId);

test('the command prints the parts that it verified and what differs, and fails', async () => {
  const { code, stdout, stderr } = await run(['verify']);
  assert.notEqual(code, 0);
  assert.match(stderr, /impact_batch/);
  assert.match(stdout, /^api_key +\d+ {2}1 differ$/m);
  assert.match(stdout.replaceAll(/\s+/g, ' '), ofKey);
  assert.match(stdout, ofContribution);
  assert.doesNotMatch(stdout, /^impact_batch/m);
});

test('the command with --json gives one object with the parts that it verified', async () => {
  const { code, stdout } = await run(['verify', '--json']);
  assert.notEqual(code, 0);
  const { ok, parts } = JSON.parse(stdout);
  assert.equal(ok, false);
  const differing = parts.filter(({ problems }: VerifiedPart) => problems.length > 0).map(({ part }: VerifiedPart) => part);
  assert.deepEqual(differing, ['api_key', 'settlement']);
});

test('the job tells it as errors, and its failed run has the count', async () => {
  const alerts: string[] = [];
  const terms = { stop: new AbortController().signal, onAlert: (_run: unknown, sentence: string) => void alerts.push(sentence) };
  const run = await runByHand(database, OWNER, verifyJob(keys), terms);
  assert.deepEqual([run.outcome, run.result?.['differences']], ['failed', 2]);
  assert.match(String(run.error), /impact_batch/);
  const told = alerts.join('\n');
  assert.match(told, ofKey);
  assert.match(told, ofContribution);
  assert.match(told, /^2 records modified: /m);
});

test('so does the part that is not at its end', async () => {
  const found: VerifiedPart[] = [];
  const pause = async () => {
    if (found.at(-1)?.part === 'adjustment') throw new Error('The service stops.');
  };
  const verify = async () => {
    for await (const part of verifyEverything(database, { ...keys, pause })) found.push(part);
  };
  await assert.rejects(verify(), /The service stops/);
  assert.match(found.at(-1)?.problems[0]?.problem ?? '', ofContribution);
});

test('the metric counts it although no run has succeeded', HANG_LIMIT, async () => {
  await database.pool.query('alter table impact_batch_away rename to impact_batch');
  const port = await freePort();
  await spawnService(service.databaseUrl, { OPERATIONS_PORT: String(port) }, ['--roles', 'api']);
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  assert.match(text, /^partner_impact_verify_differences 2$/m);
});
