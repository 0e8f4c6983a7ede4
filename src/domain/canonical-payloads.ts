import { distanceText } from './emissions/distance.ts';
import type { VehicleCategory } from './emissions/emission-factors.ts';
import { fingerprint, type JsonValue } from './fingerprint.ts';
import type { ListFormat } from './reconciliations/read-partner-list.ts';

/**
 * Which fields of a request enter its fingerprint, and in what form, for the operations whose records keep their key: path parameters and
 * the known fields of the body. `null` is an absent field. Fingerprints are stored, so each of these payloads stays as it is. The other
 * operations that take a key store their answer; there all parameters and fields enter as sent.
 *
 * @see docs/spec/decisions.md#3-idempotency.
 */

interface SentConfirmation {
  readonly partner_event_id: string;
  readonly partner_order_ref: string;
  readonly points: bigint;
  readonly calculation_id?: unknown;
  readonly opaque_customer_ref?: string | null | undefined;
}

/** A `calculation_id` of a wrong type enters as it was sent. */
export function confirmationFingerprint(body: SentConfirmation): Buffer {
  return fingerprint('confirmContribution', {
    partner_event_id: body.partner_event_id,
    partner_order_ref: body.partner_order_ref,
    points: body.points,
    calculation_id: (body.calculation_id ?? undefined) as JsonValue | undefined,
    opaque_customer_ref: body.opaque_customer_ref ?? undefined,
  });
}

interface SentEstimate {
  readonly partner_order_ref: string;
  readonly distance_unit: 'km';
  readonly vehicle_category: VehicleCategory;
}

/** The distance enters as its value: `12.50` and `12.5` km are one payload. */
export function estimateFingerprint(body: SentEstimate, distanceMetres: number): Buffer {
  return fingerprint('createDeliveryEmissionsEstimate', {
    partner_order_ref: body.partner_order_ref,
    distance_km: distanceText(distanceMetres),
    distance_unit: body.distance_unit,
    vehicle_category: body.vehicle_category,
  });
}

export function associationFingerprint(transactionId: string, body: { readonly calculation_id: string }): Buffer {
  return fingerprint('associateEmissionsEstimate', { transaction_id: transactionId, calculation_id: body.calculation_id });
}

interface SentAcknowledgement {
  readonly status: 'accepted' | 'disputed';
  readonly reference?: string | null | undefined;
  readonly note?: string | null | undefined;
}

export function acknowledgementFingerprint(settlementId: string, body: SentAcknowledgement): Buffer {
  return fingerprint('acknowledgeSettlement', {
    settlement_id: settlementId,
    status: body.status,
    reference: body.reference ?? undefined,
    note: body.note ?? undefined,
  });
}

interface SentList {
  readonly settlementId: string;
  readonly format: ListFormat;
}

/** @param sha256 That of the bytes of the list, in hexadecimal digits. */
export function listFingerprint({ settlementId, format }: SentList, sha256: string): Buffer {
  return fingerprint('reconcileSettlement', { settlement_id: settlementId, format, sha256 });
}
