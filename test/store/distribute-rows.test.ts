/** Distributes a database that has rows and is written to: its rows are moved, however long that takes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newToken } from '../../bench/rows/identifiers.ts';
import { distributeTables, GROWING_TABLES } from '../../src/store/schema/distribute.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { clusterDatabase } from '../support/postgres/cluster-database.ts';
import { connect } from '../support/postgres/connect.ts';
import { clusterUrl } from '../support/postgres/lost-node.ts';
import { insertOldRows } from '../support/postgres/older-database.ts';

const ROWS = 20;
/** Together longer than the server may be silent on a connection of the service. */
const ROW_TAKES_SECONDS = 0.3;
/** Of a session of a worker that is idle in a transaction. */
const WORKER_TIMEOUT = '1s';

if (clusterUrl === undefined) test('one PostgreSQL has no nodes', { skip: 'needs a Citus cluster' });
else await testOnCluster(clusterUrl);

async function testOnCluster(coordinatorUrl: string): Promise<void> {
  const { databaseUrl, pool, workers } = await clusterDatabase(coordinatorUrl, { isDistributed: false });
  const count = async () => {
    const { rows } = await pool.query<{ contributions: number; estimates: number }>(
      'select (select count(*)::int4 from contribution) as contributions, (select count(*)::int4 from estimate) as estimates',
    );
    return rows[0];
  };

  /** The coordinator moves the rows of one worker after the other: sessions of the others are idle meanwhile. */
  async function makeSlow(): Promise<void> {
    const name = new URL(databaseUrl).pathname.slice(1);
    for (const worker of workers)
      await worker.query(
        `set citus.enable_ddl_propagation = off; alter database ${name} set idle_in_transaction_session_timeout = '${WORKER_TIMEOUT}'`,
      );
    await pool.query(
      `alter table estimate add constraint takes_long check (pg_sleep(${ROW_TAKES_SECONDS}) is not null) not valid`,
    );
  }

  test('every row is moved, however long it takes, and whoever writes meanwhile goes on', HANG_LIMIT, async () => {
    await insertOldRows(pool, { token: newToken(), first: 1, last: ROWS });
    await makeSlow();
    // It takes the tables in another order than the distribution.
    const writer = await connect(databaseUrl);
    const writes = (table: 'contribution' | 'estimate') => insertOldRows(writer, { token, first: 1, last: 1, tables: [table] });
    const token = newToken();
    await writer.query('begin');
    await writes('estimate');
    const distributed = distributeTables(databaseUrl);
    const isAskedFor = `select from pg_locks where relation = 'contribution'::regclass and granted and mode <> 'AccessShareLock'`;
    await waitFor('the tables to be asked for', async () => (await pool.query(isAskedFor)).rows.length > 0);
    await writes('contribution');
    await writer.query('commit');
    assert.deepEqual(await distributed, GROWING_TABLES);
    assert.deepEqual(await count(), { contributions: ROWS + 1, estimates: ROWS + 1 });
  });
}
