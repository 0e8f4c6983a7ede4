import { newId } from '../../domain/identifiers.ts';
import type { BatchShare, ImpactBatch } from '../../domain/impact/impact-batch.ts';
import type { Queryable } from '../../store/database.ts';
import { insertEvents } from '../../store/events/event.ts';
import { type BatchNews, batchNewsTexts } from '../../wire/environmental-status-to-wire.ts';
import { getImpactBatchView } from './impact-batch-record.ts';

const EVENTS_AT_ONCE = 1_000;

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
  if (shares.length === 0) return;
  const textFor = batchNewsTexts(await getImpactBatchView(db, batch), news);
  const eventFor = ({ partnerId, contributionCount }: BatchShare) => ({
    partnerId,
    eventId: newId('evt'),
    eventType: 'environmental.status.updated',
    subjectId: batch.impactBatchId,
    correlationId,
    data: textFor(contributionCount),
  });
  for (let from = 0; from < shares.length; from += EVENTS_AT_ONCE)
    await insertEvents(db, shares.slice(from, from + EVENTS_AT_ONCE).map(eventFor));
}
