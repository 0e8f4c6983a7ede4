/** Reconciliation: settlements, section 2. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIST_LIMITS } from '../../src/domain/reconciliations/partner-list.ts';
import { revokeApiKey } from '../../src/operations/access/manage-api-key.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { removeOldReconciliations } from '../../src/operations/reconciliations/reconcile-settlement.ts';
import { SERVICE_ROLES } from '../../src/service/role.ts';
import { updateBrokenOff } from '../../src/store/reconciliations/reconciliation.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, type Client, detailCodes, newConfirmation, toJson, uniqueId } from '../support/client.ts';
import { document, listMisfits } from '../support/published.ts';
import { spawnService, testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';

const service = await testService({ roles: SERVICE_ROLES });
const { database } = service;
interface Listed {
  partner_event_id: string;
  partner_order_ref: string;
  points: number | bigint;
}

/** A partner with two closed settlements, and what it sent. */
async function withSettlements(count = 5) {
  const { partner, client, key } = await service.newPartner();
  const { partnerId } = partner;
  await openFirst(database, partner);
  const confirm = async (): Promise<Listed> => {
    const sent = newConfirmation();
    await client.confirm(sent);
    return sent;
  };
  const earlier = await confirm();
  await closeNow(database, partnerId);
  const sent: Listed[] = [];
  for (let each = 0; each < count; each++) sent.push(await confirm());
  const { closed, opened } = await closeNow(database, partnerId);
  return {
    partnerId,
    keyId: key.key.keyId,
    client,
    earlier,
    sent,
    closed,
    opened,
    path: `/v1/settlements/${closed.settlementId}`,
  };
}

const HEADER = 'partner_event_id,partner_order_ref,points\n';
const toCsv = (lines: readonly Listed[]) =>
  HEADER + lines.map((line) => `${line.partner_event_id},${line.partner_order_ref},${line.points}\n`).join('');

function send(client: Client, path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const all = { 'content-type': 'text/csv', 'idempotency-key': uniqueId('key'), ...headers };
  return client.call(`${path}/reconciliations`, { method: 'POST', body, headers: all });
}

/** Waits for the end of a job; the test's own time-out ends it. */
async function untilEnded(client: Client, answer: Answer): Promise<Answer> {
  assert.equal(answer.status, 202, answer.text);
  for (;;) {
    const found = await client.call(answer.headers.get('location') as string);
    if (found.body.reconciliation.ended_at !== null) return found;
    await sleep(20);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of a line
async function linesOf(client: Client, answer: Answer, query = ''): Promise<any[]> {
  const page = await client.call(`${answer.headers.get('location')}/lines${query}`);
  const { schema } =
    document.paths['/v1/settlements/{settlement_id}/reconciliations/{reconciliation_id}/lines'].get.responses['200'].content[
      'application/json'
    ];
  assert.equal(listMisfits(schema, JSON.parse(page.text)), '');
  return page.body.lines;
}

describe('verdicts', HANG_LIMIT, () => {
  test('a list that a spreadsheet saved in UTF-16 is compared, whether its charset is named or not', async () => {
    const { client, path, sent } = await withSettlements(2);
    const list = Buffer.from(`\ufeff${toCsv(sent).replaceAll(',', '\t')}`, 'utf16le');
    for (const type of ['text/csv', 'text/csv; charset=UTF-16', 'text/csv;charset="utf-16le"']) {
      const ended = await untilEnded(client, await send(client, path, list, { 'content-type': type }));
      assert.equal(ended.body.reconciliation.counts.matched, 2n, type);
    }
  });

  test('each, told line by line, with counts; malformed lines have their number and the rest is compared', async () => {
    const { client, path, earlier, sent } = await withSettlements(6);
    const [same, morePoints, otherOrder, twice, absent, ...rest] = sent as [Listed, Listed, Listed, Listed, Listed, ...Listed[]];
    const unknown = { partner_event_id: 'event-of-nobody', partner_order_ref: 'order-of-nobody', points: 5 };
    const lines = [
      same,
      { ...morePoints, points: 251 },
      { ...otherOrder, partner_order_ref: 'x' },
      twice,
      twice,
      earlier,
      unknown,
    ];
    const list = `${toCsv([...lines, ...rest])}short,order,-1\n`;
    const answer = await send(client, path, list);
    const ended = await untilEnded(client, answer);
    const { schema } =
      document.paths['/v1/settlements/{settlement_id}/reconciliations/{reconciliation_id}'].get.responses['200'].content[
        'application/json'
      ];
    assert.equal(listMisfits(schema, JSON.parse(ended.text)), '');
    const { counts, status, listed_lines } = ended.body.reconciliation;
    assert.deepEqual([status, listed_lines], ['done', 9n]);
    assert.deepEqual(counts, {
      matched: 3n,
      missing_in_service: 1n,
      missing_in_partner_file: 1n,
      points_mismatch: 1n,
      order_ref_mismatch: 1n,
      duplicate_in_file: 1n,
      other_settlement: 1n,
      malformed: 1n,
    });
    const all = await linesOf(client, answer);
    assert.deepEqual(
      all.map(({ line_no, verdict }) => `${line_no} ${verdict}`),
      [
        ...['2 matched', '3 points_mismatch', '4 order_ref_mismatch', '5 matched', '6 duplicate_in_file', '7 other_settlement'],
        ...['8 missing_in_service', '9 matched', '10 malformed', 'null missing_in_partner_file'],
      ],
    );
    assert.equal(all.at(-1).partner_event_id, absent.partner_event_id);
    assert.deepEqual(
      all[8].details.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`),
      ['partner_event_id wrong_form', 'points wrong_form'],
    );
    assert.deepEqual([all[1].points, all[1].recorded_points], [251n, 250n]);
  });

  test('missing_in_service: look up, then retry; never restore points', async () => {
    const { client, path } = await withSettlements(1);
    const answer = await send(client, path, toCsv([newConfirmation()]));
    await untilEnded(client, answer);
    const [line, ...more] = await linesOf(client, answer, '?verdict=missing_in_service');
    assert.equal(more.length, 0);
    assert.deepEqual(
      line.details.map(({ field, code }: { field: string; code: string }) => [field, code]),
      [
        ['point_restoration', 'not_authorized'],
        ['next_action', 'retry_same_request'],
      ],
    );
  });

  test('JSON, exact over int64, page by page by verdict', async () => {
    const { client, path, sent } = await withSettlements(5);
    const list = toJson([...sent, { ...(sent[0] as Listed), points: 9_223_372_036_854_775_807n }, 7]);
    const answer = await send(client, path, list, { 'content-type': 'application/json' });
    const { counts } = (await untilEnded(client, answer)).body.reconciliation;
    assert.deepEqual([counts.matched, counts.duplicate_in_file, counts.malformed], [5n, 1n, 1n]);
    const [twice] = await linesOf(client, answer, '?verdict=duplicate_in_file');
    assert.equal(twice.points, 9_223_372_036_854_775_807n);
    const two = await linesOf(client, answer, '?verdict=matched&limit=2');
    const next = await linesOf(client, answer, `?verdict=matched&limit=2&after=${two[1].position}`);
    assert.deepEqual(
      [...two, ...next].map(({ line_no }) => line_no),
      [1n, 2n, 3n, 4n],
    );
  });

  test('a list of many batches names an event of an earlier batch as a duplicate', async () => {
    const { client, path, sent } = await withSettlements(1);
    const others = Array.from({ length: 1_500 }, newConfirmation);
    const answer = await send(client, path, toCsv([...sent, ...others, ...sent]));
    const { counts } = (await untilEnded(client, answer)).body.reconciliation;
    assert.deepEqual([counts.matched, counts.duplicate_in_file, counts.missing_in_service], [1n, 1n, 1_500n]);
  });
});

describe('the job', HANG_LIMIT, () => {
  test('202 with its path, as the document says; a replay gives the same, another list is a conflict', async () => {
    const { client, path, sent } = await withSettlements();
    const headers = { 'idempotency-key': uniqueId('key') };
    const answer = await send(client, path, toCsv(sent), headers);
    const { schema } =
      document.paths['/v1/settlements/{settlement_id}/reconciliations'].post.responses['202'].content['application/json'];
    assert.equal(listMisfits(schema, JSON.parse(answer.text)), '');
    assert.equal(answer.headers.get('location'), answer.body.reconciliation.path);
    await untilEnded(client, answer);
    const replay = await send(client, path, toCsv(sent), headers);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [202, 'true']);
    assert.equal(replay.body.reconciliation.reconciliation_id, answer.body.reconciliation.reconciliation_id);
    const conflict = await send(client, path, HEADER, headers);
    assertError(conflict, 'idempotency_conflict');
  });

  test('one at a time for each partner: rate_limited, with Retry-After; one whose sender is gone ends as failed', async () => {
    const { client, path, partnerId, closed, sent } = await withSettlements();
    const slow = httpRequest(`${service.baseUrl}${path}/reconciliations`, {
      method: 'POST',
      headers: { 'x-api-key': client.apiKey, 'content-type': 'text/csv', 'idempotency-key': uniqueId('key') },
    });
    slow.on('error', () => {});
    slow.write(HEADER);
    const statusOf = async () =>
      (
        await database.pool.query('select status from reconciliation where partner_id = $1 order by reconciliation_id', [
          partnerId,
        ])
      ).rows;
    while ((await statusOf()).length === 0) await sleep(10);
    const refused = await send(client, path, toCsv(sent));
    assertError(refused, 'rate_limited');
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    slow.destroy();
    while ((await statusOf())[0]?.status !== 'failed') await sleep(10);
    assert.equal((await untilEnded(client, await send(client, path, toCsv(sent)))).body.reconciliation.status, 'done');
    assert.equal(closed.status, 'closed');
  });

  test('a sender that leaves in the midst is no error of the service', async () => {
    const { client, path, partnerId } = await withSettlements();
    const { baseUrl, output } = await spawnService(service.databaseUrl, { LOG_LEVEL: 'info' }, ['--roles', 'api']);
    const cut = httpRequest(`${baseUrl}${path}/reconciliations`, {
      method: 'POST',
      headers: { 'x-api-key': client.apiKey, 'content-type': 'text/csv', 'idempotency-key': uniqueId('key') },
    });
    cut.on('error', () => {});
    cut.write(HEADER);
    const statusOf = async () =>
      (await database.pool.query('select status from reconciliation where partner_id = $1', [partnerId])).rows[0]?.status;
    while ((await statusOf()) !== 'receiving') await sleep(10);
    cut.destroy();
    while ((await statusOf()) !== 'failed' || !output().includes('"reconcileSettlement"')) await sleep(10);
    await sleep(100);
    assert.doesNotMatch(output(), /unexpected error/);
  });

  test('what a process left behind is taken up again where it stopped, or ends with a clear status', async () => {
    const { client, path, partnerId, closed } = await withSettlements(3);
    const insert = (id: string, status: string) =>
      database.pool.query(
        `insert into reconciliation (partner_id, reconciliation_id, settlement_id, idempotency_key, format, status, compared_through,
          lease_until, created_at) values ($1, $2, $3, $2, 'csv', $4, 1, now() - interval '1 minute', now())`,
        [partnerId, id, closed.settlementId, status],
      );
    const end = async (id: string) => {
      for (;;) {
        const { reconciliation } = (await client.call(`${path}/reconciliations/${id}`)).body;
        if (reconciliation.ended_at) return reconciliation;
        await completeReconciliations(database, new AbortController().signal);
      }
    };
    await insert('rec_comparing-1', 'comparing');
    const done = await end('rec_comparing-1');
    assert.deepEqual([done.status, done.counts.missing_in_partner_file, done.compared_settlement_lines], ['done', 2n, 3n]);
    await insert('rec_receiving-1', 'receiving');
    const failed = await end('rec_receiving-1');
    assert.equal(failed.status, 'failed');
    assert.match(failed.problem, /^The list did not come to its end\. Send it again/);
  });

  test("what a process left behind of another partner's list stops no list, also while it cannot be ended", async () => {
    const { client, path, sent } = await withSettlements(1);
    const other = await withSettlements(1);
    const insert = `insert into reconciliation (partner_id, reconciliation_id, settlement_id, idempotency_key, format, status, lease_until,
      created_at) values ($1, 'rec_left', $2, 'left', 'csv', 'receiving', now() + interval '1 s', now())`;
    const holder = await database.pool.connect();
    await holder.query(insert, [other.partnerId, other.closed.settlementId]);
    await holder.query('begin');
    await holder.query('select from reconciliation where partner_id = $1 for update', [other.partnerId]);
    try {
      const isOver = 'select from reconciliation where partner_id = $1 and lease_until < now()';
      await waitFor('the end of the lease', async () => (await database.pool.query(isOver, [other.partnerId])).rowCount === 1);
      const answer = await send(client, path, toCsv(sent));
      await holder.query('rollback');
      await untilEnded(client, answer);
    } finally {
      holder.release(true);
    }
  });

  test('after 30 days the lines are removed, and the counts are kept', async () => {
    const { client, path, partnerId, sent } = await withSettlements(2);
    const answer = await send(client, path, toCsv(sent));
    await untilEnded(client, answer);
    await database.pool.query("update reconciliation set ended_at = now() - interval '31 days' where partner_id = $1", [
      partnerId,
    ]);
    assert.equal(await removeOldReconciliations(database, 30, new AbortController().signal), 2);
    assert.deepEqual(await linesOf(client, answer), []);
    const { reconciliation } = (await client.call(answer.headers.get('location') as string)).body;
    assert.ok(reconciliation.lines_removed_at);
    assert.equal(reconciliation.counts.matched, 2n);
  });
});

describe('an upload that broke off frees its key, because nothing was answered for it', HANG_LIMIT, () => {
  type Sent = Awaited<ReturnType<typeof withSettlements>>;
  const rowsOf = async ({ partnerId }: Sent) =>
    (
      await database.pool.query(
        'select reconciliation_id as id, status, idempotency_key as key from reconciliation where partner_id = $1 order by 1',
        [partnerId],
      )
    ).rows;

  /** Sends the beginning of a list, and comes back when the service has begun with it. */
  async function begin(of: Sent, key: string, lines: readonly Listed[] = []) {
    const request = httpRequest(`${service.baseUrl}${of.path}/reconciliations`, {
      method: 'POST',
      headers: { 'x-api-key': of.client.apiKey, 'content-type': 'text/csv', 'idempotency-key': key },
    });
    const status = new Promise<number | undefined>((resolve) => {
      request.on('response', (response) => resolve(response.resume().statusCode));
      request.on('error', () => resolve(undefined));
    });
    request.write(toCsv(lines));
    while (!(await rowsOf(of)).some((row) => row.status === 'receiving' && row.key === key)) await sleep(10);
    return { request, status };
  }

  test('the retry with the same key and body is received and compared, and replays from then on', async () => {
    const of = await withSettlements(3);
    const headers = { 'idempotency-key': uniqueId('key') };
    const cut = await begin(of, headers['idempotency-key'], of.sent.slice(0, 1));
    cut.request.destroy();
    while ((await rowsOf(of))[0]?.status !== 'failed') await sleep(10);
    const answer = await send(of.client, of.path, toCsv(of.sent), headers);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
    const { status, counts } = (await untilEnded(of.client, answer)).body.reconciliation;
    assert.deepEqual([status, counts.matched, counts.duplicate_in_file], ['done', 3n, 0n]);
    const replay = await send(of.client, of.path, toCsv(of.sent), headers);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [202, 'true']);
    assert.equal(replay.body.reconciliation.reconciliation_id, answer.body.reconciliation.reconciliation_id);
    const [failed, done] = await rowsOf(of);
    assert.deepEqual([failed.status, failed.key, done.status, done.key], ['failed', null, 'done', headers['idempotency-key']]);
  });

  test('while the list is still coming, a retry with its key waits: the first is neither lost nor mixed with it', async () => {
    const of = await withSettlements(3);
    const headers = { 'idempotency-key': uniqueId('key') };
    const slow = await begin(of, headers['idempotency-key']);
    const retry = await send(of.client, of.path, toCsv(of.sent), headers);
    assertError(retry, 'rate_limited');
    assert.match(retry.body.error.message, /still receiving the list with this Idempotency-Key/);
    assert.ok(Number(retry.headers.get('retry-after')) > 0);
    slow.request.end(toCsv(of.sent).slice(HEADER.length));
    assert.equal(await slow.status, 202);
    const replay = await send(of.client, of.path, toCsv(of.sent), headers);
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
    const answer = await send(of.client, of.path, toCsv(of.sent), headers);
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
    while ((await rowsOf(of))[0]?.status !== 'failed') await sleep(10);
    const untilTaken = async () => {
      for (;;) {
        const answer = await send(of.client, of.path, toCsv(of.sent), headers);
        if (answer.status !== 429) return answer;
        await sleep(20);
      }
    };
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
    await updateBrokenOff(database.pool, { partnerId: of.partnerId, reconciliationId: 'rec_came-whole' });
    assert.deepEqual(await rowsOf(of), [{ id: 'rec_came-whole', status: 'comparing', key }]);
  });
});

describe('a partner that is suspended, or whose key is revoked', HANG_LIMIT, () => {
  /** The beginning of a list under a key, and the answer once its sender has sent the rest. */
  async function beginList({ client, path, partnerId }: Awaited<ReturnType<typeof withSettlements>>) {
    const headers = { 'x-api-key': client.apiKey, 'content-type': 'text/csv', 'idempotency-key': uniqueId('key') };
    const request = httpRequest(`${service.baseUrl}${path}/reconciliations`, { method: 'POST', headers });
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    request.write(HEADER);
    while ((await statusesOf(partnerId)).length === 0) await sleep(10);
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
    const recorded = await send(client, path, toCsv(sent), headers);
    await untilEnded(client, recorded);
    await suspendPartner(database, OWNER, partnerId);
    while ((await client.estimate()).status !== 403) await sleep(50);
    const refused = await send(client, path, toCsv(sent));
    assertError(refused, 'partner_suspended');
    const replay = await send(client, path, toCsv(sent), headers);
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [202, 'true']);
    assert.equal((await linesOf(client, recorded)).length, 2);
    assert.deepEqual(await statusesOf(partnerId), ['done']);
  });

  test('a list that is under way when the partner is suspended is not recorded', async () => {
    const of = await withSettlements(2);
    const list = await beginList(of);
    await suspendPartner(database, OWNER, of.partnerId);
    while ((await of.client.estimate()).status !== 403) await sleep(50);
    assert.deepEqual(await list.end(of.sent), { status: 403, code: 'partner_suspended' });
    assert.deepEqual(await statusesOf(of.partnerId), ['failed']);
  });

  test('a list that is under way when its key is revoked is not recorded', async () => {
    const of = await withSettlements(2);
    const list = await beginList(of);
    await revokeApiKey(database, OWNER, of.keyId);
    while ((await of.client.listEvents()).status !== 401) await sleep(50);
    assert.deepEqual(await list.end(of.sent), { status: 401, code: 'unauthorized' });
    assert.deepEqual(await statusesOf(of.partnerId), ['failed']);
  });
});

describe('uploads of one partner', HANG_LIMIT, () => {
  test('two are under way at most, whatever their keys; another partner sends its list meanwhile', async () => {
    const of = await withSettlements(1);
    const other = await withSettlements(1);
    const headers = { 'content-type': 'text/csv', 'x-api-key': of.client.apiKey, 'idempotency-key': uniqueId('key') };
    await untilEnded(of.client, await send(of.client, of.path, toCsv(of.sent), headers));
    const replays = Array.from({ length: 3 }, () => {
      const request = httpRequest(`${service.baseUrl}${of.path}/reconciliations`, { method: 'POST', headers });
      request.on('error', () => {});
      request.write(HEADER);
      return request;
    });
    // Two are read on and on; the third is answered.
    const [response] = (await Promise.race(replays.map((request) => once(request, 'response')))) as [IncomingMessage];
    assert.equal(response.statusCode, 429);
    const refused = await send(of.client, of.path, toCsv(of.sent));
    assertError(refused, 'rate_limited');
    assert.match(refused.body.error.message, /^2 lists of this partner are in transfer\. Wait/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await untilEnded(other.client, await send(other.client, other.path, toCsv(other.sent)))).status, 200);
    for (const request of replays) request.destroy();
    while ((await send(of.client, of.path, toCsv(of.sent))).status !== 202) await sleep(20);
  });

  test('a replayed key reads no more bytes than a list may have', async () => {
    const of = await withSettlements(1);
    const headers = { 'content-type': 'text/csv', 'x-api-key': of.client.apiKey, 'idempotency-key': uniqueId('key') };
    await untilEnded(of.client, await send(of.client, of.path, toCsv(of.sent), headers));
    const request = httpRequest(`${service.baseUrl}${of.path}/reconciliations`, { method: 'POST', headers });
    request.on('error', () => {});
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    const megabyte = Buffer.alloc(1 << 20, '\n');
    for (let sent = 0; sent <= LIST_LIMITS.bytes; sent += megabyte.length)
      await new Promise((resolve) => request.write(megabyte, resolve));
    const [response] = await answered;
    assert.equal(response.statusCode, 413);
    assert.equal(JSON.parse(await text(response)).error.details[0].code, 'too_many_bytes');
    request.destroy();
  });
});

describe('a list costs a bounded amount of work', HANG_LIMIT, () => {
  const MEGABYTE = 1_000_000;

  for (const [name, list, code] of [
    ['blank lines', HEADER + '\n'.repeat(MEGABYTE), 'too_many_blank_lines'],
    ['malformed rows', HEADER + 'x\n'.repeat(MEGABYTE / 2), 'too_many_malformed_lines'],
  ] as const) {
    test(`a megabyte of ${name} is refused by its form, others are answered meanwhile, and nothing is kept`, async () => {
      const { client, path, partnerId, sent } = await withSettlements(1);
      const { client: other } = await service.newPartner();
      const headers = { 'idempotency-key': uniqueId('key') };
      let isAnswered = false;
      const answer = send(client, path, list, headers).finally(() => {
        isAnswered = true;
      });
      let othersAnswers = 0;
      while (!isAnswered) {
        assert.equal((await other.findByEvent('event-of-nobody')).status, 404);
        othersAnswers++;
      }
      assert.ok(othersAnswers > 0);
      const { status, body } = await answer;
      assert.deepEqual([status, body.error.details?.[0]?.code], [400, code], body.error.message);
      for (const table of ['reconciliation', 'reconciliation_line']) {
        const { rows } = await database.pool.query(`select from ${table} where partner_id = $1`, [partnerId]);
        assert.equal(rows.length, 0, table);
      }
      assert.equal((await send(client, path, toCsv(sent), headers)).status, 202);
    });
  }
});

describe('refusals keep nothing and free the key', HANG_LIMIT, () => {
  test('a list that is malformed as a whole, another media type, an open settlement', async () => {
    const { client, path, partnerId, opened, sent } = await withSettlements(2);
    const headers = { 'idempotency-key': uniqueId('key') };
    const cases: [list: string, more: Record<string, string>, status: number, details: Record<string, string>][] = [
      ['partner_event_id,points\n', {}, 400, { list: 'missing_column' }],
      [`${toCsv(sent)}"open`, {}, 400, { list: 'open_quote' }],
      ['', {}, 400, { list: 'missing_column' }],
      ['{}', { 'content-type': 'application/json' }, 400, { list: 'not_an_array' }],
      ['[{"points":1}', { 'content-type': 'application/json' }, 400, { list: 'not_ended' }],
      [`${HEADER}${'x'.repeat(20_000)}\n`, {}, 400, { list: 'line_too_long' }],
      [HEADER, { 'content-type': 'text/plain' }, 415, {}],
      [HEADER, { 'content-encoding': 'gzip' }, 415, {}],
      [HEADER, { 'content-type': 'text/csv; charset=windows-1256' }, 415, {}],
      ['[]', { 'content-type': 'application/json; charset=utf-16' }, 415, {}],
    ];
    for (const [list, more, status, details] of cases) {
      const answer = await send(client, path, list, { ...headers, ...more });
      assert.deepEqual(
        [answer.status, answer.body.error.code, detailCodes(answer)],
        [status, 'invalid_request', details],
        list.slice(0, 40),
      );
    }
    const open = await send(client, `/v1/settlements/${opened.settlementId}`, HEADER, headers);
    assert.deepEqual([open.status, detailCodes(open)], [400, { settlement_id: 'settlement_open' }]);
    for (const table of ['reconciliation', 'reconciliation_line']) {
      const { rows } = await database.pool.query(`select from ${table} where partner_id = $1`, [partnerId]);
      assert.equal(rows.length, 0, table);
    }
    assert.equal((await send(client, path, toCsv(sent), headers)).status, 202);
  });

  test("unknown, ill formed, another settlement's and another partner's", async () => {
    const one = await withSettlements(1);
    const other = await withSettlements(1);
    const answer = await send(one.client, one.path, toCsv(one.sent));
    const { reconciliation_id: id } = (await untilEnded(one.client, answer)).body.reconciliation;
    for (const path of [`${one.path}/reconciliations/${id}`, `${other.path}/reconciliations/${id}`]) {
      for (const rest of ['', '/lines']) {
        const found = await other.client.call(path + rest);
        assert.deepEqual([found.status, detailCodes(found)], [404, { reconciliation_id: 'not_found' }]);
      }
    }
    assert.equal((await one.client.call(`${one.path}/reconciliations/%00`)).status, 404);
    const posted = await send(other.client, one.path, HEADER);
    assert.deepEqual([posted.status, detailCodes(posted)], [404, { settlement_id: 'not_found' }]);
    const wrong = await one.client.call(`${one.path}/reconciliations/${id}/lines?verdict=good&after=-1`);
    assert.deepEqual(detailCodes(wrong), { verdict: 'unsupported_value', after: 'wrong_form' });
  });
});
