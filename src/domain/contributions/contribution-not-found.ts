import { ServiceError } from '../service-error.ts';

/** Says nothing of the points: a look-up that finds nothing is no verdict. */
export function contributionNotFound(field: 'partner_event_id' | 'transaction_id'): ServiceError {
  return new ServiceError(
    'contribution_not_found',
    `No contribution is recorded for this ${field}. This is not a final failure.`,
  );
}
