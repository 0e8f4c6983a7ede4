/** The clock of new identifiers, in a process that serves no partners: lists of a span of time find records by their ids. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pino from 'pino';
import { ID_PREFIXES, newId, timeOfId } from '../../src/domain/identifiers.ts';
import { openDatabaseWatch } from '../../src/service/database-watch.ts';
import { setIdentifierClock } from '../../src/service/identifier-clock.ts';
import { openDatabase } from '../../src/store/database.ts';
import { connect } from '../support/postgres/connect.ts';
import { emptyDatabase } from '../support/postgres/database.ts';

const HOUR_MS = 3_600_000;

test('new identifiers follow the clock of the database that the watch reads', async () => {
  const { databaseUrl, name } = await emptyDatabase();
  const administrator = await connect(databaseUrl);
  await administrator.query(`create schema ahead;
    create function ahead.clock_timestamp() returns timestamptz language sql
      as $$ select pg_catalog.clock_timestamp() + interval '7 hours' $$;
    alter database ${name} set search_path = ahead, pg_catalog`);
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  const watch = openDatabaseWatch({ database, logger: pino({ level: 'silent' }) });
  after(async () => {
    // Files that come later use the same clock.
    setIdentifierClock(Date.now() - performance.now());
    watch.close();
    await database.close();
  });
  assert.match(String(await watch.check()), /its clock is not that of this machine/);
  const aheadMs = Number(timeOfId(ID_PREFIXES.contribution, newId(ID_PREFIXES.contribution))) - Date.now();
  assert.equal(Math.round(aheadMs / HOUR_MS), 7);
});
