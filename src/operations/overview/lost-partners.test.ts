import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../store/database.ts';
import { explainLostWorker } from './lost-partners.ts';

test('an operator is told whether a worker does not answer, or has no connection left', async () => {
  const database = { ...openDatabase({ databaseUrl: 'postgres://127.0.0.1:9/nowhere' }), isDistributed: true };
  const explain = (words: string) => {
    const message = `connection to the remote node impact@worker-1:5432 failed with the following error: ${words}`;
    return explainLostWorker(database, new pg.DatabaseError(message, 0, 'error'));
  };
  const lost = /^A worker of the database does not answer\. .+ at \/readyz \(worker_lost\)\.$/;
  assert.match(String(await explain('Connection refused')), lost);
  const usedUp = /^A worker of the database takes no further connections\. .+ at \/readyz \(connections_used_up\)\.$/;
  assert.match(String(await explain('FATAL:  sorry, too many clients already')), usedUp);
  assert.equal(await explainLostWorker(database, new Error('another failure')), undefined);
  await database.close();
});
