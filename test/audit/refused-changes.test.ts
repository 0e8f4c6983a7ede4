/** A change that needs a record which was edited in the database: its outcome is known, and it is made under the same key once an admin attests the record. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { newBatch, newProject, withClosed } from '../support/environment.ts';
import { type OperatorAnswer, type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { spawnService, testService } from '../support/service.ts';
import { closeNow } from '../support/settlements.ts';
import { endpointTools, newEndpoint, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const V1 = '/operator/v1';
/** As the log numbers its levels. */
const ERROR = 50;
const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
let admin: SignedInOperator;
before(async () => {
  admin = await signedInOperator(service, 'admin');
});

async function edit(text: string, values: readonly unknown[]): Promise<void> {
  await asSuperuser(database.pool, async (client) => assert.equal((await client.query(text, [...values])).rowCount, 1, text));
}

async function countEntries(): Promise<bigint> {
  return (await database.pool.query('select count(*) from audit_entry')).rows[0].count;
}

interface Edited {
  /** As the audit calls it. */
  readonly kind: string;
  readonly id: string;
  readonly path: string;
  readonly body?: object;
  readonly text: string;
}

async function editedBatch(step: string, body: object): Promise<Edited> {
  const batch = await newBatch(database, [await withClosed(service, 1)]);
  const text = 'update impact_batch set quantity = quantity + 1 where impact_batch_id = $1';
  return {
    kind: 'impact_batch',
    id: batch.impactBatchId,
    path: `${V1}/impact-batches/${batch.impactBatchId}/${step}`,
    body,
    text,
  };
}

const CHANGES: Readonly<Record<string, () => Promise<Edited>>> = {
  'a step of an impact batch': async () =>
    editedBatch('advance', { to: 'allocated', project_id: (await newProject(database)).projectId }),
  'a correction of an impact batch': () => editedBatch('correct', { quantity: '9' }),
  async 'an addition to an impact batch'() {
    const { partnerId, closed } = await withClosed(service, 1);
    return editedBatch('settlements', { partner_id: partnerId, settlement_ids: closed.map((each) => each.settlementId) });
  },
  async 'a suspension of a partner'() {
    const { partnerId: id } = (await service.newPartner()).partner;
    const text = "update partner set name = 'Another' where partner_id = $1";
    return { kind: 'partner', id, path: `${V1}/partners/${id}/suspend`, text };
  },
  async 'an end of an API key'() {
    const { key } = await service.newPartner();
    const { keyId: id } = key.key;
    const text = "update api_key set name = 'another' where key_id = $1";
    return { kind: 'api_key', id, path: `${V1}/keys/${id}/revoke`, text };
  },
  async 'a disabling of an endpoint'() {
    const { partner, endpointId: id } = await newEndpoint(service, endpointTools(database));
    const text = "update webhook_endpoint set url = url || '/other' where endpoint_id = $1";
    const path = `${V1}/partners/${partner.partnerId}/endpoints/${id}/disable`;
    return { kind: 'webhook_endpoint', id, path, body: { reason: 'gone' }, text };
  },
  async 'a rejection of a failure'() {
    const { partnerId } = (await service.newPartner()).partner;
    const event = { partner_id: partnerId, partner_event_id: uniqueId('evt'), partner_order_ref: uniqueId('order'), points: '5' };
    const { failure_id: id } = (await admin.postOnce(`${V1}/failures`, { ...event, reason: 'lost' })).body;
    const text = 'update failure_draft set points = points + 1 where failure_id = $1';
    const path = `${V1}/partners/${partnerId}/failures/${id}/reject`;
    return { kind: 'failure_draft', id, path, text };
  },
  async 'a rejection of an adjustment'() {
    const { partnerId, client } = await withClosed(service, 1);
    const { transaction_id } = (await client.confirm()).body.contribution;
    await closeNow(database, partnerId);
    const reasons = { reason_code: 'other', reason_en: 'Too many', reason_ar: 'أكثر' };
    const wanted = { partner_id: partnerId, transaction_id, points_delta: '-1', ...reasons };
    const drafted = await admin.postOnce(`${V1}/adjustments`, wanted);
    assert.equal(drafted.status, 200, drafted.text);
    const { adjustment_id: id } = drafted.body.adjustment;
    const text = 'update adjustment set points_delta = -2 where adjustment_id = $1';
    const path = `${V1}/partners/${partnerId}/adjustments/${id}/reject`;
    return { kind: 'adjustment', id, path, body: { reason: 'no' }, text };
  },
};

describe('a change whose record was edited in the database is refused, not in doubt, and made once the record is attested', () => {
  for (const [what, prepared] of Object.entries(CHANGES))
    test(what, async () => {
      const { kind, id, path, body, text } = await prepared();
      await edit(text, [id]);
      const [key, entries] = [uniqueId('key'), await countEntries()];
      const { status, body: said, text: answer } = await admin.postOnce(path, body, key);
      assert.equal(status, 400, answer);
      const { code, retryable, message, details } = said.error;
      assert.deepEqual([code, retryable], ['invalid_request', false]);
      assert.deepEqual(details, [{ field: 'record', code: 'record_modified', message }]);
      assert.match(message, new RegExp(`${id} differs from the audit: .* Nothing was changed\\. .*verify.*attest`));
      assert.equal(await countEntries(), entries);
      await attestRecord(database, OWNER, { kind, id, reason: 'as ordered' });
      const again = await admin.postOnce(path, body, key);
      assert.equal(again.status, 200, again.text);
    });
});

test('evidence of an impact batch that was edited in the database is refused, not in doubt', async () => {
  const { id, path, text } = await editedBatch('evidence', {});
  await edit(text, [id]);
  const file = 'a photo';
  const sha256 = createHash('sha256').update(file).digest('hex');
  const stated = { type: 'photo', url: 'https://example.org/1.jpg', file_name: '1.jpg', captured_at: '2026-01-02T03:04:05.000Z' };
  const headers = { 'content-type': 'application/octet-stream', 'idempotency-key': uniqueId('key') };
  const sent = { file, headers: { ...headers, 'content-length': String(file.length) } };
  const { status, body } = await admin.send('POST', `${path}?${new URLSearchParams({ ...stated, sha256 })}`, sent);
  assert.deepEqual([status, body.error.details[0].code], [400, 'record_modified']);
});

test('a change by an operator whose record was edited in the database is in doubt: an earlier request with the same key may have made it', async () => {
  const person = await signedInOperator(service, 'operator');
  const { path } = await editedBatch('correct', {});
  const wanted = [path, { quantity: '9' }, uniqueId('key')] as const;
  assert.equal((await person.postOnce(...wanted)).status, 200);
  await edit("update operator set name = 'Another' where operator_id = $1", [person.operatorId]);
  const { status, body } = await person.postOnce(...wanted);
  assert.deepEqual([status, body.error.code], [503, 'internal_service_unavailable']);
});

test('a change that is refused because a record was edited in the database stays an error in the log', async () => {
  const operationsPort = await freePort();
  const { output } = await spawnService(service.databaseUrl, {
    ...WEBHOOK_ENV,
    OPERATIONS_PORT: String(operationsPort),
    LOG_LEVEL: 'error',
  });
  const person = await signedInOperator({ database, operationsPort }, 'operator');
  const { id, path, body, text } = await editedBatch('correct', { quantity: '9' });
  await edit(text, [id]);
  assert.equal((await person.postOnce(path, body)).status, 400);
  await waitFor('line about the record', async () => output().includes(`The impact batch ${id} differs from the audit`));
  const line =
    output()
      .split('\n')
      .find((each) => each.includes(id)) ?? '';
  assert.deepEqual([JSON.parse(line).level, JSON.parse(line).msg], [ERROR, 'unexpected error'], line);
});

describe('review decisions while a record was edited in the database', () => {
  async function pending() {
    const installation = await testService({ env: WEBHOOK_ENV, rulesOf: () => ({ ...DEFAULT_RULES, reviewThreshold: 1_000n }) });
    const person = await signedInOperator(installation, 'operator');
    const { partner, client } = await installation.newPartner();
    const confirmed = [await client.confirm({ points: 1_000n }), await client.confirm({ points: 1_000n })];
    const ids: string[] = confirmed.map(({ body }) => body.contribution.transaction_id);
    const contributions = ids.map((transaction_id) => ({ partner_id: partner.partnerId, transaction_id }));
    const key = uniqueId('key');
    const decide = () => person.postOnce(`${V1}/reviews/decisions`, { decision: 'confirm', reason: 'known', contributions }, key);
    return { pool: installation.database.pool, ids, decide };
  }
  const decisionsIn = ({ body }: OperatorAnswer) =>
    body.decisions.map(({ status, error_code }: Record<string, string>) => `${status} ${error_code}`);

  test('an edited contribution is not decided, and holds up no other', async () => {
    const { pool, ids, decide } = await pending();
    await asSuperuser(pool, async (client) => {
      await client.query('update contribution set points = 1001 where transaction_id = $1', [ids[0]]);
    });
    const answer = await decide();
    assert.deepEqual([answer.status, decisionsIn(answer)], [200, ['not_decided record_modified', 'confirmed null']], answer.text);
  });

  test('the start of the seals, edited after the first decision: the request is in doubt, and its key finds that decision later', async () => {
    const { pool, decide } = await pending();
    await pool.query(`
      create function edit_seal_start() returns trigger language plpgsql set session_replication_role = replica as $$ begin
        update audit_entry set after_json = after_json || ' ' where subject_id = 'contribution_seals';
        return new;
      end $$;
      create trigger edit_seal_start after insert on audit_entry for each row when (new.action = 'review.confirm')
        execute function edit_seal_start()`);
    const { status, text } = await decide();
    assert.equal(status, 503, text);
    await pool.query('drop function edit_seal_start cascade');
    await asSuperuser(pool, async (client) => {
      await client.query("update audit_entry set after_json = trim(after_json) where subject_id = 'contribution_seals'");
    });
    // As if the process that claimed the key had died a minute ago.
    const left = "update keyed_answer set claimed_at = claimed_at - interval '61 seconds' where answer is null";
    assert.equal((await pool.query(left)).rowCount, 1);
    const answer = await decide();
    assert.deepEqual([answer.status, decisionsIn(answer)], [200, ['confirmed null', 'confirmed null']], answer.text);
  });
});
