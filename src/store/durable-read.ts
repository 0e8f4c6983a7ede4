import type { Statement } from './query.ts';

/**
 * Always 0. A row may be visible on one machine only: its writer was cut off while its COMMIT waited for the standby, and a failover
 * would remove it. So where commits wait for a standby at this moment, the statement commits a message that leaves no trace: its
 * commit comes after those of all rows that the statement sees, and waits for the standby with them. A server in recovery cannot
 * commit, and what it would not find may be recorded elsewhere: there the statement fails.
 *
 * As an offset it is evaluated once, before the first row is looked for and whether or not there is any, and no plan depends on it. As a
 * condition it would be refused beside an outer join on a distributed database.
 */
const DURABLE = `(select case when pg_is_in_recovery() or current_setting('synchronous_standby_names') <> ''
      then case when pg_logical_emit_message(true, 'partner-impact', 'read') is null then 1 else 0 end else 0 end)`;

/**
 * The same statement for an answer that rests on what it reads: it is answered when what it saw, or did not see, outlives a failover.
 * In a transaction the COMMIT waits. On a distributed database it runs on the node that holds the partner's rows.
 */
export function durableRead({ name, text }: Statement): Statement {
  return { name, text: `select durable.* from (${text}) durable offset ${DURABLE}` };
}
