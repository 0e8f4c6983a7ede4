import { ServiceError } from '../domain/service-error.ts';

/**
 * A known key replays when the payload is the same.
 *
 * @throws ServiceError `idempotency_conflict` for another payload.
 */
export function assertSameFingerprint(stored: Buffer, sent: Buffer): void {
  if (stored.equals(sent)) return;
  const message =
    'This Idempotency-Key was used with another payload. First look up what was recorded: only another request takes another key.';
  throw new ServiceError('idempotency_conflict', message, {
    details: [{ field: 'Idempotency-Key', code: 'other_payload', message }],
  });
}
