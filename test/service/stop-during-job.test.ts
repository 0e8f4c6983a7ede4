/** A stop while a job that an operator began has not ended: partners do not wait for it. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { freePort } from '../../reliability/harness/free-port.ts';
import { readConfig } from '../../src/config.ts';
import { openAuditKeys } from '../../src/service/keys/configured-keys.ts';
import { openDatabase } from '../../src/store/database.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { spawnService } from '../support/service.ts';

const JOB = 'remove-reconciliations';

const { databaseUrl } = await testDatabase();
const database = openDatabase({ databaseUrl, poolSize: 3, auditKeys: () => openAuditKeys(readConfig({})) });
after(() => database.close());

/** A statement gives up after 4.5 s: a stop that a busy machine delays for as long finds the job ended. */
const PLAYS = 5;

describe('a stop while a job that an operator began waits for the database', HANG_LIMIT, () => {
  for (const count of [1, 2])
    test(`ends the requests of partners first, and then the job, with --processes ${count}`, async () => {
      let seen = false;
      for (let play = 0; play < PLAYS && !seen; play++) seen = await stopDuringJob(count);
      assert.ok(seen, 'the interface of partners closed while the job waited');
    });
});

/** @returns Whether the interface of partners was closed while the job still waited. */
async function stopDuringJob(count: number): Promise<boolean> {
  const operationsPort = await freePort();
  const words = ['--processes', String(count), '--roles', 'api'];
  const service = await spawnService(databaseUrl, { OPERATIONS_PORT: String(operationsPort) }, words);
  const operator = await signedInOperator({ database, operationsPort }, 'operator');
  const lock = await database.pool.connect();
  await lock.query(
    'begin; set local idle_in_transaction_session_timeout = 0; lock table reconciliation in access exclusive mode',
  );
  const { status } = await operator.postOnce(`/operator/v1/jobs/${JOB}/run`, undefined);
  assert.equal(status, 200);
  await waitFor('job that waits', isWaiting);
  const ended = service.end('SIGTERM');
  await waitFor('closed interface of partners', () =>
    fetch(`${service.baseUrl}/v1/partner`, { headers: { connection: 'close' } }).then(
      () => false,
      () => true,
    ),
  );
  const wasWaiting = await isWaiting();
  await lock.query('rollback');
  lock.release();
  assert.equal(await ended, 0);
  const { rows } = await database.pool.query('select outcome from job_run where job_name = $1 order by run_no desc limit 1', [
    JOB,
  ]);
  if (wasWaiting) assert.deepEqual(rows, [{ outcome: 'stopped' }]);
  return wasWaiting;
}

async function isWaiting(): Promise<boolean> {
  const { rows } = await database.pool.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%reconciliation%'",
  );
  return rows.length > 0;
}
