import type { Queryable } from '../database.ts';
import { run } from '../query.ts';

export interface MissingRights {
  readonly role: string;
  /** Tables in the schema of the service, whoever made them, on which it may not do all of select, insert, update and delete. */
  readonly tables: readonly string[];
  /** Tables whose row-level security applies to it: their policies would hide rows, so its statements are refused. */
  readonly tablesWithPolicies: readonly string[];
}

const OF_SERVICE = `from pg_class c
  where c.relnamespace = (select relnamespace from pg_class where oid = to_regclass('installation')) and c.relkind in ('r', 'p')
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/** `has_table_privilege` with several rights is true for any one of them. A database without tables of the service lacks none. */
export async function findMissingRights(db: Queryable): Promise<MissingRights> {
  const text = `select current_user as "role", array(
      select c.relname::text ${OF_SERVICE}
        and exists (select from unnest(array['select', 'insert', 'update', 'delete']) needed (privilege)
          where not has_table_privilege(c.oid, needed.privilege))
      order by c.relname) as "tables", array(
      select c.relname::text ${OF_SERVICE} and row_security_active(c.oid) order by c.relname) as "tablesWithPolicies"`;
  const [missing] = await run<MissingRights & Record<string, unknown>>(db, { name: 'find_missing_rights', text }, []);
  return missing as MissingRights;
}
