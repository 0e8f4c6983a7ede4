import type { ContributionRecord } from '../../store/contributions/contribution.ts';
import type { EventDraft } from '../../store/events/event.ts';

/** The id follows from the contribution's id: one event for each. */
export function confirmationEvent(record: ContributionRecord): EventDraft {
  return { ...aboutContribution(record), eventType: 'impact.transaction.confirmed', data: null };
}

/** The only event that lets the partner restore points. */
export function failureEvent(record: Pick<ContributionRecord, 'partnerId' | 'correlationId'> & OfContribution): EventDraft {
  const data = JSON.stringify({ change: 'failed', point_restoration_authorized: true });
  return { ...aboutContribution(record), eventType: 'impact.transaction.adjusted', data };
}

interface OfContribution {
  readonly contribution: { readonly transactionId: string };
}

function aboutContribution({
  partnerId,
  correlationId,
  contribution: { transactionId },
}: Pick<ContributionRecord, 'partnerId' | 'correlationId'> & OfContribution) {
  return { partnerId, eventId: `evt_${transactionId.slice('txn_'.length)}`, subjectId: transactionId, correlationId };
}
