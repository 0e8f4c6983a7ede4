import { ServiceError, unavailable } from '../service-error.ts';

/** Whether the partner of a request may store new records. */
export interface PartnerStanding {
  /** New records are refused; stored records replay. */
  readonly isSuspended: boolean;
  /** The partner's row differs from its audit entry, so its suspension and settings are not known. */
  readonly isUnverified?: boolean;
}

/** @throws ServiceError `partner_suspended`, or `internal_service_unavailable` for an unverified partner: new records only. */
export function refuseSuspended({ isSuspended, isUnverified = false }: PartnerStanding): void {
  if (isUnverified)
    throw unavailable(
      'The service cannot verify the partner at the moment, so it records nothing new. Send the same request again; if this lasts, tell the operator the correlation_id.',
    );
  if (!isSuspended) return;
  throw new ServiceError(
    'partner_suspended',
    'The partner is suspended: the service records nothing new. Look-ups and replays of stored records still work.',
  );
}
