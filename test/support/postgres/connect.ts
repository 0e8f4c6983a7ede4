import { after } from 'node:test';
import pg from 'pg';

/** A connection of the test, which ends with the file. */
export async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  after(() => client.end());
  return client;
}
