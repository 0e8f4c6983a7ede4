import { ServiceError } from '../domain/service-error.ts';

/**
 * A key that is known replays when the payload is the same.
 *
 * @throws ServiceError `idempotency_conflict` when it is not.
 */
export function tellKeyApart(stored: Buffer, sent: Buffer): void {
  if (stored.equals(sent)) return;
  const message = 'This Idempotency-Key was used with another payload.';
  throw new ServiceError('idempotency_conflict', message, {
    details: [{ field: 'Idempotency-Key', code: 'other_payload', message }],
  });
}

/** @throws ServiceError `partner_suspended`: new records only. */
export function refuseSuspended({ isSuspended }: { isSuspended: boolean }): void {
  if (!isSuspended) return;
  throw new ServiceError(
    'partner_suspended',
    'The partner is suspended: nothing new is recorded. What is recorded stays readable and replays.',
  );
}
