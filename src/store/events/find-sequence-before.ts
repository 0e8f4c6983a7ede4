import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import { findLastSequence } from './event.ts';

/**
 * Events get their sequences in the order in which their transactions began to write, and their times from the database's clock. Where that
 * clock was behind for longer than this and then corrected, events before the correction may be passed over: a recovery since an earlier
 * time finds them.
 */
const MARGIN = "interval '1 hour'";

const FIND_FROM: Statement = {
  name: 'find_event_from_sequence',
  text: `select sequence, occurred_at < $3::timestamptz - ${MARGIN} as "isBefore" from event
    where partner_id = $1 and sequence >= $2 order by sequence limit 1`,
};

/**
 * Finds a sequence of the partner that all events which happened since then have passed, and few others. Halves the kept events again and
 * again: 24 statements for ten million.
 *
 * @returns 0 when all kept events happened since then.
 */
export async function findSequenceBefore(db: Queryable, partnerId: string, since: Date): Promise<bigint> {
  let [from, to] = [1n, (await findLastSequence(db, partnerId)) + 1n];
  while (from < to) {
    const middle = (from + to) / 2n;
    const [event] = await run<{ sequence: bigint; isBefore: boolean }>(db, FIND_FROM, [partnerId, middle, since]);
    if (event?.isBefore) from = event.sequence + 1n;
    else to = middle;
  }
  return from - 1n;
}
