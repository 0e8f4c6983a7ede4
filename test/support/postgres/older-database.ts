/** A database as an earlier release left it, with rows. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { contributionColumns, estimateColumns, fitToTable, insertSelect } from '../../../bench/rows/rows.ts';
import { listStatements } from '../../../src/store/schema/migrate.ts';

const FOLDER = fileURLToPath(new URL('../../../migrations/', import.meta.url));

/**
 * Applies the files before this one to an empty database.
 *
 * @param without Beginnings of the names of files that the release lacked.
 */
export async function applyOlder(pool: pg.Pool | pg.ClientBase, before: string, without: readonly string[] = []): Promise<void> {
  const isLacked = (file: string) => without.some((beginning) => file.startsWith(beginning));
  const files = (await readdir(FOLDER)).filter((file) => /^\d{4}_/.test(file) && file < before && !isLacked(file)).sort();
  await pool.query('create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)');
  for (const file of files) {
    for (const statement of listStatements(await readFile(`${FOLDER}${file}`, 'utf8'))) await pool.query(statement);
    await pool.query('insert into kysely_migration values ($1, $2)', [file.replace('.sql', ''), '2026-01-01T00:00:00.000Z']);
  }
}

export interface OldRows {
  readonly token: string;
  readonly first: number;
  readonly last: number;
  /** Both, unless told. */
  readonly tables?: readonly ('contribution' | 'estimate')[];
}

/** Contributions and estimates of `ptn_1`, each under ids of its own. */
export async function insertOldRows(
  db: pg.Pool | pg.ClientBase,
  { token, first, last, tables = ['contribution', 'estimate'] }: OldRows,
): Promise<void> {
  const terms = { partner: `'ptn_1'`, token, number: 'n' };
  const columns = { contribution: contributionColumns(terms), estimate: estimateColumns(terms) };
  for (const table of tables) {
    const fitting = await fitToTable(db as pg.Pool, table, columns[table]);
    await db.query(insertSelect(table, fitting, `from generate_series(${first}::bigint, ${last}) n`));
  }
}
