import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface TestDatabase {
  readonly name: string;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
}

const OBJECT_IN_USE = '55006';
let made = 0;

/** A migrated database of its own for a test file, gone when the file's tests are over. */
export async function testDatabase(): Promise<TestDatabase> {
  const shared = process.env['TEST_DATABASE_URL'];
  if (shared !== undefined) return shareDatabase(shared);
  return createDatabase(setting('TEST_DATABASE_TEMPLATE'));
}

/** The same without any table. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template0');
}

/** On a cluster one database serves all files: every test makes partners of its own. */
function shareDatabase(databaseUrl: string): TestDatabase {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  after(() => pool.end());
  return { name: new URL(databaseUrl).pathname.slice(1), databaseUrl, pool };
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const host = setting('TEST_DATABASE_HOST');
  const name = `test_${process.pid}_${made++}`;
  await administer(host, `create database ${name} template ${template}`);
  const databaseUrl = `postgresql:///${name}?host=${encodeURIComponent(host)}&user=postgres`;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  after(async () => {
    await pool.end();
    // Hooks run in the order in which they were added: what a file starts on the database is stopped by later ones.
    if (unused.push({ host, name }) === 1) process.once('beforeExit', dropUnused);
  });
  return { name, databaseUrl, pool };
}

/** Databases whose tests are over. */
const unused: { host: string; name: string }[] = [];

async function dropUnused(): Promise<void> {
  for (const { host, name } of unused.splice(0)) await administer(host, `drop database ${name} with (force)`);
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`${name} is not set: run this file with \`node scripts/test.ts FILE\`, which starts PostgreSQL for it.`);
  return value;
}

/** Two creators can meet on the template, which PostgreSQL refuses; the later one tries again. */
async function administer(host: string, statement: string): Promise<void> {
  const client = new pg.Client({ host, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return void (await client.query(statement));
      } catch (error) {
        if ((error as pg.DatabaseError).code !== OBJECT_IN_USE || attempt === 50) throw error;
        await sleep(20);
      }
    }
  } finally {
    await client.end();
  }
}
