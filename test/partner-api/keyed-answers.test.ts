/** What a request costs that waits for the answer of another one with its key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from '../../src/domain/fingerprint.ts';
import { invalidRequest, ServiceError } from '../../src/domain/service-error.ts';
import { answerOnce, answersAsGiven, type Work } from '../../src/operations/answer-once.ts';
import type { Database } from '../../src/store/database.ts';
import { keepClaimedAnswer } from '../../src/store/keyed-answer.ts';
import { inTransaction } from '../../src/store/transaction.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';
import { testService } from '../support/service.ts';

const { database, databaseUrl, newPartner } = await testService();
const form = { ...answersAsGiven, write: JSON.stringify };

async function newKey() {
  const { partnerId: callerId } = (await newPartner()).partner;
  const operation = 'sendSampleEvent';
  return { callerId, idempotencyKey: uniqueId('key'), operation, fingerprint: fingerprint(operation, {}) };
}

/** Work that is under way until the test ends it. */
function heldWork() {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()];
  const work = () => {
    begun.resolve();
    return ended.promise;
  };
  return { work, begun: begun.promise, end: ended.resolve, refuse: () => ended.reject(invalidRequest([])) };
}

test('a request that waits for the first one of its key looks few times, and claims nothing more', async () => {
  const [key, held] = [await newKey(), heldWork()];
  const first = answerOnce(database, key, held.work, form);
  await held.begun;
  const { counted, sent } = countingDatabase(database);
  const waiting = answerOnce(counted, key, () => assert.fail('The work is done once.'), form);
  await assert.rejects(waiting, { code: 'internal_service_unavailable', message: /still under way/ });
  const { claim_keyed_answer: claims = 0, ...looks } = Object.fromEntries(sent);
  assert.equal(claims, 1);
  const count = Object.values(looks).reduce((sum, each) => sum + each, 0);
  assert.ok(count <= 8, JSON.stringify(looks));
  held.end({ done: true });
  assert.deepEqual(await first, { text: '{"done":true}', isReplay: false });
  assert.deepEqual(await answerOnce(database, key, held.work, form), { text: '{"done":true}', isReplay: true });
});

test('when the first one was refused, the one that waits does the work', async () => {
  const [key, held] = [await newKey(), heldWork()];
  const first = answerOnce(database, key, held.work, form);
  await held.begun;
  const next = answerOnce(database, key, async () => ({ by: 'the next' }), form);
  held.refuse();
  await assert.rejects(first, { code: 'invalid_request' });
  assert.deepEqual(await next, { text: '{"by":"the next"}', isReplay: false });
});

test('a process that goes on working keeps its claim: none takes the work over before it was not renewed for a minute', async ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setInterval'] });
  const [key, held] = [await newKey(), heldWork()];
  const first = answerOnce(database, key, held.work, form);
  await held.begun;
  const age = "update keyed_answer set claimed_at = claimed_at - interval '1 hour' where partner_id = $1";
  await database.pool.query(age, [key.callerId]);
  mock.timers.tick(59_000);
  await waitFor('renewed claim', async () => {
    const text = "select from keyed_answer where partner_id = $1 and claimed_at > now() - interval '1 hour'";
    return (await database.pool.query(text, [key.callerId])).rowCount === 1;
  });
  held.end({ done: true });
  assert.deepEqual(await first, { text: '{"done":true}', isReplay: false });
});

test('the answer of a process that took the work over stays, and the late one gives it too', async () => {
  const [key, held] = [await newKey(), heldWork()];
  const late = answerOnce(database, key, held.work, form);
  await held.begun;
  const { workId = '' } = (
    await database.pool.query('select work_id as "workId" from keyed_answer where partner_id = $1', [key.callerId])
  ).rows[0];
  await keepClaimedAnswer(database.pool, key, { workId, answer: '{"by":"the other"}' });
  held.end({ by: 'the late one' });
  const first = { text: '{"by":"the other"}', isReplay: true };
  assert.deepEqual(await late, first);
  assert.deepEqual(await answerOnce(database, key, () => assert.fail('The work is done once.'), form), first);
});

/** One process has claimed a key and another one taken its work over, as if it were gone; both are at work. */
async function takenOver() {
  const [key, held, ofOther] = [await newKey(), heldWork(), heldWork()];
  const late = answerOnce(database, key, held.work, form);
  await held.begun;
  await database.pool.query("update keyed_answer set claimed_at = now() - interval '61 seconds' where partner_id = $1", [
    key.callerId,
  ]);
  const answer = answerOnce(database, key, ofOther.work, form);
  await ofOther.begun;
  return { key, held, late, other: { ...ofOther, answer } };
}

test('a late refusal leaves the key to the process that took the work over, and says nothing of its outcome', async () => {
  const { key, held, late, other } = await takenOver();
  held.refuse();
  await assert.rejects(late, { code: 'internal_service_unavailable', message: /taken this request over/ });
  other.end({ by: 'the other' });
  assert.deepEqual(await other.answer, { text: '{"by":"the other"}', isReplay: false });
  const again = await answerOnce(database, key, () => assert.fail('The work is done once.'), form);
  assert.deepEqual(again, { text: '{"by":"the other"}', isReplay: true });
});

test('a refusal that comes after the answer of the process that took the work over is that answer', async () => {
  const { held, late, other } = await takenOver();
  other.end({ by: 'the other' });
  await other.answer;
  held.refuse();
  assert.deepEqual(await late, { text: '{"by":"the other"}', isReplay: true });
});

test('when both processes are refused, both say so, and the key is free for another payload', async () => {
  const { key, held, late, other } = await takenOver();
  other.refuse();
  await assert.rejects(other.answer, { code: 'invalid_request' });
  const otherPayload = { ...key, fingerprint: fingerprint(key.operation, { another: true }) };
  const next = { text: '{"by":"the next"}', isReplay: false };
  assert.deepEqual(await answerOnce(database, otherPayload, async () => ({ by: 'the next' }), form), next);
  held.refuse();
  await assert.rejects(late, { code: 'invalid_request' });
});

/** A change that stores its answer: it writes a name of the caller. */
function renaming(of: Database, callerId: string, name: string) {
  const change = (own: Database) =>
    inTransaction(own, { lockTimeoutMs: 50 }, async (db) => {
      await db.query('update partner set name = $2 where partner_id = $1', [callerId, name]);
      return { name };
    });
  return (work: Work) => work.answer(of, change, (renamed) => renamed);
}

async function nameOf(callerId: string): Promise<string> {
  const { rows } = await database.pool.query('select name from partner where partner_id = $1', [callerId]);
  return rows[0].name;
}

const UNDER_WAY = { code: 'internal_service_unavailable', message: /still under way/ };

test('a change that failed before its COMMIT leaves the key free: the same request is done at once', async () => {
  const key = await newKey();
  const { callerId } = key;
  const holder = await database.pool.connect();
  await holder.query('begin');
  await holder.query('select from partner where partner_id = $1 for update', [callerId]);
  await assert.rejects(answerOnce(database, key, renaming(database, callerId, 'One'), form), { code: '55P03' });
  await holder.query('rollback');
  holder.release();
  assert.deepEqual(await answerOnce(database, key, renaming(database, callerId, 'Two'), form), {
    text: '{"name":"Two"}',
    isReplay: false,
  });
  assert.equal(await nameOf(callerId), 'Two');
});

test('a change whose COMMIT has no answer keeps its key, and so does work that stores something beside its answer', async () => {
  const key = await newKey();
  const { callerId } = key;
  const proxy = await databaseProxy(databaseUrl);
  const cutOff = await testService({ env: { DATABASE_URL: proxy.databaseUrl }, roles: [] });
  const held = proxy.hold('commit', true);
  const first = answerOnce(database, key, renaming(cutOff.database, callerId, 'One'), form);
  (await held)();
  await assert.rejects(first, { name: 'CommitUnknownError' });
  await waitFor('stored change', async () => (await nameOf(callerId)) === 'One');
  assert.deepEqual(await answerOnce(database, key, renaming(database, callerId, 'Two'), form), {
    text: '{"name":"One"}',
    isReplay: true,
  });
  const another = await newKey();
  const beside = async (work: Work) => {
    await renaming(database, another.callerId, 'Beside')(work);
    throw new ServiceError('internal_service_unavailable', 'Something else failed.');
  };
  await assert.rejects(answerOnce(database, another, beside, form), { message: 'Something else failed.' });
  assert.deepEqual(await answerOnce(database, another, renaming(database, another.callerId, 'Again'), form), {
    text: '{"name":"Beside"}',
    isReplay: true,
  });
});

test('work that failed without a change of its own keeps its key: a part of it may be stored', async () => {
  const key = await newKey();
  const failing = async () => {
    await database.pool.query('update partner set name = $2 where partner_id = $1', [key.callerId, 'Stored']);
    throw new ServiceError('internal_service_unavailable', 'Something else failed.');
  };
  await assert.rejects(answerOnce(database, key, failing, form), { message: 'Something else failed.' });
  await assert.rejects(
    answerOnce(database, key, () => assert.fail('The work is done once.'), form),
    UNDER_WAY,
  );
});
