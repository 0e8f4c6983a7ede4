/** More requests of operators at once than there are connections for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { waitFor } from '../support/assertions/wait-for.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';

/** Longer than a request waits for a connection of the pool, and shorter than a statement waits for a lock. */
const HELD_MS = 3_300;

const service = await testService();
const { pool } = service.database;
const ask = (path: string) => fetch(`http://127.0.0.1:${service.operationsPort}${path}`).then((answer) => answer.text());

async function countWaiting(): Promise<number> {
  const { rows } = await pool.query(
    `select count(*)::int4 as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].n;
}

test('all are answered, and the probes wait for none of them', async () => {
  const operator = await signedInOperator(service, 'operator');
  const holder = new pg.Client(String(pool.options.connectionString));
  await holder.connect();
  await holder.query(
    'set idle_in_transaction_session_timeout = 0; begin; lock table operator_credential in access exclusive mode',
  );
  const answers = Array.from({ length: 30 }, () => operator.get('/operator/v1/partners'));
  try {
    await waitFor('requests that wait for the table', async () => (await countWaiting()) > 0);
    // Before the table is free again.
    assert.equal(await ask('/livez'), 'alive\n');
    assert.match(await ask('/readyz'), /^ready/);
    await sleep(HELD_MS);
  } finally {
    await holder.end();
  }
  assert.deepEqual(
    (await Promise.all(answers)).filter(({ status }) => status !== 200).map(({ text }) => text),
    [],
  );
});
