import { ServiceError, unavailable } from '../domain/service-error.ts';

/**
 * A known key replays when the payload is the same.
 *
 * @throws ServiceError `idempotency_conflict` for another payload.
 */
export function assertSameFingerprint(stored: Buffer, sent: Buffer): void {
  if (stored.equals(sent)) return;
  const message = 'This Idempotency-Key was used with another payload.';
  throw new ServiceError('idempotency_conflict', message, {
    details: [{ field: 'Idempotency-Key', code: 'other_payload', message }],
  });
}

/** Whether the partner of a request may store new records. */
export interface Standing {
  /** New records are refused; stored records replay. */
  readonly isSuspended: boolean;
  /** The partner's row differs from its audit entry, so its suspension and settings are not known. */
  readonly isUnverified?: boolean;
}

/** @throws ServiceError `partner_suspended`, or `internal_service_unavailable` for an unverified partner: new records only. */
export function refuseSuspended({ isSuspended, isUnverified = false }: Standing): void {
  if (isUnverified) throw unavailable('The service cannot verify the partner at the moment, so it records nothing new.');
  if (!isSuspended) return;
  throw new ServiceError(
    'partner_suspended',
    'The partner is suspended: the service records nothing new. Look-ups and replays of stored records still work.',
  );
}
