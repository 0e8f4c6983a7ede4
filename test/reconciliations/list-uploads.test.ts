/**
 * How a partner's list is received: one that breaks off, one that is stopped, several at once (settlements, section 2). Large ones are in
 * `large-lists.test.ts`.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { revokeApiKey } from '../../src/operations/access/manage-api-key.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { SERVICE_ROLES } from '../../src/service/role.ts';
import { updateReconciliationBrokenOff } from '../../src/store/reconciliations/reconciliation.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import {
  HEADER,
  type Listed,
  linesOf,
  newReconciledPartner,
  openUpload,
  type ReconciledPartner,
  sendList,
  toCsv,
  untilEnded,
} from '../support/reconciliations/partner-lists.ts';
import { spawnService, testService } from '../support/service.ts';

const service = await testService({ roles: SERVICE_ROLES });
const { database } = service;
const withSettlements = (count?: number) => newReconciledPartner(service, count);

describe('an upload that broke off frees its key, because nothing was answered for it', HANG_LIMIT, () => {
  const rowsOf = async ({ partnerId }: ReconciledPartner) =>
    (
      await database.pool.query(
        'select reconciliation_id as id, status, idempotency_key as key from reconciliation where partner_id = $1 order by 1',
        [partnerId],
      )
    ).rows;

  /** Sends the beginning of a list, and comes back when the service has begun with it. */
  async function begin(of: ReconciledPartner, key: string, lines: readonly Listed[] = []) {
    const request = openUpload(of, { key });
    const status = new Promise<number | undefined>((resolve) => {
      request.on('response', (response) => resolve(response.resume().statusCode));
      request.on('error', () => resolve(undefined));
    });
    request.write(toCsv(lines));
    await waitFor('list under the key that is received', async () =>
      (await rowsOf(of)).some((row) => row.status === 'receiving' && row.key === key),
    );
    return { request, status };
  }

  test('the retry with the same key and body is received and compared, and replays from then on', async () => {
    const of = await withSettlements(3);
    const headers = { 'idempotency-key': uniqueId('key') };
    const cut = await begin(of, headers['idempotency-key'], of.sent.slice(0, 1));
    cut.request.destroy();
    await waitFor('list that failed', async () => (await rowsOf(of))[0]?.status === 'failed');
    const answer = await sendList(of.client, of.path, toCsv(of.sent), headers);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
    const { status, counts } = (await untilEnded(of.client, answer)).body.reconciliation;
    assert.deepEqual([status, counts.matched, counts.duplicate_in_file], ['done', 3n, 0n]);
    const replay = await sendList(of.client, of.path, toCsv(of.sent), headers);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [202, 'true']);
    assert.equal(replay.body.reconciliation.reconciliation_id, answer.body.reconciliation.reconciliation_id);
    const [failed, done] = await rowsOf(of);
    assert.deepEqual([failed.status, failed.key, done.status, done.key], ['failed', null, 'done', headers['idempotency-key']]);
  });

  test('while the list is still coming, a retry with its key waits: the first is neither lost nor mixed with it', async () => {
    const of = await withSettlements(3);
    const headers = { 'idempotency-key': uniqueId('key') };
    const slow = await begin(of, headers['idempotency-key']);
    const retry = await sendList(of.client, of.path, toCsv(of.sent), headers);
    assertError(retry, 'rate_limited');
    assert.match(retry.body.error.message, /still receiving the list with this Idempotency-Key/);
    assert.ok(Number(retry.headers.get('retry-after')) > 0);
    slow.request.end(toCsv(of.sent).slice(HEADER.length));
    assert.equal(await slow.status, 202);
    const replay = await sendList(of.client, of.path, toCsv(of.sent), headers);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [202, 'true']);
    const { counts } = (await untilEnded(of.client, replay)).body.reconciliation;
    assert.deepEqual([counts.matched, counts.duplicate_in_file], [3n, 0n]);
    assert.equal((await rowsOf(of)).length, 1);
  });

  test('one that was given up and comes to life again is refused, and leaves the retry under its key alone', async () => {
    const of = await withSettlements(3);
    const headers = { 'idempotency-key': uniqueId('key') };
    const slow = await begin(of, headers['idempotency-key']);
    await database.pool.query("update reconciliation set lease_until = now() - interval '1 s' where partner_id = $1", [
      of.partnerId,
    ]);
    const answer = await sendList(of.client, of.path, toCsv(of.sent), headers);
    await untilEnded(of.client, answer);
    slow.request.end(toCsv(of.sent.slice(1)).slice(HEADER.length));
    assert.equal(await slow.status, 503);
    const { status, counts } = (await untilEnded(of.client, answer)).body.reconciliation;
    assert.deepEqual([status, counts.matched, counts.duplicate_in_file], ['done', 3n, 0n]);
    assert.equal((await linesOf(of.client, answer)).length, 3);
    assert.deepEqual(
      (await rowsOf(of)).map((row) => row.status),
      ['failed', 'done'],
    );
  });

  test('twenty retries at once: one is received, and all end with its answer', async () => {
    const of = await withSettlements(3);
    const headers = { 'idempotency-key': uniqueId('key') };
    const cut = await begin(of, headers['idempotency-key']);
    cut.request.destroy();
    await waitFor('list that failed', async () => (await rowsOf(of))[0]?.status === 'failed');
    const untilTaken = () =>
      waitFor('answer but 429', async () => {
        const answer = await sendList(of.client, of.path, toCsv(of.sent), headers);
        return answer.status !== 429 && answer;
      });
    const answers = await Promise.all(Array.from({ length: 20 }, untilTaken));
    assert.equal(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null).length, 1);
    assert.equal(new Set(answers.map(({ body }) => body.reconciliation.reconciliation_id)).size, 1);
    assert.equal((await rowsOf(of)).length, 2);
  });

  test('a list that came whole keeps its key, also where its receiver did not hear that it is recorded', async () => {
    const of = await withSettlements(1);
    const key = uniqueId('key');
    await database.pool.query(
      `insert into reconciliation (partner_id, reconciliation_id, settlement_id, idempotency_key, format, status, fingerprint, lease_until,
        created_at) values ($1, 'rec_came-whole', $2, $3, 'csv', 'comparing', sha256('x'), now() + interval '1 minute', now())`,
      [of.partnerId, of.closed.settlementId, key],
    );
    await updateReconciliationBrokenOff(database.pool, { partnerId: of.partnerId, reconciliationId: 'rec_came-whole' });
    assert.deepEqual(await rowsOf(of), [{ id: 'rec_came-whole', status: 'comparing', key }]);
  });
});

describe('a partner that is suspended, or whose key is revoked', HANG_LIMIT, () => {
  /** The beginning of a list under a key, and the answer once its sender has sent the rest. */
  async function beginList(of: ReconciledPartner) {
    const request = openUpload(of);
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    request.write(HEADER);
    await waitFor('list that is received', async () => (await statusesOf(of.partnerId)).length > 0);
    return {
      async end(lines: readonly Listed[]) {
        request.end(toCsv(lines).slice(HEADER.length));
        const [response] = await answered;
        return { status: response.statusCode, code: JSON.parse(await text(response)).error?.code };
      },
    };
  }
  const statusesOf = async (partnerId: string) =>
    (await database.pool.query('select status from reconciliation where partner_id = $1', [partnerId])).rows.map(
      ({ status }) => status,
    );

  test('partner_suspended: no reconciliation begins; what is recorded replays and stays readable', async () => {
    const { client, path, partnerId, sent } = await withSettlements(2);
    const headers = { 'idempotency-key': uniqueId('key') };
    const recorded = await sendList(client, path, toCsv(sent), headers);
    await untilEnded(client, recorded);
    await suspendPartner(database, OWNER, partnerId);
    await waitFor('refusal', async () => (await client.estimate()).status === 403);
    const refused = await sendList(client, path, toCsv(sent));
    assertError(refused, 'partner_suspended');
    const replay = await sendList(client, path, toCsv(sent), headers);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [202, 'true']);
    assert.equal((await linesOf(client, recorded)).length, 2);
    assert.deepEqual(await statusesOf(partnerId), ['done']);
  });

  test('a list that is under way when the partner is suspended is not recorded', async () => {
    const of = await withSettlements(2);
    const list = await beginList(of);
    await suspendPartner(database, OWNER, of.partnerId);
    await waitFor('refusal', async () => (await of.client.estimate()).status === 403);
    assert.deepEqual(await list.end(of.sent), { status: 403, code: 'partner_suspended' });
    assert.deepEqual(await statusesOf(of.partnerId), ['failed']);
  });

  for (const [what, end] of [
    ['the key of its sender is revoked', ({ keyId }: ReconciledPartner) => revokeApiKey(database, OWNER, keyId)],
    ['its partner is suspended', ({ partnerId }: ReconciledPartner) => suspendPartner(database, OWNER, partnerId)],
  ] as const)
    test(`the rest of a refused list is taken no longer once ${what}`, async () => {
      const of = await withSettlements(1);
      const request = openUpload(of);
      const answered = once(request, 'response') as Promise<[IncomingMessage]>;
      request.write('no column');
      await waitFor('list that is received', async () => (await statusesOf(of.partnerId)).length > 0);
      await end(of);
      request.write('\n');
      // More often than a pause ends the rest.
      const sending = setInterval(() => request.write('x,1\n'), 200);
      const [{ headers }] = await answered;
      clearInterval(sending);
      assert.equal(headers.connection, 'close');
      request.destroy();
    });

  test('a list that is under way when its key is revoked is not recorded', async () => {
    const of = await withSettlements(2);
    const list = await beginList(of);
    await revokeApiKey(database, OWNER, of.keyId);
    await waitFor('refusal', async () => (await of.client.listEvents()).status === 401);
    assert.deepEqual(await list.end(of.sent), { status: 401, code: 'unauthorized' });
    assert.deepEqual(await statusesOf(of.partnerId), ['failed']);
  });
});

describe('uploads of one partner', HANG_LIMIT, () => {
  test('one at a time for each partner: rate_limited, with Retry-After; one whose sender is gone ends as failed', async () => {
    const { client, path, partnerId, closed, sent } = await withSettlements();
    const slow = openUpload({ client, path });
    slow.write(HEADER);
    const statusOf = async () =>
      (
        await database.pool.query('select status from reconciliation where partner_id = $1 order by reconciliation_id', [
          partnerId,
        ])
      ).rows;
    await waitFor('list that is received', async () => (await statusOf()).length > 0);
    const refused = await sendList(client, path, toCsv(sent));
    assertError(refused, 'rate_limited');
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    slow.destroy();
    await waitFor('list that failed', async () => (await statusOf())[0]?.status === 'failed');
    assert.equal((await untilEnded(client, await sendList(client, path, toCsv(sent)))).body.reconciliation.status, 'done');
    assert.equal(closed.status, 'closed');
  });

  test('two are under way at most, whatever their keys; another partner sends its list meanwhile', async () => {
    const of = await withSettlements(1);
    const other = await withSettlements(1);
    const key = uniqueId('key');
    await untilEnded(of.client, await sendList(of.client, of.path, toCsv(of.sent), { 'idempotency-key': key }));
    const replays = Array.from({ length: 3 }, () => {
      const request = openUpload(of, { key });
      request.write(HEADER);
      return request;
    });
    // Two are read on and on; the third is answered.
    const [response] = (await Promise.race(replays.map((request) => once(request, 'response')))) as [IncomingMessage];
    assert.equal(response.statusCode, 429);
    const refused = await sendList(of.client, of.path, toCsv(of.sent));
    assertError(refused, 'rate_limited');
    assert.match(refused.body.error.message, /^2 lists of this partner are in transfer\. Wait/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await untilEnded(other.client, await sendList(other.client, other.path, toCsv(other.sent)))).status, 200);
    for (const request of replays) request.destroy();
    await waitFor('list that is taken', async () => (await sendList(of.client, of.path, toCsv(of.sent))).status === 202);
  });
});

test('a sender that leaves in the midst is no error of the service', HANG_LIMIT, async () => {
  const { client, path, partnerId } = await withSettlements();
  const { baseUrl, output } = await spawnService(service.databaseUrl, { LOG_LEVEL: 'info' }, ['--roles', 'api']);
  const cut = openUpload({ client, path }, { baseUrl });
  cut.write(HEADER);
  const statusOf = async () =>
    (await database.pool.query('select status from reconciliation where partner_id = $1', [partnerId])).rows[0]?.status;
  await waitFor('list that is received', async () => (await statusOf()) === 'receiving');
  cut.destroy();
  await waitFor('list that failed', async () => (await statusOf()) === 'failed');
  await waitFor('line about its request', () => output().includes('"reconcileSettlement"'));
  await sleep(100);
  assert.doesNotMatch(output(), /unexpected error/);
});
