import type { DailyCount } from '../../domain/rules/contribution-rules.ts';
import type { CountedDay } from '../../store/contributions/daily-count.ts';
import { StaleBatchError } from '../group-commit.ts';
import { type Confirmation, type DecidedContribution, reasonOf, withOneMore } from './decide-confirmations.ts';

/**
 * What the inserted contributions of a batch add to their day. Each was decided as if all before it were inserted; one that conflicted
 * with a stored record was not inserted, and does not count.
 *
 * @throws StaleBatchError When a later one would have been decided differently without it.
 */
export function countInserted(
  confirmations: readonly Confirmation[],
  drafts: readonly (DecidedContribution | undefined)[],
  { today, inserted }: { readonly today: CountedDay; readonly inserted: ReadonlyMap<string, Date> },
): CountedDay {
  let counted: DailyCount = today;
  for (const [index, confirmation] of confirmations.entries()) {
    const { transactionId, points } = confirmation;
    if (!inserted.has(transactionId)) continue;
    if (reasonOf(confirmation, counted) !== drafts[index]?.reviewReason)
      throw new StaleBatchError('A contribution of the batch was recorded already, and another counted with it.');
    counted = withOneMore(counted, points);
  }
  return {
    day: today.day,
    points: counted.points - today.points,
    contributions: counted.contributions - today.contributions,
  };
}
