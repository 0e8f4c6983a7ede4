import { ApiError } from '../../api/api-error.ts';
import { answerOf, client, requireSender } from '../../api/client.ts';
import type { Poolable } from './pooled-settlements.tsx';

/** The settlements of a partner, which are added together or not at all. */
export type ShareOfPartner = readonly [partnerId: string, settlementIds: readonly string[]];

export function sharesOf(settlements: readonly Poolable[]): ShareOfPartner[] {
  return [...Map.groupBy(settlements, ({ partner_id }) => partner_id)].map(
    ([partnerId, same]) => [partnerId, same.map(({ settlement_id }) => settlement_id)] as const,
  );
}

/** What was sent to a batch: with which key, and what of it was added. */
export interface SentShares {
  readonly keys: Map<string, string>;
  readonly added: Set<string>;
}

export function newSentShares(): SentShares {
  return { keys: new Map(), added: new Set() };
}

interface Pooling {
  readonly batchId: string;
  readonly shares: readonly ShareOfPartner[];
  /**
   * The key of the whole change. The key of each partner's request is made of it, so that those that went through are not sent again.
   */
  readonly key: string;
  readonly sender: string | undefined;
  /** Given where the choice may change after a refusal: what was added is not sent again, and the same share has the same key. */
  readonly sent?: SentShares;
  readonly onProgress: (done: number) => void;
  /**
   * What is refused each time, such as a settlement that a colleague has put into another batch meanwhile: those of the other partners are
   * added all the same.
   */
  readonly onRefused: (refusal: ApiError) => void;
}

/** Adds settlements to a batch, with a request for each partner. */
export async function poolSettlements({
  batchId,
  shares,
  key,
  sender,
  sent = newSentShares(),
  onProgress,
  onRefused,
}: Pooling): Promise<void> {
  for (const [index, [partner_id, ids]] of shares.entries()) {
    onProgress(index);
    const left = ids.filter((id) => !sent.added.has(id));
    if (left.length === 0) continue;
    const body = { partner_id, settlement_ids: left };
    const share = JSON.stringify(body);
    const shareKey = sent.keys.get(share) ?? `${key}.${index}`;
    sent.keys.set(share, shareKey);
    requireSender(sender);
    const params = { path: { impact_batch_id: batchId }, header: { 'Idempotency-Key': shareKey } };
    try {
      await answerOf(client.POST('/operator/v1/impact-batches/{impact_batch_id}/settlements', { params, body }));
      for (const id of left) sent.added.add(id);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'invalid_request')) throw error;
      onRefused(error);
    }
  }
}
