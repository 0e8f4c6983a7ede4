/** The bench's own way to the database of a subject: it prepares rows there and counts what is stored. */
import pg from 'pg';
import { encodeTime } from 'ulid';
import { findParent } from '../../reliability/harness/process-usage.ts';

const INT8_OID = 20;
/** No count of the bench comes near what a float holds exactly. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

export function openPool(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, types, application_name: 'bench' });
  // A server that stops before the bench lets go of it is no news.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

export interface Server {
  readonly version: string;
  /** Citus spreads the tables over several servers. */
  readonly isDistributed: boolean;
  /** Of the first process of a server on this machine; `undefined` for one elsewhere, whose processor time is not known. */
  readonly pid: number | undefined;
}

export async function readServer(pool: pg.Pool): Promise<Server> {
  const { rows } = await pool.query<{ version: string; isDistributed: boolean; isLocal: boolean; pid: number }>(
    `select current_setting('server_version') as version, pg_backend_pid() as pid,
      exists (select from pg_extension where extname = 'citus') as "isDistributed",
      coalesce(inet_server_addr() <<= inet '127.0.0.0/8', true) as "isLocal"`,
  );
  const [{ version, isDistributed, isLocal, pid } = { version: '', isDistributed: false, isLocal: false, pid: 0 }] = rows;
  const parent = isLocal ? findParent(pid) : undefined;
  return { version, isDistributed, pid: parent?.name === 'postgres' ? parent.pid : undefined };
}

export interface StoredCounts {
  readonly contributions: number;
  readonly estimates: number;
  /** Contributions that were confirmed together with their estimate. */
  readonly links: number;
}

const SINCE = 'partner_id = any ($1::text[]) and created_at >= $3';
const STORED_SINCE = `select
  (select count(*) from contribution where ${SINCE} and transaction_id >= 'txn_' || $2) as contributions,
  (select count(*) from estimate where partner_id = any ($1::text[]) and calculated_at >= $3 and calculation_id >= 'calc_' || $2) as estimates,
  (select count(*) from contribution where ${SINCE} and transaction_id >= 'txn_' || $2 and association_outcome = 'associated') as links`;
/** The time in an identifier is that of the database within this. */
const SKEW_MS = 60_000;

/** What the service has stored for these partners since that moment. Identifiers begin with about their time, so that only late ones are read. */
export async function countStoredSince(pool: pg.Pool, partnerIds: readonly string[], sinceMs: number): Promise<StoredCounts> {
  const { rows } = await pool.query<StoredCounts>(STORED_SINCE, [
    partnerIds,
    encodeTime(sinceMs - SKEW_MS, 10),
    new Date(sinceMs),
  ]);
  return rows[0] as StoredCounts;
}

/** Tables that grow with what partners do, those whose primary key has more than the partner, and have at least so many rows. */
export async function listGrowingTables(pool: pg.Pool, rowsMin: number): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
    where k.contype = 'p' and c.relnamespace = 'public'::regnamespace and a.attname = 'partner_id'
      and cardinality(k.conkey) > 1 and c.reltuples >= $1 order by 1`,
    [rowsMin],
  );
  return rows.map(({ name }) => name);
}

/** Table and indexes, of each contribution that is there; an estimate of the last `analyze`. */
export async function readContributionBytes(pool: pg.Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ bytes: number | null }>(
    `select (pg_total_relation_size(oid) / nullif(reltuples, 0))::float8 as bytes from pg_class where oid = 'contribution'::regclass`,
  );
  const bytes = rows[0]?.bytes ?? 0;
  // A distributed table keeps its rows on other servers.
  return bytes > 0 ? Math.round(bytes) : undefined;
}

const INSUFFICIENT_PRIVILEGE = '42501';

/** Leaves nothing undone that a later measurement would pay for. */
export async function settle(pool: pg.Pool): Promise<void> {
  await pool.query('vacuum (analyze)');
  try {
    await pool.query('checkpoint');
  } catch (error) {
    // Only a superuser may ask for one.
    if (!(error instanceof pg.DatabaseError) || error.code !== INSUFFICIENT_PRIVILEGE) throw error;
  }
}
