import { newId } from '../../domain/identifiers.ts';
import type { BatchShare, ImpactBatch } from '../../domain/impact/impact-batch.ts';
import type { Queryable } from '../../store/database.ts';
import { insertEvent } from '../../store/events/event.ts';
import { type BatchNews, batchNewsToData } from '../../wire/environmental-status-to-wire.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { getImpactBatchView } from './impact-batch-record.ts';

/**
 * Writes `environmental.status.updated` for each partner with contributions in the batch, in the transaction of the change: one event
 * with their number, and no list. All of its data could change later, so the event stores them.
 */
export async function enqueueBatchEvents(
  db: Queryable,
  batch: ImpactBatch,
  shares: readonly BatchShare[],
  { correlationId, ...news }: Omit<BatchNews, 'contributionCount'> & { correlationId: string },
): Promise<void> {
  const shown = await getImpactBatchView(db, batch);
  for (const { partnerId, contributionCount } of shares) {
    const data = exactJson(batchNewsToData(shown, { ...news, contributionCount }));
    const eventType = 'environmental.status.updated';
    const subjectId = batch.impactBatchId;
    await insertEvent(db, { partnerId, eventId: newId('evt'), eventType, subjectId, correlationId, data });
  }
}
