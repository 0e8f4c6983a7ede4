import { ServiceError } from '../service-error.ts';

/** The message does not mention the points: a look-up without a result gives no verdict about them. */
export function contributionNotFound(field: 'partner_event_id' | 'transaction_id'): ServiceError {
  return new ServiceError(
    'contribution_not_found',
    `No contribution is recorded for this ${field}. This is not a final failure.`,
  );
}
