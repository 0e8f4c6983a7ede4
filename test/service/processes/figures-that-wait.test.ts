/** What the metrics of `serve --processes` say of the processes while their figures wait for the database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../../reliability/harness/free-port.ts';
import { HANG_LIMIT } from '../../support/assertions/hang-limit.ts';
import { testDatabase } from '../../support/postgres/database.ts';
import { spawnService } from '../../support/service.ts';

test('no process counts as silent while a session of an operator has locked the endpoints', HANG_LIMIT, async () => {
  const { databaseUrl, pool } = await testDatabase();
  const port = await freePort();
  const crew = await spawnService(databaseUrl, { OPERATIONS_PORT: String(port) }, ['--processes', '2', '--roles', 'api']);
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const operator = await pool.connect();
  try {
    await operator.query('begin; lock table webhook_endpoint in access exclusive mode');
    const text = await scrape();
    assert.match(text, /^partner_impact_processes_silent 0$/m);
    assert.match(text, /^partner_impact_event_relay_lag_seconds 0$/m);
  } finally {
    await operator.query('rollback');
    operator.release();
  }
  assert.equal(await crew.end('SIGTERM'), 0);
});
