import type pg from 'pg';
import type { Queryable } from '../database.ts';

interface HiddenTables {
  /** Of the tables of an installation, which this session does not find. */
  readonly schema: string;
  readonly mayUseSchema: boolean;
  readonly role: string;
  readonly searchPath: string;
}

/**
 * A copy in another schema hides from nobody while the tables are found. Other programs make a list of migrations of this name, too. A
 * search_path that DATABASE_URL itself names is no accident: it is of another installation in the same database.
 */
const FIND_HIDDEN = `select n.nspname as "schema", has_schema_privilege(n.oid, 'usage') as "mayUseSchema", current_user as "role",
    current_setting('search_path') as "searchPath"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where to_regclass('kysely_migration') is null
    and (select source from pg_settings where name = 'search_path') <> 'client' and c.relname = 'contribution' and c.relkind in ('r', 'p') and not pg_table_is_visible(c.oid)
    and exists (select from pg_class l where l.relname = 'kysely_migration' and l.relnamespace = c.relnamespace)
  order by n.nspname limit 1`;

/**
 * @returns Where the database has the tables of an installation that the role does not find, and what lets it find them; `undefined` where it
 * finds tables, or there are none.
 */
export async function describeHiddenTables(db: Queryable): Promise<string | undefined> {
  const { rows } = await (db as pg.Pool).query<HiddenTables>(FIND_HIDDEN);
  const [hidden] = rows;
  if (!hidden) return undefined;
  const { schema, mayUseSchema, role, searchPath } = hidden;
  const tables = `The tables of this installation are in the schema ${schema} of the database`;
  if (!mayUseSchema)
    return `${tables}, which the role ${role} may not use: as the owner of the schema, grant usage on schema ${schema} to ${role}.`;
  return `${tables}, where the search_path of the role ${role} (${searchPath}) does not lead: set it as it was for the role or for the database. Another installation needs a database of its own, or a search_path in its DATABASE_URL.`;
}

/**
 * Beside such tables no others are made: they would be empty, and no partner would be known.
 *
 * @throws Error With the sentence of {@link describeHiddenTables}.
 */
export async function refuseHiddenTables(db: Queryable): Promise<void> {
  const sentence = await describeHiddenTables(db);
  if (sentence !== undefined) throw new Error(sentence);
}
