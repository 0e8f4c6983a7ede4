import type { Association } from '../domain/emissions/association.ts';
import { rejectionOf } from '../domain/emissions/association-refusals.ts';
import type { ContributionRecord } from '../store/contributions/contribution.ts';
import type { LookedUpContribution } from '../store/contributions/looked-up-contribution.ts';

/** The current association, for look-ups. Includes a link made after the confirmation. */
export function currentAssociation(record: LookedUpContribution): Association {
  return record.link ? { status: 'associated', link: record.link } : unlinkedOutcome(record);
}

/** The association in the confirmation's answer, for replays. A contribution that began pending has its current state instead. */
export function originalAssociation(record: ContributionRecord): Association {
  return record.firstStatus === 'pending' ? currentAssociation(record) : confirmedAssociation(record);
}

/** The association when the contribution became confirmed, for its event, whenever that is written. */
export function confirmedAssociation(record: ContributionRecord): Association {
  return record.associationOutcome === 'associated' ? currentAssociation(record) : unlinkedOutcome(record);
}

function unlinkedOutcome({ contribution, rejectionCode, calculationId }: LookedUpContribution): Association {
  if (rejectionCode === null) return { status: 'not_requested' };
  const rejection = rejectionOf(rejectionCode, calculationId);
  return { status: 'rejected', rejection: contribution.status === 'failed' ? { ...rejection, message: FAILED } : rejection };
}

/** Nothing that its code says to wait for will come. */
const FAILED = 'The contribution failed permanently before the estimate was linked, so it has no link and gets none.';
