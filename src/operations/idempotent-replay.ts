import { ServiceError, unavailable } from '../domain/service-error.ts';

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

/** How the partner of a request stands. */
export interface Standing {
  /** New records are refused; what is stored already replays. */
  readonly isSuspended: boolean;
  /** The partner's row differs from the audit, so that nobody knows whether it is suspended, or on what terms it is. */
  readonly isUnproven?: boolean;
}

/** @throws ServiceError `partner_suspended`, or `internal_service_unavailable` for an unproven partner: new records only. */
export function refuseSuspended({ isSuspended, isUnproven = false }: Standing): void {
  if (isUnproven) throw unavailable('The service cannot verify the partner at the moment, so it records nothing new.');
  if (!isSuspended) return;
  throw new ServiceError(
    'partner_suspended',
    'The partner is suspended: the service records nothing new. Look-ups and replays of stored records still work.',
  );
}
