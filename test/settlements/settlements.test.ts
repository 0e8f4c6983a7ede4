/** The partner paths of settlements: settlements, section 2. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { parseApiKey } from '../../src/domain/access/api-key.ts';
import { STATEMENT_HEADER } from '../../src/domain/settlements/statement/statement-columns.ts';
import { verifyStatement } from '../../src/domain/settlements/statement/verify-statement.ts';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { createReadSettlements, type SettlementPage } from '../../src/operations/settlements/read-settlements.ts';
import type { PricesOf } from '../../src/operations/settlements/settlement-tools.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Answer, Client, countByStatus, detailCodes, uniqueId } from '../support/client.ts';
import { document, listMisfits } from '../support/published.ts';
import { testService } from '../support/service.ts';
import { closeNow, insertLines, LINES_UNREAD, linesOf, newSettledPartner, priced } from '../support/settlements.ts';

const service = await testService();
const { database } = service;

const newPartner = () => newSettledPartner(service);

/** A partner with a closed settlement of so many contributions. */
async function withClosed(count = 3) {
  const made = await newPartner();
  await Promise.all(Array.from({ length: count }, () => made.client.confirm()));
  const { closed, opened } = await closeNow(database, made.partnerId);
  return { ...made, closed, opened, path: `/v1/settlements/${closed.settlementId}` };
}

/** What only a statement itself may have. */
const statementHeaders = ({ headers }: { readonly headers: Headers }) =>
  ['etag', 'repr-digest', 'content-disposition'].map((name) => headers.get(name));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function assertPublished(answer: Answer, path: string, method: 'get' | 'post' = 'get', status = 200): void {
  assert.equal(answer.status, status, answer.text);
  const { schema } = document.paths[path][method].responses[status].content['application/json'];
  assert.equal(listMisfits(schema, JSON.parse(answer.text)), '');
}

describe('listSettlements and getSettlement', () => {
  test('the latest first, page by page, as the document says', async () => {
    const { client, partnerId, open } = await newPartner();
    for (let count = 0; count < 4; count++) await closeNow(database, partnerId);
    const sequences: bigint[] = [];
    for (let before: bigint | null = 9_223_372_036_854_775_807n; before !== null; ) {
      const page: Answer = await client.call(`/v1/settlements?limit=2&before_sequence=${before}`);
      assertPublished(page, '/v1/settlements');
      sequences.push(...page.body.settlements.map(({ sequence }: { sequence: bigint }) => sequence));
      before = page.body.next_before_sequence;
    }
    assert.deepEqual(sequences, [5n, 4n, 3n, 2n, 1n]);
    const all = await client.call('/v1/settlements');
    assert.deepEqual([all.body.settlements.length, all.body.settlements.at(-1).settlement_id], [5, open.settlementId]);
  });

  test('an open one has the totals of the moment and says so; a closed one never changes', async () => {
    const { client, partnerId, open } = await newPartner();
    const path = `/v1/settlements/${open.settlementId}`;
    const empty = await client.call(path);
    assert.deepEqual([empty.body.settlement.contribution_count, empty.body.settlement.net_points], [0n, 0n]);
    await Promise.all([1, 2, 9_223_372_036_854_775_807n].map((points) => client.confirm({ points })));
    const now = await client.call(path);
    assertPublished(now, '/v1/settlements/{settlement_id}');
    const { settlement } = now.body;
    assert.deepEqual([settlement.contribution_count, settlement.gross_points], [3n, 9_223_372_036_854_775_810n]);
    assert.ok(settlement.as_of > settlement.created_at && settlement.statement === null && settlement.closed_at === null);
    await closeNow(database, partnerId);
    const closed = await client.call(path);
    assertPublished(closed, '/v1/settlements/{settlement_id}');
    assert.deepEqual([closed.body.settlement.status, closed.body.settlement.as_of], ['closed', null]);
    assert.deepEqual(closed.body.settlement.totals_by_version, settlement.totals_by_version);
    await client.confirm();
    assert.deepEqual((await client.call(path)).body.settlement, closed.body.settlement);
  });
});

test('a list that is read while a settlement is closed has the next one, which is open', async () => {
  const { partnerId, open } = await newPartner();
  let isClosed = false;
  // The prices are read between the list and the totals of the open settlement.
  const pricesOf: PricesOf = async (db, partner) => {
    if (!isClosed) {
      isClosed = true;
      await closeNow(database, partnerId);
    }
    return priced('0.01')(db, partner);
  };
  const { page } = createReadSettlements(database, pricesOf, { concurrency: 1 });
  const { settlements } = await page({ partnerId, beforeSequence: 2n ** 63n - 1n, limit: 10 });
  assert.deepEqual(
    settlements.map(({ settlement: { sequence, status } }) => [sequence, status]),
    [
      [2n, 'open'],
      [open.sequence, 'closed'],
    ],
  );
});

test('a partner whose month takes several turns to add up leaves the place to the others between them', async () => {
  const busy = await newPartner();
  for (let count = 0; count < 5; count++) await busy.client.confirm({ points: 10 });
  const { partnerId, closed } = await withClosed(1);
  const waits = { ...busy.open, partnerId: busy.partnerId };
  await waitFor('an event of each contribution', async () => {
    const { body } = await busy.client.listEvents();
    return body.events.filter(({ event_type: type }: { event_type: string }) => /confirmed/.test(type)).length === 5;
  });
  const turn = { eventsAtOnce: 1n, turnMs: 0 };
  const { byId, page } = createReadSettlements(database, priced('0.01'), { concurrency: 1 }, turn);
  const ended: string[] = [];
  const refused = async (read: Promise<unknown>) => {
    await assert.rejects(read, { code: 'internal_service_unavailable', message: /Send the request again/ });
    ended.push('busy');
  };
  const other = async () => {
    await byId({ partnerId, settlementId: closed.settlementId });
    ended.push('other');
  };
  await Promise.all([refused(byId(waits)), refused(byId(waits)), other()]);
  assert.deepEqual(ended, ['busy', 'other', 'busy']);
  const first = () => page({ partnerId: busy.partnerId, beforeSequence: 2n ** 63n - 1n, limit: 10 });
  await refused(first());
  let views: SettlementPage | undefined;
  await waitFor('answer after the last turn', async () => {
    views = await first().catch(() => undefined);
    return views !== undefined;
  });
  const [shown] = views?.settlements ?? [];
  assert.deepEqual([shown?.totals.contributionCount, shown?.totals.grossPoints], [5n, 50n]);
});

describe('listSettlementLines', () => {
  test('all lines in order, page by page, as the document says; none while open', async () => {
    const { client, closed, opened, path } = await withClosed(5);
    const numbers: bigint[] = [];
    for (let after = 0n, hasMore = true; hasMore; ) {
      const page = await client.call(`${path}/lines?limit=2&after_line=${after}`);
      assertPublished(page, '/v1/settlements/{settlement_id}/lines');
      numbers.push(...page.body.lines.map(({ line_no }: { line_no: bigint }) => line_no));
      ({ next_after_line: after, has_more: hasMore } = page.body);
    }
    assert.deepEqual(numbers, [1n, 2n, 3n, 4n, 5n]);
    const [line] = (await client.call(`${path}/lines`)).body.lines;
    const [stored] = await linesOf(database, closed);
    assert.deepEqual([line.transaction_id, line.points], [stored?.transactionId, stored?.points]);
    const none = await client.call(`/v1/settlements/${opened.settlementId}/lines`);
    assert.deepEqual([none.body.lines, none.body.has_more], [[], false]);
  });
});

describe('getSettlementStatement', () => {
  test('the same bytes every time, with their length, their digest and a name', async () => {
    const { client, closed, path } = await withClosed(30);
    const [one, two] = [await client.call(`${path}/statement.csv`), await client.call(`${path}/statement.csv`)];
    assert.equal(one.status, 200);
    assert.equal(one.text, two.text);
    assert.equal(sha256(one.text), closed.statement?.csvSha256);
    assert.equal(one.headers.get('content-length'), String(Buffer.byteLength(one.text)));
    assert.equal(one.headers.get('etag'), `"${closed.statement?.csvSha256}"`);
    assert.match(one.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
    assert.equal(
      one.headers.get('content-disposition'),
      `attachment; filename="statement-${closed.period.label}-${closed.settlementId}.csv"`,
    );
    const digest = createHash('sha256').update(one.text).digest('base64');
    assert.equal(one.headers.get('repr-digest'), `sha-256=:${digest}:`);
    assert.ok(one.text.startsWith(`${STATEMENT_HEADER.join(',')}\n1,contribution,txn_`));
    const verdict = await verifyStatement([Buffer.from(one.text)], {
      csvSha256: closed.statement?.csvSha256 ?? '',
      lineCount: 30,
    });
    assert.deepEqual(verdict.problems, []);
  });

  test('excel_safe guards cells, under another tag', async () => {
    const { client, partnerId } = await newPartner();
    await client.confirm({ partner_order_ref: '00123' });
    const { closed } = await closeNow(database, partnerId);
    const path = `/v1/settlements/${closed.settlementId}/statement.csv`;
    const guarded = await client.call(`${path}?excel_safe=true`);
    assert.match(guarded.text, /,'00123,/);
    assert.notEqual(guarded.headers.get('etag'), (await client.call(path)).headers.get('etag'));
    assert.equal(guarded.headers.get('repr-digest'), null);
    assert.match((await client.call(`${path}?excel_safe=false`)).text, /,00123,/);
    assert.deepEqual(detailCodes(await client.call(`${path}?excel_safe=1`)), { excel_safe: 'unsupported_value' });
  });

  test('If-None-Match of the tag is 304; HEAD has the head alone', async () => {
    const { client, closed, path } = await withClosed();
    const tag = `"${closed.statement?.csvSha256}"`;
    const unchanged = await client.call(`${path}/statement.csv`, { headers: { 'if-none-match': tag } });
    assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
    const weak = await client.call(`${path}/statement.csv`, { headers: { 'if-none-match': `"other", W/${tag}` } });
    assert.equal(weak.status, 304, 'a proxy that compresses makes the tag weak');
    const { parameters, responses } = document.paths['/v1/settlements/{settlement_id}/statement.csv'].get;
    assert.ok(parameters.some(({ name }: { name: string }) => name === 'If-None-Match'));
    const missing = Object.keys(responses['304'].headers).filter((name) => !unchanged.headers.has(name));
    assert.deepEqual([missing, responses['304'].content], [[], undefined]);
    const head = await client.call(`${path}/statement.csv`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers.get('content-length'), String(closed.statement?.csvBytes));
  });

  test('an open settlement has none: 404, and it says when there will be one', async () => {
    const { client, open } = await newPartner();
    const answer = await client.call(`/v1/settlements/${open.settlementId}/statement.csv`);
    assert.deepEqual(
      [answer.status, answer.body.error.code, detailCodes(answer)],
      [404, 'invalid_request', { statement: 'not_found' }],
    );
    assert.match(answer.body.error.message, /has a statement after it is closed/);
  });

  test('one whose first page is not read is an error alone, without the headers of the statement', async () => {
    const { client, partnerId } = await newPartner();
    const { closed } = await closeNow(database, partnerId);
    await database.pool.query(
      `insert into settlement_line (partner_id, settlement_id, line_no, line_type, points, transaction_id)
      values ($1, $2, 2, 'contribution', 1, 'txn_behind_a_gap')`,
      [partnerId, closed.settlementId],
    );
    const answer = await client.call(`/v1/settlements/${closed.settlementId}/statement.csv`);
    assertError(answer, 'internal_service_unavailable');
    assert.deepEqual(statementHeaders(answer), [null, null, null]);
    assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(answer.text)));
  });

  test('readers that go away in the middle, more than the service has places for, leave their places', HANG_LIMIT, async () => {
    const { client, partnerId } = await newPartner();
    const { closed } = await closeNow(database, partnerId);
    await insertLines(database, closed, LINES_UNREAD);
    const url = `${service.baseUrl}/v1/settlements/${closed.settlementId}/statement.csv?excel_safe=true`;
    /** The rest of the answer is not read. It is kept, because `fetch` goes away from an answer that nothing refers to any more. */
    const begin = async () => {
      const abort = new AbortController();
      const answer = await fetch(url, { headers: { 'x-api-key': client.apiKey }, signal: abort.signal });
      return { answer, goAway: () => abort.abort() };
    };
    const takePlace = async () => {
      const begun = await begin();
      if (begun.answer.status === 200) return begun;
      begun.goAway();
      return undefined;
    };
    // Two places of the partner, and 32 in all.
    for (let round = 0; round < 17; round++) {
      const readers = [await waitFor('place', takePlace), await waitFor('second place', takePlace)];
      const third = await begin();
      assert.equal(third.answer.status, 429);
      assert.deepEqual(statementHeaders(third.answer), [null, null, null]);
      for (const { goAway } of [...readers, third]) goAway();
    }
  });
});

describe('acknowledgeSettlement', () => {
  const acknowledge = (client: Client, path: string, body: object, headers: Record<string, string> = {}) =>
    client.post(`${path}/acknowledgement`, body, headers);

  test('accepted, with the time, and shown from then on; nothing else of the settlement changes', async () => {
    const { client, path } = await withClosed();
    const before = (await client.call(path)).body.settlement;
    const answer = await acknowledge(client, path, { status: 'accepted', reference: 'payment-1', note: 'الدفع تم' });
    assertPublished(answer, '/v1/settlements/{settlement_id}/acknowledgement', 'post', 201);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
    const { acknowledgement, ...rest } = (await client.call(path)).body.settlement;
    assert.deepEqual(acknowledgement, answer.body.acknowledgement);
    const { acknowledgement: pending, ...restBefore } = before;
    assert.deepEqual([pending.status, rest], ['pending', restBefore]);
  });

  test('a note has up to 1,000 characters, of whatever kind', async () => {
    const { client, path } = await withClosed();
    const long = await acknowledge(client, path, { status: 'disputed', note: '🌳'.repeat(1_001), reference: '🌳'.repeat(100) });
    assert.deepEqual(detailCodes(long), { note: 'too_long', reference: 'invalid_characters' });
    assert.match(long.body.error.message, /it is a string of 1001 characters/);
    const answer = await acknowledge(client, path, { status: 'disputed', note: '🌳'.repeat(1_000) });
    assert.equal(answer.status, 201, answer.text);
    assert.equal((await client.call(path)).body.settlement.acknowledgement.note, '🌳'.repeat(1_000));
  });

  test('a note that is blank or has hidden characters is told with the other fields, for any settlement', async () => {
    const { client, path, opened } = await withClosed();
    for (const note of ['\t', 'Two lines\r\nof text.', 'a\u202eb', '\u200b']) {
      const wrong = await acknowledge(client, path, { status: 'paid', note });
      assert.deepEqual(detailCodes(wrong), { status: 'unsupported_value', note: 'wrong_form' }, JSON.stringify(note));
      assert.match(wrong.body.error.message, / note must be a text of 1 to 1000 characters, not blank and without control /);
    }
    for (const known of [`/v1/settlements/${opened.settlementId}`, '/v1/settlements/set_unknown']) {
      const blank = await acknowledge(client, known, { status: 'accepted', note: ' ' });
      assert.deepEqual([blank.status, detailCodes(blank)], [400, { note: 'wrong_form' }]);
      assert.match(blank.body.error.message, /^note must be a text of 1 to 1000 characters, not blank\.$/);
    }
    const answer = await acknowledge(client, path, { status: 'disputed', note: 'Two lines\nof text.' });
    assert.equal(answer.status, 201, answer.text);
  });

  test('one key, one acknowledgement and one audit entry: twenty at once, and a replay gives the original also after more was said', async () => {
    const { client, path, closed } = await withClosed();
    const headers = { 'idempotency-key': uniqueId('key') };
    const body = { status: 'disputed', note: 'Twice.' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => acknowledge(client, path, body, headers)));
    assert.deepEqual(countByStatus(answers), { 201: 20 });
    assert.equal(answers.filter(({ headers: each }) => each.get('idempotent-replayed') === null).length, 1);
    const accepted = await acknowledge(client, path, { status: 'accepted' });
    assert.equal(accepted.status, 201);
    const replay = await acknowledge(client, path, body, headers);
    assert.equal(replay.body.acknowledgement.status, 'disputed');
    assert.equal((await client.call(path)).body.settlement.acknowledgement.status, 'accepted');
    const conflict = await acknowledge(client, path, { ...body, note: 'Thrice.' }, headers);
    assertError(conflict, 'idempotency_conflict');
    const { rows } = await database.pool.query(
      `select operator_id as "keyId", role, before_json::jsonb ->> 'status' as before, after_json::jsonb ->> 'status' as after,
        correlation_id as "correlationId" from audit_entry
      where subject_id = $1 and action = 'settlement.acknowledge' order by entry_no`,
      [closed.settlementId],
    );
    const keyId = parseApiKey(client.apiKey)?.keyId;
    assert.deepEqual(
      rows.map(({ correlationId: _, ...row }) => row),
      [
        { keyId, role: 'partner', before: 'pending', after: 'disputed' },
        { keyId, role: 'partner', before: 'disputed', after: 'accepted' },
      ],
    );
    assert.equal(rows[1].correlationId, accepted.body.request.correlation_id);
  });

  test('what is accepted stays so, an open settlement cannot be acknowledged, and all problems are told', async () => {
    const { client, path, opened } = await withClosed();
    await acknowledge(client, path, { status: 'accepted' });
    const again = await acknowledge(client, path, { status: 'disputed' });
    assert.deepEqual([again.status, detailCodes(again)], [400, { status: 'not_possible' }]);
    assert.match(again.body.error.message, /is accepted and cannot become disputed/);
    const same = await acknowledge(client, path, { status: 'accepted' });
    assert.match(same.body.error.message, /is accepted already; its reference and note do not change/);
    const open = await acknowledge(client, `/v1/settlements/${opened.settlementId}`, { status: 'accepted' });
    assert.deepEqual([open.status, detailCodes(open)], [400, { settlement_id: 'settlement_open' }]);
    const wrong = await acknowledge(client, path, { status: 'paid', reference: 'a b', note: '', more: 1 });
    assert.deepEqual(detailCodes(wrong), {
      status: 'unsupported_value',
      reference: 'invalid_characters',
      note: 'too_short',
      more: 'unknown_field',
    });
    const missing = await client.call(`${path}/acknowledgement`, { method: 'POST', body: { status: 'accepted' } });
    assert.deepEqual(detailCodes(missing), { 'Idempotency-Key': 'missing' });
  });

  test('a read-only key may not; a suspended partner may', async () => {
    const { client, path, partnerId } = await withClosed();
    const terms = { name: 'reader', permission: 'read_only', allowedAddresses: [], expiresAt: null } as const;
    const { apiKey } = await issueApiKey(database, OWNER, { environment: 'sandbox', partnerId, ...terms });
    const refused = await acknowledge(new Client(service.baseUrl, apiKey), path, { status: 'accepted' });
    assertError(refused, 'forbidden');
    await suspendPartner(database, OWNER, partnerId);
    assert.equal((await acknowledge(client, path, { status: 'accepted' })).status, 201);
  });
});

describe("unknown, ill formed, and another partner's", () => {
  test('one and the same not-found, whatever the path', async () => {
    const { closed } = await withClosed();
    const { client } = await newPartner();
    const ids = [closed.settlementId, 'stl_01KBBZ7G4H6K8N0Q2S4V6X8Z1B', 'short', 'a%20b', '%00', 'x'.repeat(129), '..%2F..'];
    for (const id of ids) {
      const path = `/v1/settlements/${id}`;
      const answers = [
        ...(await Promise.all(['', '/lines', '/statement.csv'].map((rest) => client.call(path + rest)))),
        await client.post(`${path}/acknowledgement`, { status: 'accepted' }),
      ];
      const [first] = answers;
      for (const answer of answers) {
        assert.deepEqual(
          [answer.status, answer.body.error.code, detailCodes(answer)],
          [404, 'invalid_request', { settlement_id: 'not_found' }],
        );
        assert.equal(answer.body.error.message, first?.body.error.message);
      }
    }
    const { rows } = await database.pool.query('select from settlement_acknowledgement where settlement_id = $1', [
      closed.settlementId,
    ]);
    assert.equal(rows.length, 0);
  });

  test('a query that is refused names its member and what is wrong with it', async () => {
    const { client, path } = await withClosed();
    for (const [query, details] of [
      ['/v1/settlements?limit=0', { limit: 'too_small' }],
      ['/v1/settlements?limit=101', { limit: 'too_large' }],
      ['/v1/settlements?before_sequence=0', { before_sequence: 'too_small' }],
      ['/v1/settlements?page=2', { page: 'unknown_field' }],
      [`${path}?x=1`, { x: 'unknown_field' }],
      [`${path}/lines?after_line=-1`, { after_line: 'wrong_form' }],
      [`${path}/lines?after_line=2147483648`, { after_line: 'too_large' }],
      [`${path}/lines?limit=1001`, { limit: 'too_large' }],
      [`${path}/lines?limit=1&limit=2`, { limit: 'wrong_type' }],
    ] as const) {
      const answer = await client.call(query);
      assert.deepEqual([answer.status, detailCodes(answer)], [400, details], query);
    }
  });
});
