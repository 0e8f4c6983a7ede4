import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/**
 * Cancels whatever waits on the server for a standby, as an operator may, until the work is done.
 *
 * @returns How many waits there were.
 */
export async function cancelWaits(server: pg.Pool, work: Promise<unknown>): Promise<number> {
  const state = { isDone: false };
  const done = () => {
    state.isDone = true;
  };
  work.then(done, done);
  let cancelled = 0;
  for (; !state.isDone; await sleep(5)) {
    const { rows } = await server.query("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'");
    cancelled += rows.length;
  }
  return cancelled;
}
