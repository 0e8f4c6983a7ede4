import type pg from 'pg';

/** All but the migrator's own tables. */
const OWN_TABLES = "c.relname !~ '^kysely_'";

/**
 * The schema as the catalogue has it, in an order that does not depend on when things were made: a change of the migrations
 * shows as a difference that can be read.
 */
export async function renderSchema(pool: pg.Pool): Promise<string> {
  const tables = await listTables(pool);
  const parts = ['-- The schema that the migrations make, read from the catalogue. `npm run schema` writes it.'];
  for (const { oid, name } of tables) {
    const lines = [...(await listColumns(pool, oid)), ...(await listConstraints(pool, oid))].map((line) => `  ${line}`);
    parts.push(
      `create table ${name} (\n${lines.join(',\n')}\n);`,
      ...(await listIndexes(pool, oid)),
      ...(await listTriggers(pool, oid)),
    );
  }
  return `${[...parts, ...(await listFunctions(pool))].join('\n\n')}\n`;
}

async function listTables(pool: pg.Pool): Promise<{ oid: number; name: string }[]> {
  const { rows } = await pool.query(
    `select c.oid, c.relname as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and ${OWN_TABLES} order by 2`,
  );
  return rows;
}

async function listColumns(pool: pg.Pool, table: number): Promise<string[]> {
  const { rows } = await pool.query(
    `select concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), case when l.collname <> 'default' then 'collate "' || l.collname || '"' end,
       case when a.attnotnull then 'not null' end, 'default ' || pg_get_expr(d.adbin, d.adrelid)) as line
     from pg_attribute a left join pg_collation l on l.oid = a.attcollation left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [table],
  );
  return rows.map(({ line }) => line);
}

/** PostgreSQL 18 keeps a NOT NULL as a constraint too; it stands with its column already. */
async function listConstraints(pool: pg.Pool, table: number): Promise<string[]> {
  const { rows } = await pool.query(
    "select format('constraint %s %s', conname, pg_get_constraintdef(oid)) as line from pg_constraint where conrelid = $1 and contype <> 'n' order by contype desc, conname",
    [table],
  );
  return rows.map(({ line }) => line);
}

async function listIndexes(pool: pg.Pool, table: number): Promise<string[]> {
  const { rows } = await pool.query(
    `select pg_get_indexdef(x.indexrelid) || ';' as line from pg_index x where x.indrelid = $1
     and not exists (select 1 from pg_constraint o where o.conindid = x.indexrelid) order by 1`,
    [table],
  );
  return rows.map(({ line }) => line);
}

async function listTriggers(pool: pg.Pool, table: number): Promise<string[]> {
  const { rows } = await pool.query(
    "select pg_get_triggerdef(oid) || ';' as line from pg_trigger where tgrelid = $1 and not tgisinternal order by tgname",
    [table],
  );
  return rows.map(({ line }) => line);
}

async function listFunctions(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query(
    "select rtrim(pg_get_functiondef(oid)) || ';' as line from pg_proc where pronamespace = 'public'::regnamespace order by proname",
  );
  return rows.map(({ line }) => line);
}
