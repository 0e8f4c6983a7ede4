/** A stop while lists arrive: each ends with a word to its sender, and the log says so. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { readConfig } from '../../src/config.ts';
import { FILE_TYPE } from '../../src/operator-api/http/hash-upload.ts';
import { openAuditKeys } from '../../src/service/keys/configured-keys.ts';
import { openDatabase } from '../../src/store/database.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { spawnService, withPartners } from '../support/service.ts';
import { closeNow, newSettledPartner } from '../support/settlements.ts';

const HEADER = 'partner_event_id,partner_order_ref,points\n';

const EVIDENCE = new URLSearchParams({
  type: 'photo',
  url: 'https://example.org/a.jpg',
  file_name: 'a.jpg',
  sha256: '0'.repeat(64),
  captured_at: '2026-11-20T10:00:00Z',
});

interface Upload {
  readonly answered: Promise<{ status: number; message: string }>;
  readonly sending: ClientRequest;
}

/** Begins an upload and sends no end. */
function beginUpload(port: number, path: string, headers: Record<string, string>): Upload {
  const sending = request({ host: '127.0.0.1', port, method: 'POST', path, headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => sending.on('response', resolve).on('error', reject)).then(
    async (answer) => ({ status: answer.statusCode ?? 0, message: JSON.parse(await text(answer)).error.message as string }),
  );
  answered.catch(() => {});
  sending.write(HEADER);
  return { answered, sending };
}

test('lists under way are ended, answered and named in the log', HANG_LIMIT, async () => {
  const { databaseUrl } = await testDatabase();
  const operationsPort = await freePort();
  const env = { OPERATIONS_PORT: String(operationsPort), LOG_LEVEL: 'warn' };
  const service = await spawnService(databaseUrl, env, ['--roles', 'api']);
  const database = openDatabase({ databaseUrl, poolSize: 2, auditKeys: () => openAuditKeys(readConfig({})) });
  after(() => database.close());
  const ofService = withPartners(service.baseUrl, database);
  const operator = await signedInOperator({ database, operationsPort }, 'operator');
  const closed = async () => {
    const { partner, partnerId, client } = await newSettledPartner(ofService);
    await client.confirm();
    const { settlementId } = (await closeNow(database, partnerId)).closed;
    return { partner, partnerId, settlementId };
  };
  const [ofOperator, own] = [await closed(), await closed()];
  const { key } = await ofService.newPartner({ of: own.partner });
  const csv = () => ({ 'content-type': 'text/csv', 'idempotency-key': uniqueId('key') });
  const signedIn = { host: `localhost:${operationsPort}`, cookie: operator.cookie, 'x-csrf-token': operator.csrfToken };
  const { partnerId, settlementId } = ofOperator;
  const lists = [
    beginUpload(operationsPort, `/operator/v1/partners/${partnerId}/settlements/${settlementId}/reconciliations`, {
      ...signedIn,
      ...csv(),
    }),
    beginUpload(Number(new URL(service.baseUrl).port), `/v1/settlements/${own.settlementId}/reconciliations`, {
      'x-api-key': key.apiKey,
      ...csv(),
    }),
  ];
  const { body } = await operator.postOnce('/operator/v1/impact-batches', { name: 'Coast', quantity: '3' });
  const file = beginUpload(operationsPort, `/operator/v1/impact-batches/${body.impact_batch_id}/evidence?${EVIDENCE}`, {
    ...signedIn,
    'content-type': FILE_TYPE,
    'idempotency-key': uniqueId('key'),
  });
  const statuses = async () => (await database.pool.query('select status from reconciliation')).rows.map(({ status }) => status);
  await waitFor('both lists to begin', async () => (await statuses()).length === 2);
  const ended = service.end('SIGTERM');
  for (const { answered, sending } of [...lists, file]) {
    const { status, message } = await answered;
    sending.destroy();
    assert.equal(status, 503, service.output());
    assert.match(
      message,
      /^The service is stopping, and does not wait for the rest of the (?:list|file)\. Send it again under the same key\.$/,
    );
  }
  assert.equal(await ended, 0);
  assert.deepEqual(await statuses(), ['failed', 'failed']);
  assert.doesNotMatch(service.output(), /Cannot use a pool/);
  assert.match(service.output(), /"uploads":2,.*the stop ended uploads of operators/);
  assert.match(service.output(), /"uploads":1,.*the stop ended uploads of partners/);
});

test('a Ctrl-C, which ends every process, replaces none while a request of an operator is under way', HANG_LIMIT, async () => {
  const { databaseUrl } = await testDatabase();
  const operationsPort = await freePort();
  const env = { OPERATIONS_PORT: String(operationsPort), LOG_LEVEL: 'warn' };
  const service = await spawnService(databaseUrl, env, ['--processes', '2']);
  const readiness = async () => (await fetch(`http://127.0.0.1:${operationsPort}/readyz`)).text();
  assert.equal(await readiness(), 'ready\n');
  const upload = beginUpload(operationsPort, '/operator/v1/sessions', {
    'content-type': 'application/json',
    'content-length': '100',
  });
  upload.sending.on('error', () => {});
  await waitFor('connection', () => upload.sending.socket?.bytesWritten);
  const { pid } = service.process;
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const ended = service.end('SIGTERM');
  for (const worker of workers) process.kill(worker, 'SIGTERM');
  await waitFor('words about the stop', async () => /the service is stopping/.test(await readiness()), readiness);
  assert.equal(await ended, 0);
  assert.doesNotMatch(service.output(), /is replaced/);
});
