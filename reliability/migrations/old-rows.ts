import type pg from 'pg';

export interface OldRows {
  /** Reads them anew: the same rows, with the same values in the columns of before. */
  compare(): Promise<KeptRows>;
}

export interface KeptRows {
  /** How many rows were there before. */
  readonly compared: number;
  /** Tables whose rows of before are not the same any more. */
  readonly changed: readonly string[];
  /** How many other contributions there are. */
  readonly others: number;
}

const TABLES = { contribution: 'transaction_id', estimate: 'calculation_id' } as const;
type Table = keyof typeof TABLES;

/** What the rows of one table come to: their number, and the sum of their hashes, which does not depend on their order. */
interface Digest {
  readonly count: number;
  readonly hashes: string;
}

/**
 * Contributions and estimates as they are now, to be compared with themselves later.
 *
 * @param token In the identifiers of the rows; those of other rows lack it.
 */
export async function readOldRows(pool: pg.Pool, token: string): Promise<OldRows> {
  const tables = await Promise.all(
    (Object.keys(TABLES) as Table[]).map(async (table) => {
      const statement = digestOf(table, await listColumns(pool, table));
      const digest = async (): Promise<Digest> => (await pool.query<Digest>(statement, [token])).rows[0] as Digest;
      return { table, digest, before: await digest() };
    }),
  );
  const compare = async (): Promise<KeptRows> => {
    const changed: string[] = [];
    for (const { table, digest, before } of tables) {
      const { count, hashes } = await digest();
      if (count !== before.count || hashes !== before.hashes) changed.push(table);
    }
    const compared = tables.reduce((sum, { before }) => sum + before.count, 0);
    const others = 'select count(*)::int4 as count from contribution where strpos(transaction_id, $1) = 0';
    return { compared, changed, others: (await pool.query(others, [token])).rows[0].count };
  };
  return { compare };
}

async function listColumns(pool: pg.Pool, table: Table): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'select attname as name from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attnum',
    [table],
  );
  return rows.map(({ name }) => name);
}

function digestOf(table: Table, columns: readonly string[]): string {
  return `select count(*)::int4 as count, coalesce(sum(hashtextextended(row(${columns.join(', ')})::text, 0)), 0)::text as hashes
    from ${table} where strpos(${TABLES[table]}, $1) > 0`;
}
