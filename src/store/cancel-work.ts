import pg from 'pg';
import type { Statement } from './query.ts';

/** What the driver knows of a session besides what it declares. */
interface Server {
  readonly host: string;
  readonly port: number;
  readonly ssl: unknown;
  readonly sslNegotiation: string;
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/** A connection of the driver, before a session is begun on it. */
interface Line extends pg.Connection {
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

const GIVE_UP_AFTER_MS = 3_000;

/**
 * Cancels on the workers of a cluster what waits for a standby there, of sessions of this role that the coordinator has. A COMMIT of a worker
 * heeds no cancel of the session on the coordinator, whose connection the service has ended before. What Citus prepares on several workers, as for a migration, waits on.
 */
export const CANCEL_WAITS_ON_WORKERS: Statement = {
  name: 'cancel_waits_on_workers',
  text: `select result from run_command_on_workers($command$
    select count(pg_cancel_backend(pid)) from pg_stat_activity where wait_event = 'SyncRep' and usename = current_user
      and datname = current_database() and application_name like 'citus_internal%' and query = 'COMMIT'
      and query_start < clock_timestamp() - interval '6 seconds' $command$)`,
};

/**
 * Asks the server, on a connection of its own, to cancel what a session does. A COMMIT that waits for a standby heeds neither a time limit nor the
 * end of its connection: while the standby is gone, each would keep one of `max_connections`.
 */
export function cancelWork(session: pg.Client): void {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = session as unknown as Server;
  if (processID === null || secretKey === null) return;
  const line = new pg.Connection({ ssl, sslNegotiation } as pg.ConnectionConfig) as Line;
  const giveUp = setTimeout(() => line.stream.destroy(), GIVE_UP_AFTER_MS).unref();
  const cancel = () => line.cancel(processID, secretKey);
  line.on('connect', () => {
    if (!ssl) cancel();
    else if (sslNegotiation !== 'direct') line.requestSsl();
  });
  line.on('sslconnect', cancel);
  line.on('error', () => line.stream.destroy());
  line.on('end', () => clearTimeout(giveUp));
  if (host.startsWith('/')) line.connect(`${host}/.s.PGSQL.${port}`);
  else line.connect(port, host);
}
