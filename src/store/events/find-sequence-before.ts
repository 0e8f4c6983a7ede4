import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import { findLastSequence } from './event.ts';

/**
 * An event gets its sequence after its transaction has committed, and has the time at which that began, by the database's clock. A closing
 * may take hours, and no transaction takes longer than this. Where that clock was behind for longer and then corrected, events before the
 * correction may be passed over: a recovery since an earlier time finds them.
 */
const MARGIN = "interval '24 hours'";

const FIND_FROM: Statement = {
  name: 'find_event_from_sequence',
  text: `select sequence, occurred_at < $3::timestamptz - ${MARGIN} as "isBefore" from event
    where partner_id = $1 and sequence >= $2 order by sequence limit 1`,
};

/**
 * Finds a sequence of the partner that all events which happened since then have passed, and at most those of a day before. Halves the kept
 * events again and again: 24 statements for ten million.
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
