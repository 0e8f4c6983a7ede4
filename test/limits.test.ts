/** Rate limits, sizes and overload: interface, "Limits"; decisions, sections 1 and 6. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countByStatus, detailCodes } from './support/client.ts';
import { countRows } from './support/records.ts';
import { testService } from './support/service.ts';

const service = await testService();

describe('rate_limited: per partner and class', () => {
  test('beyond rate and burst: 429, retryable, with Retry-After in whole seconds, and nothing is stored', async () => {
    const { client, partner } = await service.newPartner({ rates: { writesPerSecond: 5 } });
    const answers = await Promise.all(Array.from({ length: 60 }, () => client.confirm()));
    const counts = countByStatus(answers);
    assert.ok((counts[201] ?? 0) >= 10 && (counts[429] ?? 0) > 0, JSON.stringify(counts));
    for (const answer of answers.filter(({ status }) => status === 429)) {
      assert.deepEqual([answer.body.error.code, answer.body.error.retryable], ['rate_limited', true]);
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.deepEqual(detailCodes(answer), { point_restoration: 'not_authorized', next_action: 'retry_same_request' });
    }
    assert.equal((await countRows(service.database, partner.partnerId))['contribution'], counts[201]);
  });

  test('look-ups go on while writes are limited, so that recovery never starves', async () => {
    const { client } = await service.newPartner({ rates: { writesPerSecond: 1 } });
    const writes = await Promise.all(Array.from({ length: 20 }, () => client.confirm()));
    assert.ok((countByStatus(writes)[429] ?? 0) > 0);
    assert.equal((await client.findByEvent('event-of-nobody')).status, 404);
  });

  test("one partner's rate is not another's", async () => {
    const [busy, calm] = [
      await service.newPartner({ rates: { writesPerSecond: 1 } }),
      await service.newPartner({ rates: { writesPerSecond: 1 } }),
    ];
    await Promise.all(Array.from({ length: 20 }, () => busy.client.confirm()));
    assert.equal((await calm.client.confirm()).status, 201);
  });

  test('RateLimit and RateLimit-Policy tell the rate and what is left of it', async () => {
    const { client } = await service.newPartner({ rates: { lookupsPerSecond: 7 } });
    const { headers } = await client.findByEvent('event-of-nobody');
    assert.equal(headers.get('ratelimit-policy'), '"lookups";q=7;w=1');
    assert.match(headers.get('ratelimit') ?? '', /^"lookups";r=6;t=1$/);
  });

  test('a refused request is judged by its rate before its body is read', async () => {
    const { client } = await service.newPartner({ rates: { writesPerSecond: 1 } });
    await Promise.all(Array.from({ length: 10 }, () => client.confirm()));
    const answer = await client.post('/v1/impact-transactions', 'not json', { 'content-type': 'text/plain' });
    assert.equal(answer.status, 429);
  });
});

describe('sizes', () => {
  test('a body over 64 KiB is 413 with the envelope', async () => {
    const { client } = await service.newPartner();
    const answer = await client.post('/v1/impact-transactions', `{"points":${'1'.repeat(65_536)}}`);
    assert.deepEqual([answer.status, answer.body.error.code], [413, 'invalid_request']);
    assert.equal(detailCodes(answer)['next_action'], 'fix_request');
  });

  test('another media type, charset or coding is 415', async () => {
    const { client } = await service.newPartner();
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=iso-8859-1',
      'application/jsonx',
    ];
    for (const type of types) {
      const answer = await client.confirm({}, { 'content-type': type });
      assert.deepEqual([answer.status, answer.body.error.code], [415, 'invalid_request'], type);
    }
    assert.equal((await client.confirm({}, { 'content-encoding': 'gzip' })).status, 415);
    assert.equal((await client.confirm({}, { 'content-type': 'application/json; charset=UTF-8' })).status, 201);
  });
});
