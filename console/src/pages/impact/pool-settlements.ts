import { ApiError } from '../../api/api-error.ts';
import { answerOf, client } from '../../api/client.ts';
import type { Poolable } from './pooled-settlements.tsx';

/** The settlements of a partner, which are added together or not at all. */
export type ShareOfPartner = readonly [partnerId: string, settlementIds: readonly string[]];

export function sharesOf(settlements: readonly Poolable[]): ShareOfPartner[] {
  return [...Map.groupBy(settlements, ({ partner_id }) => partner_id)].map(
    ([partnerId, same]) => [partnerId, same.map(({ settlement_id }) => settlement_id)] as const,
  );
}

interface Pooling {
  readonly batchId: string;
  readonly shares: readonly ShareOfPartner[];
  /**
   * The key of the whole change. The key of each partner's request is made of it, so that those that went through are not sent again.
   */
  readonly key: string;
  readonly onProgress: (done: number) => void;
  /**
   * What is refused each time, such as a settlement that a colleague has put into another batch meanwhile: those of the other partners are
   * added all the same. Without it the first refusal ends the change.
   */
  readonly onRefused?: () => void;
}

/** Adds settlements to a batch, with a request for each partner. */
export async function poolSettlements({ batchId, shares, key, onProgress, onRefused }: Pooling): Promise<void> {
  for (const [index, [partner_id, ids]] of shares.entries()) {
    onProgress(index);
    const params = { path: { impact_batch_id: batchId }, header: { 'Idempotency-Key': `${key}.${index}` } };
    const body = { partner_id, settlement_ids: [...ids] };
    try {
      await answerOf(client.POST('/operator/v1/impact-batches/{impact_batch_id}/settlements', { params, body }));
    } catch (error) {
      if (!onRefused || !(error instanceof ApiError && error.code === 'invalid_request')) throw error;
      onRefused();
    }
  }
}
