import { readIdentifierTime } from '../../domain/identifiers.ts';
import { ServiceError } from '../../domain/service-error.ts';

const DAY_MS = 86_400_000;

/** A quota of the day is used up: until the UTC day of the database's clock, by which it is counted, ends, or an operator raises it. */
export function quotaSpent(code: 'bytes_of_day_spent' | 'lists_of_day_spent', message: string): ServiceError {
  const endsInSeconds = Math.ceil((DAY_MS - (readIdentifierTime() % DAY_MS)) / 1_000);
  return new ServiceError('rate_limited', `${message} Wait for the next day by UTC, or ask the operator for more.`, {
    details: [{ field: 'quota', code, message }],
    headers: { 'retry-after': String(endsInSeconds) },
    limit: code === 'bytes_of_day_spent' ? 'quota_bytes' : 'quota_lists',
  });
}

/** @throws ServiceError `rate_limited` */
export function refuseSpent(isSpent: boolean): void {
  if (isSpent)
    throw quotaSpent(
      'bytes_of_day_spent',
      'The partner has used its storage quota of the day. The service refuses estimates, lists, deliveries of missing events and advances of the clock of a sandbox, but not confirmations.',
    );
}
