import type { ServerResponse } from 'node:http';
import { ServiceError, unavailable } from '../../domain/service-error.ts';

export interface TransferShares {
  /** What is transferred, in the plural, for the error message: `lists`. */
  readonly name: string;
  readonly perPartner: number;
  readonly inAll: number;
}

/** Counts a transfer of the partner until its answer is sent or its connection is gone. */
export type BeginTransfer = (partnerId: string, response: ServerResponse) => void;

const RETRY_AFTER_SECONDS = 5;

/**
 * Limits transfers that take minutes: a partner has its share of the transfers of this process, however slow they are. They are counted
 * before the first byte. Throws `rate_limited` when the partner has its share, and `internal_service_unavailable` when the process has as
 * many as it can carry.
 *
 * @see docs/spec/decisions.md#6-rate-limits.
 */
export function shareTransfers({ name, perPartner, inAll }: TransferShares): BeginTransfer {
  const partners = new Map<string, number>();
  let count = 0;
  const end = (partnerId: string) => {
    count--;
    const left = (partners.get(partnerId) ?? 0) - 1;
    if (left > 0) partners.set(partnerId, left);
    else partners.delete(partnerId);
  };
  return (partnerId, response) => {
    const own = partners.get(partnerId) ?? 0;
    if (own >= perPartner) throw tooMany(name, perPartner);
    if (count >= inAll) throw tooManyInAll(name);
    if (response.destroyed) return;
    count++;
    partners.set(partnerId, own + 1);
    response.once('close', () => end(partnerId));
  };
}

function tooMany(name: string, perPartner: number): ServiceError {
  const message = `${perPartner} ${name} of this partner are in transfer. Wait until one ends, then send the request again.`;
  return new ServiceError('rate_limited', message, {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    limit: 'transfer_share',
  });
}

function tooManyInAll(name: string): ServiceError {
  const message = `The service transfers its maximum number of ${name}. Send the request again later.`;
  return unavailable(message, { limit: 'transfers' });
}
