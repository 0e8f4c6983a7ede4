import type { Statement } from './query.ts';

/**
 * Always 0. A row may be visible on one machine only: its writer was cut off while its COMMIT waited for the standby, and a failover
 * would remove it. So when commits wait for a standby, the statement commits a message that leaves no trace: its commit follows those of
 * all rows that the statement sees, and waits for the standby too. A server in recovery cannot commit, and may lack records: there the
 * statement fails. As an offset it is evaluated once, before the first row is read and whether or not there is any, and no plan depends
 * on it. As a condition it would be refused beside an outer join on a distributed database.
 */
const DURABLE = `(select case when pg_is_in_recovery() or current_setting('synchronous_standby_names') <> ''
      then case when pg_logical_emit_message(true, 'partner-impact', 'read') is null then 1 else 0 end else 0 end)`;

/**
 * Makes the statement one for an answer that depends on what it reads: it is answered when the rows that it found, or did not find, survive a
 * failover. In a transaction the COMMIT waits. On a distributed database it runs on the node with the partner's rows.
 */
export function durableRead({ name, text }: Statement): Statement {
  return { name, text: `select durable.* from (${text}) durable offset ${DURABLE}` };
}
