/** A request that began before its sender lost the session, the role or the account, and whose body, or answer, comes after that. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { changeOperatorRole, disableOperator, resetSignIn } from '../../src/operations/access/manage-operator.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';
import { closeNow, insertLines, LINES_UNREAD, newSettledPartner } from '../support/settlements.ts';

const service = await testService();
const { database, operationsPort } = service;

/** The service has judged the session when the first byte of the body is on its way. */
async function begin({ cookie, csrfToken }: SignedInOperator, method: string, path: string, length: number, type: string) {
  const { pool } = database;
  const sent = request({
    host: '127.0.0.1',
    port: operationsPort,
    method,
    path,
    headers: {
      host: `localhost:${operationsPort}`,
      cookie,
      'x-csrf-token': csrfToken,
      'content-type': type,
      'content-length': length,
      'idempotency-key': uniqueId('key'),
    },
  });
  const judged = () =>
    pool.query('select 1 from operator_credential where credential_id = $1 and last_used_at is not null', [idOf(cookie)]);
  await pool.query('update operator_credential set last_used_at = null where credential_id = $1', [idOf(cookie)]);
  sent.flushHeaders();
  await waitFor('use of the session', async () => (await judged()).rows.length > 0);
  return sent;
}

const idOf = (cookie: string) => /pi_session_(.{12})/.exec(cookie)?.[1];

async function end(sent: ClientRequest, body: string): Promise<{ status: number | undefined; said: string }> {
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, said: await text(answer) };
}

for (const [what, lose, status] of [
  ['was disabled', (operatorId: string) => disableOperator(database, OWNER, operatorId), 401],
  ['got a lower role', (operatorId: string) => changeOperatorRole(database, OWNER, operatorId, 'approver'), 403],
  ['was signed out by a reset', (operatorId: string) => resetSignIn(database, OWNER, operatorId), 401],
] as const)
  test(`of an admin who ${what} makes no account`, async () => {
    const admin = await signedInOperator(service, 'admin');
    const email = `${uniqueId('second').toLowerCase()}@example.org`;
    const account = JSON.stringify({ name: 'Second account', email, role: 'admin' });
    const sent = await begin(admin, 'POST', '/operator/v1/operators', account.length, 'application/json');
    await lose(admin.operatorId);
    assert.equal((await end(sent, account)).status, status);
    const { rows } = await database.pool.query('select 1 from operator where email = $1', [email]);
    assert.deepEqual(rows, []);
  });

test('of an operator who was disabled while the evidence arrives adds none', async () => {
  const operator = await signedInOperator(service, 'operator');
  const path = `/operator/v1/impact-batches/none/evidence?${new URLSearchParams({
    file_name: 'photo.jpg',
    type: 'photo',
    url: 'https://example.org/photo.jpg',
    sha256: hash('sha256', 'abc'),
    captured_at: '2026-01-01T00:00:00.000Z',
  })}`;
  const sent = await begin(operator, 'POST', path, 3, 'application/octet-stream');
  sent.write('a');
  await disableOperator(database, OWNER, operator.operatorId);
  const { status, said } = await end(sent, 'bc');
  assert.equal(status, 401, said);
});

/** The service looks again at who takes a file after so long. */
const LOOKED_AGAIN_AFTER_MS = 4_100;

test('of a viewer who was disabled while a file is on its way gets no more of it, of a statement or of a list', async () => {
  const { partnerId } = await newSettledPartner(service);
  const { closed } = await closeNow(database, partnerId);
  await insertLines(database, closed, LINES_UNREAD);
  const viewer = await signedInOperator(service, 'viewer');
  const path = `/operator/v1/partners/${partnerId}/settlements/${closed.settlementId}`;
  const begun = await Promise.all(
    ['statement.csv?excel_safe=true', 'lines.csv'].map(async (file) => {
      const { cookie } = viewer;
      const headers = { host: `localhost:${operationsPort}`, cookie };
      const sent = request({ host: '127.0.0.1', port: operationsPort, path: `${path}/${file}`, headers }).end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      assert.equal(answer.statusCode, 200);
      await once(answer, 'readable');
      return answer;
    }),
  );
  await disableOperator(database, OWNER, viewer.operatorId);
  await sleep(LOOKED_AGAIN_AFTER_MS);
  for (const answer of begun) await assert.rejects(text(answer), { code: 'ECONNRESET' });
});
