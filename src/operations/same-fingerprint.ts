import { ServiceError } from '../domain/service-error.ts';

/**
 * A known key replays when the payload is the same.
 *
 * @throws ServiceError `idempotency_conflict` for another payload.
 */
export function assertSameFingerprint(stored: Buffer, sent: Buffer): void {
  if (stored.equals(sent)) return;
  const message =
    'This Idempotency-Key was used with another payload. Look up what was recorded. If this is another request, send it under a new Idempotency-Key.';
  throw new ServiceError('idempotency_conflict', message, {
    details: [{ field: 'Idempotency-Key', code: 'other_payload', message }],
  });
}
