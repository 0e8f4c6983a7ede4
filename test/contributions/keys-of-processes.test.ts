/** Decisions, section 3: one key, one record. Processes share nothing but the database, which therefore decides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, uniqueId } from '../support/client.ts';
import { testServiceProcesses } from '../support/service.ts';

const ROUNDS = 5;
const EACH = 10;

const service = await testServiceProcesses(2);

test('idempotency_conflict: one key has one record, however many events race for it in two processes', async () => {
  const { key } = await service.newPartner();
  const clients = service.processes.map(({ baseUrl }) => new Client(baseUrl, key.apiKey));
  for (let round = 0; round < ROUNDS; round++) {
    const headers = { 'idempotency-key': uniqueId('contested') };
    const answers = await Promise.all(
      clients.flatMap((client) => Array.from({ length: EACH }, () => client.confirm({}, headers))),
    );
    const codes = answers.map(({ status, body }) => (status === 201 ? 'recorded' : body.error.code));
    assert.deepEqual(codes.sort(), [...Array(2 * EACH - 1).fill('idempotency_conflict'), 'recorded']);
    const { rows } = await service.database.pool.query('select 1 from contribution where idempotency_key = $1', [
      headers['idempotency-key'],
    ]);
    assert.equal(rows.length, 1);
  }
});
