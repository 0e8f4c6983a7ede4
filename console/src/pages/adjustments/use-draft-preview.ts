import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';

type Preview = components['schemas']['AdjustmentPreview'];

interface DraftChange {
  readonly contribution: { readonly partner_id: string; readonly transaction_id: string };
  readonly reason: components['schemas']['Adjustment']['reason_code'];
  readonly field: 'points_delta' | 'amount_delta';
  readonly delta: string;
  /** The adjustment whose opposite it is. */
  readonly reversalOf: string | undefined;
}

/** A number that is typed to its end. Of any other the service would only say that it is none. */
const WHOLE = /^-?\d{1,19}$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** What a change would do, as the service reckons it; without data while its number is not typed. */
export function useDraftPreview({ contribution, reason, field, delta, reversalOf }: DraftChange): UseQueryResult<Preview, Error> {
  const stated = reversalOf === undefined ? { [field]: delta } : { reversal_of: reversalOf };
  return useQuery({
    queryKey: ['adjustment-preview', contribution.transaction_id, reason, field, delta, reversalOf],
    queryFn: () =>
      answerOf(
        client.GET('/operator/v1/partners/{partner_id}/contributions/{transaction_id}/adjustment-preview', {
          params: { path: contribution, query: { reason_code: reason, ...stated } },
        }),
      ),
    enabled: (field === 'points_delta' ? WHOLE : DECIMAL).test(delta),
    refetchInterval: false,
  });
}
