import type { ContributionRecord } from '../../store/contributions/contribution.ts';
import type { EventDraft } from '../../store/events/event.ts';

/** Of the same name as that of a contribution that was confirmed at once: there is one for each. */
export function confirmationEvent(record: ContributionRecord): EventDraft {
  return { ...aboutContribution(record), eventType: 'impact.transaction.confirmed', data: null };
}

/** The only one that lets the partner restore points. */
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
