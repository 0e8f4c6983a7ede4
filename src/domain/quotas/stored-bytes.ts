/**
 * About how many bytes a record takes on disk with its indexes, without its identifiers, whose length is added for each copy. Measured as
 * the growth of the tables over 6,000 records with identifiers of 30 and of 128 characters. A contribution includes its event and the
 * event's body, about 1,000 bytes.
 */
const CONTRIBUTION_BYTES = 2_400;
export const ESTIMATE_BYTES = 430;
const LINE_BYTES = 280;
/** A delivery of an event that a partner had none of, with its identifiers: the growth of the tables over 60,000 of them. */
export const DELIVERY_BYTES = 720;

export function contributionBytes(sent: {
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  readonly idempotencyKey: string;
}): number {
  return CONTRIBUTION_BYTES + 2 * (sent.partnerEventId.length + sent.partnerOrderRef.length + sent.idempotencyKey.length);
}

export function estimateBytes(sent: { readonly partnerOrderRef: string; readonly idempotencyKey: string }): number {
  return ESTIMATE_BYTES + sent.partnerOrderRef.length + 2 * sent.idempotencyKey.length;
}

/** A line of a partner's list, with its verdict. */
export function lineBytes(line: { readonly partnerEventId: string | null; readonly partnerOrderRef: string | null }): number {
  return LINE_BYTES + 2 * (line.partnerEventId?.length ?? 0) + (line.partnerOrderRef?.length ?? 0);
}
