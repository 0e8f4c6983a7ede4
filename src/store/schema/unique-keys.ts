import { readFile } from 'node:fs/promises';
import type { Queryable } from '../database.ts';
import { runAnew } from '../query.ts';

const SCHEMA = new URL('../../../migrations/schema.sql', import.meta.url);

/** A unique index, or the index of a constraint, that the migrations make. */
export interface UniqueKey {
  readonly name: string;
  readonly table: string;
  /** SQL that makes it where it is missing, beside writers if it is no constraint. */
  readonly text: string;
}

const TABLE = /^create table (\w+) \(\n(.*?)^\)/gms;
const CONSTRAINT = /^ {2}constraint (\w+) ((?:PRIMARY KEY|UNIQUE) .*?),?$/gm;
const INDEX = /^CREATE UNIQUE INDEX (\w+) ON public\.(\w+) (.*);$/gm;

/** Those that `migrations/schema.sql` names. */
export async function listUniqueKeys(): Promise<UniqueKey[]> {
  const schema = await readFile(SCHEMA, 'utf8');
  const ofConstraints = [...schema.matchAll(TABLE)].flatMap(([, table = '', lines = '']) =>
    [...lines.matchAll(CONSTRAINT)].map(([, name = '', key]) => {
      return { name, table, text: `alter table ${table} add constraint ${name} ${key}` };
    }),
  );
  const ofIndexes = [...schema.matchAll(INDEX)].map(([, name = '', table = '', key]) => {
    const text = `drop index concurrently if exists ${name}; create unique index concurrently ${name} on ${table} ${key}`;
    return { name, table, text };
  });
  return [...ofConstraints, ...ofIndexes];
}

/** An index that a concurrent build left unfinished checks some rows only. */
const LIST_PRESENT = `select c.relname::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indisunique and i.indisvalid and i.indrelid in (select to_regclass(name) from unnest($1::text[]) name)`;

/**
 * The keys that the database lacks, such as after a restore with errors. Nothing else tells of it: an insert that leaves out what is
 * recorded finds nothing recorded. The schema has to be that of this release. Of a cluster the coordinator tells.
 */
export async function listLackingKeys(db: Queryable): Promise<UniqueKey[]> {
  const keys = await listUniqueKeys();
  const statement = { name: 'list_unique_keys', text: LIST_PRESENT };
  const rows = await runAnew<{ name: string }>(db, statement, [[...new Set(keys.map(({ table }) => table))]]);
  const present = new Set(rows.map(({ name }) => name));
  return keys.filter(({ name }) => !present.has(name));
}

/** What is wrong, and what makes it right again. */
export function describeLackingKey({ name, table, text }: UniqueKey): string {
  return `the table ${table} lacks ${name}, or its building has not ended: the same could be recorded twice, without an error. As the owner of the tables, run: ${text}. Where two rows have one key already, that fails and names it: find out with whom they concern which of them counts`;
}
