import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import { countDifferences, type Reconciliation, VERDICTS } from '../reconciliations/verdicts.ts';
import type { DifferingLine, DifferingLines } from './reply-lines.ts';

/** So many are named. */
const NAMED_MAX = 10;

/** The first lines of a list that differ, what needs a hand first; how many there are where the lines are removed or not read yet. */
export function useDifferingLines(list: Reconciliation | undefined) {
  const hasLines = list !== undefined && list.lines_removed_at === null;
  const query = useQuery({
    queryKey: ['differing-lines', list?.reconciliation_id],
    queryFn: () => (list ? readFirst(list) : []),
    enabled: hasLines,
  });
  const differing: DifferingLines | undefined = list && {
    lines: query.data ?? [],
    count: countDifferences(list),
    missing: list.counts.missing_in_service,
  };
  return { query, differing, isRead: !hasLines || query.data !== undefined };
}

async function readFirst({ partner_id, reconciliation_id, counts }: Reconciliation): Promise<DifferingLine[]> {
  const found: DifferingLine[] = [];
  for (const verdict of VERDICTS) {
    if (verdict === 'matched' || counts[verdict] === 0 || found.length === NAMED_MAX) continue;
    const page = await answerOf(
      client.GET('/operator/v1/partners/{partner_id}/reconciliations/{reconciliation_id}/lines', {
        params: { path: { partner_id, reconciliation_id }, query: { verdict, limit: NAMED_MAX - found.length } },
      }),
    );
    found.push(...page.lines);
  }
  return found;
}
