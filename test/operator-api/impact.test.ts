/** Impact batches as operators work with them: what is pooled and what it is worth, files that are hashed twice, and two people. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { before, describe, test } from 'node:test';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { FILE_BYTES_MAX } from '../../src/operator-api/http/hash-upload.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { OWNER } from '../support/actor.ts';
import { uniqueId } from '../support/client.ts';
import { type OperatorAnswer, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { insertPrice } from '../support/rules.ts';
import { OPEN_RATES, testService } from '../support/service.ts';

const V1 = '/operator/v1';
const priced: Partner[] = [];
/** Its points have no value. */
const worthless: Partner[] = [];
const service = await testService({
  async prepare(database) {
    const partner = await createPartner(database, OWNER, 'Priced', { ...OPEN_RATES, currency: 'SAR' });
    const rule = { partnerId: partner.partnerId, starts: '-1 day' };
    await insertPrice(database, 'point_conversion', { ...rule, label: uniqueId('value'), price: '0.01' });
    await insertPrice(database, 'tree_cost', { ...rule, label: uniqueId('cost'), price: '7.5' });
    priced.push(partner);
    const other = await createPartner(database, OWNER, 'With a currency alone', { ...OPEN_RATES, currency: 'SAR' });
    await insertPrice(database, 'tree_cost', { ...rule, partnerId: other.partnerId, label: uniqueId('cost'), price: '7.5' });
    worthless.push(other);
  },
});
const { database } = service;

let [viewer, operator, approver]: SignedInOperator[] = [];
before(async () => {
  viewer = await signedInOperator(service, 'viewer');
  operator = await signedInOperator(service, 'operator');
  approver = await signedInOperator(service, 'approver');
});
const as = (person: SignedInOperator | undefined) => person as SignedInOperator;

/** A partner with a closed settlement of so many points. */
async function newClosed(points: readonly bigint[] = [250n]) {
  const { partner, client } = await service.newPartner();
  for (const each of points) await client.confirm({ points: each });
  const path = `${V1}/partners/${partner.partnerId}/settlements`;
  const [open] = (await as(approver).get(path)).body.settlements;
  const { status, text } = await as(approver).postOnce(`${path}/${open.settlement_id}/close`, undefined);
  assert.equal(status, 200, text);
  return { partner, client, settlementId: open.settlement_id as string, period: open.period_label as string };
}

const done = (answer: OperatorAnswer) => {
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const newBatch = async (quantity = '3') =>
  done(await as(operator).postOnce(`${V1}/impact-batches`, { name: 'Mangroves', quantity })).impact_batch_id as string;
const newProject = async () => {
  const named = { name_en: 'Coast', name_ar: 'الساحل', country: 'SA' };
  return done(await as(operator).postOnce(`${V1}/projects`, named)).project_id as string;
};
const step = (person: SignedInOperator | undefined, id: string, name: string, body: object = {}) =>
  as(person).postOnce(`${V1}/impact-batches/${id}/${name}`, body);
const advance = async (id: string, to: string, more: object = {}) => done(await step(operator, id, 'advance', { to, ...more }));
const detailOf = async (id: string) => done(await as(viewer).get(`${V1}/impact-batches/${id}`));

interface Upload {
  readonly bytes?: Buffer;
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

/** Sends bytes as a browser does. */
function upload(person: SignedInOperator, id: string, { bytes = Buffer.from('a photo'), query = {}, headers = {} }: Upload = {}) {
  const stated = {
    type: 'photo',
    url: 'https://files.example.org/1.jpg',
    file_name: 'one.jpg',
    captured_at: '2026-01-02T03:04:05.000Z',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    ...query,
  };
  return new Promise<OperatorAnswer>((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: person.port,
        method: 'POST',
        path: `${V1}/impact-batches/${id}/evidence?${new URLSearchParams(stated)}`,
        headers: {
          host: `localhost:${person.port}`,
          cookie: person.cookie,
          'x-csrf-token': person.csrfToken,
          'content-type': 'application/octet-stream',
          'idempotency-key': uniqueId('key'),
          'content-length': bytes.length,
          ...headers,
        },
      },
      async (answer) => {
        const text = Buffer.concat(await Array.fromAsync(answer)).toString();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, body: JSON.parse(text) });
      },
    );
    sent.on('error', reject);
    sent.end(bytes);
  });
}

async function newAllocated() {
  const { partner, settlementId } = await newClosed();
  const id = await newBatch();
  done(await step(operator, id, 'settlements', { partner_id: partner.partnerId, settlement_ids: [settlementId] }));
  await advance(id, 'allocated', { project_id: await newProject() });
  return { id, partner };
}

describe('settlements for a batch', () => {
  test('those without a batch are listed with points, money and the trees that it pays; a pooled one is not', async () => {
    const { partner, client, settlementId, period } = await newClosed([250n, 1_000n]);
    const list = async (query = '') =>
      done(await as(viewer).get(`${V1}/unpooled-settlements?partner_id=${partner.partnerId}${query}`)).settlements;
    const [found, ...others] = await list();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [found.settlement_id, found.partner_name, found.points, found.contribution_count, found.amount, found.trees],
      [settlementId, partner.name, '1250', '2', null, null],
    );
    assert.equal(found.acknowledgement, 'pending');
    const settlement = await as(viewer).get(`${V1}/partners/${partner.partnerId}/settlements/${settlementId}`);
    for (const member of ['period_start', 'period_end', 'period_timezone'])
      assert.equal(found[member], settlement.body[member], member);
    const acknowledgement = `/v1/settlements/${settlementId}/acknowledgement`;
    for (const status of ['disputed', 'accepted']) {
      await client.post(acknowledgement, { status });
      assert.equal((await list())[0].acknowledgement, status);
    }
    assert.equal((await list(`&period=${period}`)).length, 1);
    assert.deepEqual(await list('&period=1999-01'), []);
    const id = await newBatch();
    const share = done(
      await step(operator, id, 'settlements', { partner_id: partner.partnerId, settlement_ids: [settlementId] }),
    );
    assert.deepEqual([share.settlement_count, share.contribution_count], [1, '2']);
    assert.deepEqual(await list(), []);
    const [pooled] = done(await as(viewer).get(`${V1}/impact-batches/${id}/settlements`)).settlements;
    assert.deepEqual([pooled.settlement_id, pooled.points], [settlementId, '1250']);
    const again = await step(operator, await newBatch(), 'settlements', {
      partner_id: partner.partnerId,
      settlement_ids: [settlementId],
    });
    assert.equal(again.status, 400);
    assert.match(again.body.error.message, /already in a batch/);
  });

  test('the worth is exact: points times their value, and whole trees at the cost of the contributions', async () => {
    const [of] = priced as [Partner];
    const { partner, client } = await service.newPartner({ of });
    await client.confirm({ points: 9_007_199_254_740_993n });
    const path = `${V1}/partners/${partner.partnerId}/settlements`;
    const [open] = (await as(approver).get(path)).body.settlements;
    done(await as(approver).postOnce(`${path}/${open.settlement_id}/close`, undefined));
    const [found] = done(await as(viewer).get(`${V1}/unpooled-settlements?partner_id=${partner.partnerId}`)).settlements;
    assert.deepEqual(
      [found.points, found.currency, found.amount, found.trees],
      ['9007199254740993', 'SAR', '90071992547409.93', String((9_007_199_254_740_993n * 10n) / 7_500n)],
    );
    const id = await newBatch();
    done(await step(operator, id, 'settlements', { partner_id: partner.partnerId, settlement_ids: [found.settlement_id] }));
    const { worth, settlement_count, partner_count } = await detailOf(id);
    const { points, amount, trees } = found;
    assert.deepEqual(worth, [
      { currency: 'SAR', minor_units: 2, points, amount, trees, tree_costs: ['7.5'], tree_shares: [{ cost: '7.5', amount }] },
    ]);
    assert.deepEqual([settlement_count, partner_count], [1, 1]);
  });

  test('points without a value have no currency in what a batch is worth, as in their settlement', async () => {
    const id = await newBatch();
    for (const partner of [...priced, ...worthless]) {
      const { partnerId } = partner;
      const { client } = await service.newPartner({ of: partner });
      await client.confirm({ points: 750 });
      const path = `${V1}/partners/${partnerId}/settlements`;
      const [open] = (await as(approver).get(path)).body.settlements;
      const { settlement_id, currency, amount } = done(
        await as(approver).postOnce(`${path}/${open.settlement_id}/close`, undefined),
      );
      const { settlements } = done(await as(viewer).get(`${V1}/unpooled-settlements?partner_id=${partnerId}`));
      const found = settlements.find((each: { settlement_id: string }) => each.settlement_id === settlement_id);
      assert.deepEqual([found.currency, found.amount], [currency, amount && '7.5']);
      done(await step(operator, id, 'settlements', { partner_id: partnerId, settlement_ids: [settlement_id] }));
    }
    const { worth } = await detailOf(id);
    const none = { amount: null, trees: null, tree_costs: [], tree_shares: [] };
    assert.deepEqual(worth.slice(1), [{ currency: null, minor_units: null, points: '750', ...none }]);
    assert.deepEqual([worth[0].currency, worth[0].points, worth[0].amount, worth[0].trees], ['SAR', '750', '7.5', '1']);
  });

  test('pages lead through all of them, and a place of another filter is refused', async () => {
    const made = [await newClosed(), await newClosed(), await newClosed()].map(({ settlementId }) => settlementId);
    const seen: string[] = [];
    let query = '?limit=1';
    for (let hasMore = true; hasMore; ) {
      const body = done(await as(viewer).get(`${V1}/unpooled-settlements${query}`));
      seen.push(...body.settlements.map(({ settlement_id }: { settlement_id: string }) => settlement_id));
      hasMore = body.has_more;
      query = `?limit=1&after=${body.next_after}`;
    }
    assert.deepEqual(
      seen.filter((id) => made.includes(id)),
      made.toReversed(),
    );
    assert.equal(new Set(seen).size, seen.length);
    const { status } = await as(viewer).get(`${V1}/unpooled-settlements${query}&period=2026-01`);
    assert.equal(status, 400);
  });
});

describe('the way of a batch', () => {
  test('from recorded to verified: funded, evidence, and a second person; every step is audited', async () => {
    const { id, partner } = await newAllocated();
    await advance(id, 'funded');
    await advance(id, 'in_progress');
    done(await upload(as(operator), id));
    const toVerify = async () => done(await as(viewer).get(`${V1}/overview`)).batches_to_verify;
    const { count: others } = await toVerify();
    await advance(id, 'delivered');
    assert.deepEqual(await toVerify(), { count: others + 1, is_more: false });
    const own = await step(operator, id, 'verify');
    assert.deepEqual([own.status, own.body.error.code], [403, 'forbidden']);
    done(await step(approver, id, 'verify'));
    assert.equal((await toVerify()).count, others);
    const { batch, evidence, changes } = await detailOf(id);
    assert.deepEqual(
      [batch.status, batch.delivered_by, batch.verified_by],
      ['verified', as(operator).operatorId, as(approver).operatorId],
    );
    assert.equal(evidence[0].sha256, createHash('sha256').update('a photo').digest('hex'));
    assert.deepEqual([evidence[0].byte_count, evidence[0].file_name], ['7', 'one.jpg']);
    assert.equal(changes.length, 6);
    const ofPartner = `${V1}/partners/${partner.partnerId}/contributions`;
    const [{ transaction_id }] = done(await as(viewer).get(`${V1}/contributions?partner_id=${partner.partnerId}`)).contributions;
    const { entries } = done(await as(viewer).get(`${ofPartner}/${transaction_id}/timeline`));
    const onBatch = entries.filter(({ subject_id }: { subject_id: string }) => subject_id === id);
    assert.deepEqual(
      onBatch.map(({ kind, facts }: { kind: string; facts: Record<string, string> }) => [kind, facts.environmental_status]),
      [['pooled', undefined], ...changes.map(({ status }: { status: string }) => ['batch_changed', status])],
    );
    const { rows } = await database.pool.query('select action from audit_entry where subject_id = $1 order by entry_no', [id]);
    assert.deepEqual(
      rows.map(({ action }) => action.replace('impact-batch.', '')),
      ['create', 'add', 'advance', 'advance', 'advance', 'add-evidence', 'advance', 'advance'],
    );
    const { rows: events } = await database.pool.query(
      `select count(*)::int as count from (select partner_id, event_type from event union all select partner_id, event_type from event_outbox) e
      where partner_id = $1 and event_type = 'environmental.status.updated'`,
      [partner.partnerId],
    );
    assert.equal(events[0].count, 7);
  });

  test('who recorded the delivery does not verify it, whatever the role', async () => {
    const { id } = await newAllocated();
    await advance(id, 'funded');
    await advance(id, 'in_progress');
    done(await upload(as(approver), id));
    done(await step(approver, id, 'advance', { to: 'delivered' }));
    const own = await step(approver, id, 'verify');
    assert.deepEqual([own.status, own.body.error.code], [403, 'forbidden']);
    assert.match(own.body.error.message, /recorded the delivery, so another operator has to verify the batch\.$/);
    const told = own.body.error.details.map(({ field, code }: { field: string; code: string }) => [field, code]);
    assert.deepEqual(told, [
      ['four_eyes', 'same_operator'],
      ['step', 'verify_batch'],
      ['operator', as(approver).operatorId],
    ]);
    assert.equal((await detailOf(id)).batch.status, 'delivered');
  });

  test('a delay, another project, and a corrected number of trees', async () => {
    const { id } = await newAllocated();
    const delayed = done(await step(operator, id, 'delay', { expected_delivery_period: '2027-Q2', reason: 'no rain' }));
    assert.equal(delayed.expected_delivery_period, '2027-Q2');
    await advance(id, 'funded');
    const other = await newProject();
    const moved = done(await step(operator, id, 'reallocate', { project_id: other }));
    assert.deepEqual([moved.status, moved.project_id], ['allocated', other]);
    assert.equal(done(await step(operator, id, 'correct', { quantity: '5' })).quantity, '5');
    const refusals = [
      ['correct', { quantity: '-1' }, 'quantity'],
      ['correct', { quantity: '5' }, 'quantity'],
      ['delay', { expected_delivery_period: 'soon' }, 'expected_delivery_period'],
      ['advance', { to: 'delivered' }, 'to'],
    ] as const;
    for (const [name, body, field] of refusals) {
      const { status, body: said } = await step(operator, id, name, body);
      assert.deepEqual([status, said.error.details[0].field], [400, field], name);
    }
  });

  test('two who advance it at once: one does', async () => {
    const { id } = await newAllocated();
    const answers = await Promise.all([operator, approver].map((person) => step(person, id, 'advance', { to: 'funded' })));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400]);
  });
});

describe('a change that states which change was seen last', () => {
  test('is refused after another one, and recorded after the one that it states', async () => {
    const { id } = await newAllocated();
    await advance(id, 'funded', { expected_change_no: '1' });
    done(await step(approver, id, 'correct', { quantity: '5000' }));
    const { status, body } = await step(operator, id, 'advance', { to: 'in_progress', expected_change_no: '2' });
    const [{ field, code }] = body.error.details;
    assert.deepEqual([status, body.error.details.length, field, code], [400, 1, 'expected_change_no', 'not_possible']);
    assert.equal((await detailOf(id)).batch.status, 'funded');
    await advance(id, 'in_progress', { expected_change_no: '3' });
    done(await upload(as(operator), id));
    await advance(id, 'delivered', { expected_change_no: '5' });
    done(await upload(as(operator), id, { bytes: Buffer.from('another') }));
    const seen = await step(approver, id, 'verify', { expected_change_no: '6' });
    assert.deepEqual([seen.status, seen.body.error.details[0].field], [400, 'expected_change_no']);
    // Who corrected the trees last does not verify them.
    const other = await signedInOperator(service, 'approver');
    done(await step(other, id, 'verify', { expected_change_no: '7' }));
  });

  test('or how many settlements were seen, is refused where others were added; they are not added after a change', async () => {
    const [first, second] = [await newClosed(), await newClosed()];
    const [id, project_id] = [await newBatch(), await newProject()];
    const add = ({ partner, settlementId }: typeof first, more: object = {}) =>
      step(operator, id, 'settlements', { partner_id: partner.partnerId, settlement_ids: [settlementId], ...more });
    done(await add(first, { expected_change_no: '0' }));
    const { settlement_count } = await detailOf(id);
    done(await add(second));
    const late = await step(operator, id, 'advance', {
      to: 'allocated',
      project_id,
      expected_change_no: '0',
      expected_settlement_count: String(settlement_count),
    });
    const [{ field, code }] = late.body.error.details;
    assert.deepEqual([late.status, field, code], [400, 'expected_settlement_count', 'not_possible']);
    assert.equal((await detailOf(id)).batch.status, 'recorded');
    done(await step(approver, id, 'correct', { quantity: '5', expected_settlement_count: '2' }));
    const unseen = await add(await newClosed(), { expected_change_no: '0' });
    assert.deepEqual([unseen.status, unseen.body.error.details[0].field], [400, 'expected_change_no']);
    await advance(id, 'allocated', { project_id, expected_settlement_count: '2' });
  });
});

describe('a file', () => {
  const countOf = async (id: string) => (await detailOf(id)).evidence.length;

  test('that differs from what the browser hashed is refused, and nothing is recorded', async () => {
    const { id } = await newAllocated();
    const { status, body } = await upload(as(operator), id, { query: { sha256: 'a'.repeat(64) } });
    assert.deepEqual([status, body.error.details[0].field], [400, 'sha256']);
    assert.equal(await countOf(id), 0);
  });

  test('of several pieces is hashed whole; the same key gives the same answer, and the same file twice is refused', async () => {
    const { id } = await newAllocated();
    const bytes = Buffer.alloc(3_000_000, 'trees');
    const headers = { 'idempotency-key': uniqueId('key') };
    const first = await upload(as(operator), id, { bytes, headers });
    assert.equal(first.status, 200, first.text);
    const again = await upload(as(operator), id, { bytes, headers });
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true']);
    const other = await upload(as(operator), id, { bytes: Buffer.from('other'), headers });
    assert.equal(other.body.error.code, 'idempotency_conflict');
    const twice = await upload(as(operator), id, { bytes });
    assert.deepEqual([twice.status, twice.body.error.details[0].code], [400, 'duplicate']);
    assert.equal(await countOf(id), 1);
  });

  test('that is empty, too large, or sent as something else, is refused; so are a private address and a later time', async () => {
    const { id } = await newAllocated();
    const refusals: [Upload, number, string][] = [
      [{ bytes: Buffer.alloc(0) }, 400, 'file'],
      [{ headers: { 'content-length': String(FILE_BYTES_MAX + 1), connection: 'close' } }, 413, 'file'],
      [{ query: { url: 'https://10.0.0.1/1.jpg' } }, 400, 'url'],
      [{ query: { captured_at: '2999-01-01T00:00:00.000Z' } }, 400, 'captured_at'],
      [{ query: { type: 'a photo!' } }, 400, 'type'],
      [{ query: { file_name: 'a‮gpj.exe' } }, 400, 'file'],
    ];
    for (const [sent, wanted, field] of refusals) {
      const { status, body, text } = await upload(as(operator), id, sent);
      assert.deepEqual([status, body.error.details?.[0]?.field], [wanted, field], text);
    }
    const json = await upload(as(operator), id, { headers: { 'content-type': 'application/json' } });
    assert.equal(json.status, 400);
    const elsewhere = await as(operator).send('POST', `${V1}/projects`, {
      headers: { 'content-type': 'application/octet-stream', 'idempotency-key': uniqueId('key') },
      body: {},
    });
    assert.equal(elsewhere.status, 415);
    assert.equal(await countOf(id), 0);
  });

  test('of a viewer, or without the token, is not read', async () => {
    const { id } = await newAllocated();
    assert.equal((await upload(as(viewer), id)).status, 403);
    assert.equal((await upload(as(operator), id, { headers: { 'x-csrf-token': '' } })).status, 403);
    assert.equal(await countOf(id), 0);
  });
});
