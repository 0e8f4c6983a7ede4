// Writes migrations/schema.sql from a database that was migrated from nothing. A test fails when the file is stale.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbedded } from '../src/embedded-postgres/open-embedded.ts';
import { migrate } from '../src/store/schema/migrate.ts';
import { renderSchema } from './render-schema.ts';

const directory = await mkdtemp(join(tmpdir(), 'partner-impact-schema-'));
const server = await openEmbedded(directory);
const databaseUrl = `postgresql:///postgres?host=${encodeURIComponent(server.socketDirectory)}&user=postgres`;
const pool = new pg.Pool({ connectionString: databaseUrl });
// A connection that ends with its server is no failure.
pool.on('error', () => {});
try {
  await migrate(databaseUrl);
  await writeFile(new URL('../migrations/schema.sql', import.meta.url), await renderSchema(pool));
  process.stdout.write('Wrote migrations/schema.sql\n');
} finally {
  await pool.end();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
