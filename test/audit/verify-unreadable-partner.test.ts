/** A verification of all partners tells what it found although a later partner cannot be read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeNamedKey } from '../../src/domain/audit/named-key.ts';
import { adjustmentScene } from '../support/adjustments/adjustment-scene.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine } from '../support/command-line.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';
import { closeNow } from '../support/settlements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = await testService({ roles: ['api', 'webhooks'] });
const { database } = service;
const { run } = commandLine({
  DATABASE_URL: service.databaseUrl,
  DATA_DIR: temporaryFolder('verify-unreadable-partner'),
  AUDIT_KEY: database.auditKeys().map(writeNamedKey).join(','),
});
const scene = await adjustmentScene(service);

/** The first partner has an edited adjustment and an edited line; the last one comes after it. */
const first = await scene.newContribution();
const { adjustmentId } = await scene.draft(first, -50n);
await closeNow(database, first.partnerId);
const last = await scene.newContribution();
await scene.draft(last, -50n);
await closeNow(database, last.partnerId);
await asSuperuser(database.pool, async (client) => {
  await client.query('update adjustment set points_delta = points_delta - 1 where adjustment_id = $1', [adjustmentId]);
  await client.query('update settlement_line set points = points + 1 where partner_id = $1', [first.partnerId]);
});

/** Whatever reads the table for the last partner fails, and for no other. */
async function refuseLast(table: string): Promise<void> {
  await database.pool.query(`alter table ${table} rename to ${table}_away`);
  await database.pool.query(`create or replace function is_readable(id text) returns boolean language plpgsql as $$
    begin if id = '${last.partnerId}' then raise 'the page is damaged' using errcode = 'XX001'; end if; return true; end $$`);
  await database.pool.query(`create view ${table} as select * from ${table}_away where is_readable(partner_id)`);
}

async function restore(table: string): Promise<void> {
  await database.pool.query(`drop view if exists ${table}`);
  await database.pool.query(`alter table if exists ${table}_away rename to ${table}`);
}

for (const [command, table, found] of [
  ['adjustment', 'adjustment', adjustmentId],
  ['settlement', 'settlement_line', first.partnerId],
] as const)
  test(`${command} verify, by the database's own error`, HANG_LIMIT, async () => {
    await refuseLast(table);
    try {
      const { code, stdout, stderr } = await run([command, 'verify']);
      assert.equal(code, 1);
      assert.match(stdout, new RegExp(`^${found} `, 'm'));
      assert.match(stderr, /the page is damaged/);
      const forPrograms = await run([command, 'verify', '--json']);
      const { ok, problems } = JSON.parse(forPrograms.stdout);
      assert.deepEqual([ok, JSON.stringify(problems).includes(found)], [false, true]);
      const alone = await run([command, 'verify', '--partner', last.partnerId]);
      assert.deepEqual([alone.code, alone.stdout], [1, '']);
    } finally {
      await restore(table);
    }
  });

test('settlement verify, of a value that no program can read, and goes on', HANG_LIMIT, async () => {
  await asSuperuser(database.pool, async (client) => {
    await client.query("update settlement set totals_by_version = '{' where partner_id = $1", [first.partnerId]);
  });
  const { code, stdout } = await run(['settlement', 'verify', '--json']);
  assert.equal(code, 1);
  const { ok, settlements, problems } = JSON.parse(stdout);
  assert.deepEqual([ok, settlements > 0], [false, true]);
  assert.ok(
    problems.some(
      ({ partner_id, code: what }: Record<string, unknown>) => partner_id === first.partnerId && what === 'unreadable',
    ),
  );
});
