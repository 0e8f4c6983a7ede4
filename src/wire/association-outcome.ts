import { type Association, rejectionOf } from '../domain/emissions/association.ts';
import type { ContributionRecord } from '../store/contributions/contribution.ts';

/** As it stands now: what a look-up shows. A link made since the confirmation counts. */
export function currentAssociation(record: ContributionRecord): Association {
  return record.link ? { status: 'associated', link: record.link } : unlinkedOutcome(record);
}

/** As the confirmation answered it: what a replay shows. A contribution that began pending shows its present state instead. */
export function originalAssociation(record: ContributionRecord): Association {
  return record.firstStatus === 'pending' ? currentAssociation(record) : confirmedAssociation(record);
}

/** As it was when the contribution became confirmed: what its event says, whenever that is written. */
export function confirmedAssociation(record: ContributionRecord): Association {
  return record.associationOutcome === 'associated' ? currentAssociation(record) : unlinkedOutcome(record);
}

function unlinkedOutcome({ rejectionCode, calculationId }: ContributionRecord): Association {
  return rejectionCode === null
    ? { status: 'not_requested' }
    : { status: 'rejected', rejection: rejectionOf(rejectionCode, calculationId) };
}
