import { idAt } from '../../domain/identifiers.ts';
import type { ContributionRecord } from '../../store/contributions/contribution.ts';
import type { EventDraft } from '../../store/events/event.ts';

/**
 * The event of a pending contribution that an operator confirmed.
 *
 * @param decidedAt When, by the database's clock.
 */
export function confirmationEvent(record: ContributionRecord, decidedAt: Date): EventDraft {
  return { ...aboutContribution(record, decidedAt), eventType: 'impact.transaction.confirmed', data: null };
}

/**
 * The only event that lets the partner restore points.
 *
 * @param decidedAt When a pending contribution failed, by the database's clock; `undefined` for one that is recorded as failed.
 */
export function failureEvent(record: OfContribution, decidedAt?: Date): EventDraft {
  const data = JSON.stringify({ change: 'failed', point_restoration_authorized: true });
  return { ...aboutContribution(record, decidedAt), eventType: 'impact.transaction.adjusted', data };
}

interface OfContribution extends Pick<ContributionRecord, 'partnerId' | 'correlationId'> {
  readonly contribution: { readonly transactionId: string };
}

function aboutContribution(
  { partnerId, correlationId, contribution: { transactionId } }: OfContribution,
  decidedAt: Date | undefined,
) {
  return { partnerId, eventId: eventIdOf(transactionId, decidedAt), subjectId: transactionId, correlationId };
}

/**
 * It has the unique part of the contribution's id, so that a contribution has one in each moment, and sorts among the events of its own time:
 * that of the decision takes the place of that of the recording.
 */
function eventIdOf(transactionId: string, decidedAt: Date | undefined): string {
  const beginning = decidedAt ? idAt('evt', decidedAt.getTime()) : 'evt_';
  return `${beginning}${transactionId.slice(beginning.length)}`;
}
