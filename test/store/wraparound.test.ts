/**
 * A server that warns with every transaction id, because VACUUM cannot freeze what a replication slot holds: `pg_resetwal` takes it there.
 * It commits like any other until the last id.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_RULES } from '../../src/domain/rules/contribution-rules.ts';
import { openEmbedded } from '../../src/embedded-postgres/open-embedded.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { clearAway, isRoot, makeFolder, query } from '../support/postgres/embedded.ts';
import { testService } from '../support/service.ts';

/** The packaged programs have no `pg_resetwal`. */
const binaries = '/usr/lib/postgresql/15/bin';
const needed = { skip: existsSync(join(binaries, 'pg_resetwal')) ? false : "Debian's PostgreSQL 15 is not installed" };

after(clearAway);

/** PostgreSQL warns from 40 million ids before the wraparound on, which is 2^31 ids after the oldest one. */
const NEXT_ID = 2 ** 31 - 39_000_000;
const IDS_IN_A_SEGMENT = 2 ** 20;

/** @returns The folder of its socket. */
async function startNearWraparound(): Promise<string> {
  const folder = makeFolder();
  const cluster = join(folder, 'postgres');
  const first = await openEmbedded(folder, { binaries });
  appendFileSync(join(cluster, 'postgresql.conf'), 'wal_level = logical\n');
  await first.stop();
  const second = await openEmbedded(folder, { binaries });
  await query(second.socketDirectory, "select pg_create_logical_replication_slot('held', 'pgoutput')");
  await second.stop();
  const segment = join(
    cluster,
    'pg_xact',
    Math.floor(NEXT_ID / IDS_IN_A_SEGMENT)
      .toString(16)
      .padStart(4, '0')
      .toUpperCase(),
  );
  writeFileSync(segment, Buffer.alloc(IDS_IN_A_SEGMENT / 4));
  const [program = '', ...words] = [
    ...(isRoot ? ['unshare', '--user', '--map-user=65534', '--map-group=65534'] : []),
    join(binaries, 'pg_resetwal'),
  ];
  execFileSync(program, [...words, '-f', '-x', String(NEXT_ID), '-D', cluster]);
  const third = await openEmbedded(folder, { binaries });
  after(() => third.stop());
  return third.socketDirectory;
}

test('transaction ids that run out: all is recorded, and the service is ready and says so', needed, async () => {
  const socket = await startNearWraparound();
  const databaseUrl = `postgresql:///postgres?host=${encodeURIComponent(socket)}&user=postgres`;
  const service = await testService({
    env: { DATABASE_URL: databaseUrl },
    rulesOf: () => ({ ...DEFAULT_RULES, dailyCountCap: 100n }),
  });
  const { client } = await service.newPartner();
  const confirmed = await client.confirm();
  assert.equal(confirmed.status, 201);
  const read = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${service.operationsPort}${path}`);
    return `${answer.status} ${await answer.text()}`;
  };
  const told = await waitFor('what /readyz says', async () => {
    const text = await read('/readyz');
    return text.includes('transaction ids') && text;
  });
  assert.match(
    told,
    /^200 ready, but .+transaction ids run out.+replication slots.+database "\w+" has to be vacuumed: its oldest id is 21\d{8} ids old/,
  );
  assert.match(await read('/metrics'), /^partner_impact_database_problem\{reason="wraparound"\} 1$/m);
});
