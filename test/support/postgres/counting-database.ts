import type pg from 'pg';
import type { Database } from '../../../src/store/database.ts';

/**
 * The same database with a pool of its own identity, and how often each statement is sent through it: by its name, or by its text where it
 * has none.
 */
export function countingDatabase(database: Database): { readonly counted: Database; readonly sent: Map<string, number> } {
  const sent = new Map<string, number>();
  const counted =
    (query: (...words: unknown[]) => unknown) =>
    (...words: unknown[]) => {
      const [statement] = words as [string | { readonly name?: string; readonly text: string }];
      const key = typeof statement === 'string' ? statement : (statement.name ?? statement.text);
      sent.set(key, (sent.get(key) ?? 0) + 1);
      return query(...words);
    };
  const countedQuery = (db: Pick<pg.Pool, 'query'>) => counted(db.query.bind(db) as (...words: unknown[]) => unknown);
  const connect = async () => {
    const client = await database.pool.connect();
    return { query: countedQuery(client), release: (broken?: boolean) => client.release(broken) };
  };
  const pool = { query: countedQuery(database.pool), connect } as unknown as pg.Pool;
  return { counted: { ...database, pool }, sent };
}
