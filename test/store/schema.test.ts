/** The schema that the migrations make, and how they make it. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { renderSchema } from '../../scripts/render-schema.ts';
import { openDatabase } from '../../src/store/database.ts';
import { claimInstallation } from '../../src/store/installation.ts';
import { listStatements, migrate } from '../../src/store/schema/migrate.ts';
import { emptyDatabase, testDatabase } from '../support/postgres/database.ts';

const { pool } = await testDatabase();

/** Tables whose rows do not grow with the partners' traffic, but with what operators do, or last as long as a lease. */
const SMALL_TABLES = [
  'installation',
  'partner',
  'api_key',
  'operator',
  'operator_credential',
  'project',
  'impact_batch',
  'impact_batch_change',
  'impact_evidence',
  'job',
  'job_run',
  'audit_entry',
  'audit_head',
  'rule_version',
  'rule_revision',
  'sample_data',
  'delivery_hand_over',
  'kysely_migration',
];

/** Of a contribution: an operator's search finds a name over all partners at once. */
const NAMES_BEFORE_PARTNERS = ['contribution_idempotency_key', 'contribution_order_holder', 'contribution_partner_event'];

test('partner_id stands in every unique index of a growing table: first, or second behind what a partner names a contribution by', async () => {
  const { rows } = await pool.query<{ table: string; index: string; names: string[] }>(
    `select t.relname as "table", i.relname as "index", array(
       select a.attname::text from unnest(x.indkey) with ordinality k (number, place)
         join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number order by k.place
     ) as names
     from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
     where x.indisunique and t.relnamespace = 'public'::regnamespace and t.relname <> all($1)`,
    [SMALL_TABLES],
  );
  assert.ok(rows.length >= 9, `${rows.length} unique indexes were looked at`);
  assert.deepEqual(
    rows.filter(({ index, names }) => names.indexOf('partner_id') !== (NAMES_BEFORE_PARTNERS.includes(index) ? 1 : 0)),
    [],
  );
});

test('migrations/schema.sql is what the migrations make', async () => {
  const written = await readFile(fileURLToPath(new URL('../../migrations/schema.sql', import.meta.url)), 'utf8');
  assert.equal(await renderSchema(pool), written, 'run `npm run schema` and review the difference');
});

test('a migration is sent statement by statement, as a distributed database needs it', async () => {
  const folder = fileURLToPath(new URL('../../migrations/', import.meta.url));
  for (const file of (await readdir(folder)).filter((name) => /^\d{4}_/.test(name))) {
    const statements = listStatements(await readFile(`${folder}${file}`, 'utf8'));
    for (const statement of statements) {
      const bare = statement.replaceAll(/\$\$.*?\$\$/gs, '').replaceAll(/--.*$/gm, '');
      assert.equal(bare.trim().split(';').length, 2, `${file}: ${statement}`);
    }
  }
});

test('the indexes to build again after another operating system, by docs/operating.md, are those whose order depends on its collation', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = 'public'::regnamespace and exists (
        select from unnest(i.indcollation) o join pg_collation k on k.oid = o where k.collname not in ('C', 'POSIX'))`,
  );
  const text = await readFile(fileURLToPath(new URL('../../docs/operating.md', import.meta.url)), 'utf8');
  const documented = [...text.matchAll(/reindex index concurrently (\w+)/g)].map(([, name]) => name);
  assert.deepEqual(rows.map(({ name }) => name).sort(), documented.sort());
});

test('twenty migrations of an empty database at once: each succeeds, and each file is applied once', async () => {
  const { databaseUrl } = await emptyDatabase();
  const applied = await Promise.all(Array.from({ length: 20 }, () => migrate(databaseUrl)));
  const names = applied.flat().map(({ name }) => name);
  assert.ok(names.length > 10);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(await migrate(databaseUrl), []);
});

test('a database remembers its environment, however many claim it at once', async () => {
  const { databaseUrl } = await emptyDatabase();
  await migrate(databaseUrl);
  const database = openDatabase({ databaseUrl });
  try {
    const owners = await Promise.all(
      Array.from({ length: 10 }, (_, index) => claimInstallation(database.pool, index % 2 === 0 ? 'sandbox' : 'production')),
    );
    assert.equal(new Set(owners).size, 1);
  } finally {
    await database.close();
  }
});
