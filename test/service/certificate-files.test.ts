/** The files that the address of the database names are read for each new connection, so they may be absent for a moment. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { describeFailure } from '../../src/service/open-database.ts';
import { openDatabase } from '../../src/store/database.ts';
import { problemOf } from '../../src/store/database-problem.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { tlsFront } from '../support/postgres/tls-front.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function openWithAuthority() {
  const { databaseUrl, authority } = await tlsFront((await emptyDatabase()).databaseUrl);
  const file = join(temporaryFolder('authority'), 'ca.pem');
  const store = () => writeFileSync(file, authority);
  store();
  const members = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: file });
  const database = openDatabase({ databaseUrl: `${databaseUrl}?${members}`, poolSize: 1 });
  after(() => database.close());
  return { pool: database.pool, file, store };
}

const isToldOfFile = (error: unknown): true => {
  assert.equal(problemOf(error)?.reason, 'certificate');
  assert.match(describeFailure(error), /^ENOENT: no such file or directory, open '.+ca\.pem'\. .+sslrootcert/);
  return true;
};

test(
  'a connection that ends while the file of sslrootcert is absent leaves the process running, and all who wait are told why',
  HANG_LIMIT,
  async () => {
    const { pool, file, store } = await openWithAuthority();
    const held = await pool.connect();
    const { rows } = await held.query('select pg_backend_pid() as pid');
    const waiting = [1, 2, 3].map(() => assert.rejects(pool.query('select 1'), isToldOfFile));
    rmSync(file);
    held.release(true);
    await Promise.all(waiting);
    await assert.rejects(pool.query('select 1'), isToldOfFile);
    store();
    const again = await pool.query('select pg_backend_pid() as pid');
    assert.notEqual(again.rows[0].pid, rows[0].pid);
    assert.deepEqual([pool.totalCount, pool.waitingCount], [1, 0]);
  },
);

test('something else in place of the file of sslrootcert is a problem of the certificate', async () => {
  const { pool, file } = await openWithAuthority();
  rmSync(file);
  mkdirSync(file);
  await assert.rejects(pool.query('select 1'), (error) => problemOf(error)?.reason === 'certificate');
});
