import type { Environment } from '../domain/access/api-key.ts';
import { NOW } from './bulk-rows.ts';
import type { Queryable } from './database.ts';
import { run } from './query.ts';

const CLAIM = {
  name: 'claim_installation',
  text: `with claimed as (
      insert into installation (environment) values ($1) on conflict do nothing returning environment
    )
    select environment from claimed union all select environment from installation where is_only limit 1`,
};

/**
 * A database belongs to one environment: the first service that starts on it records its own.
 *
 * @returns The environment that the database belongs to.
 */
export async function claimInstallation(db: Queryable, environment: Environment): Promise<Environment> {
  for (;;) {
    const [row] = await run<{ environment: Environment }>(db, CLAIM, [environment]);
    // No row at all: another process inserted it after this statement's snapshot, and the next statement sees it.
    if (row) return row.environment;
  }
}

/** `undefined` before the first start, in a database without tables too. */
export async function findEnvironment(db: Queryable): Promise<Environment | undefined> {
  const [found] = await run<{ hasTable: boolean }>(db, HAS_TABLE, []);
  if (!found?.hasTable) return undefined;
  const [row] = await run<{ environment: Environment }>(db, FIND_ENVIRONMENT, []);
  return row?.environment;
}

const HAS_TABLE = { name: 'has_installation', text: `select to_regclass('installation') is not null as "hasTable"` };
const FIND_ENVIRONMENT = { name: 'find_environment', text: 'select environment from installation where is_only' };

/** The environment of the database, and since when it has an admin. */
export interface Installation {
  readonly environment: Environment;
  /** `null` before the first admin; kept when that admin is disabled. */
  readonly firstAdminAt: Date | null;
}

const FIND = {
  name: 'find_installation',
  text: 'select environment, first_admin_at as "firstAdminAt" from installation where is_only',
};

/** `undefined` before the first start. */
export async function findInstallation(db: Queryable): Promise<Installation | undefined> {
  const [installation] = await run<Installation & Record<string, unknown>>(db, FIND, []);
  return installation;
}

const NOTE_ADMIN = {
  name: 'update_first_admin',
  text: `update installation set first_admin_at = ${NOW} where is_only and first_admin_at is null`,
};

/** Keeps the first time. */
export async function updateFirstAdmin(db: Queryable): Promise<void> {
  await run(db, NOTE_ADMIN, []);
}

/** Identifies this installation, whatever its address. */
export async function findInstallationId(db: Queryable): Promise<string> {
  const text = 'select installation_id as "installationId" from installation where is_only';
  const [row] = await run<{ installationId: string }>(db, { name: 'find_installation_id', text }, []);
  if (!row) throw new Error('The table installation has no row: start the service once.');
  return row.installationId;
}
