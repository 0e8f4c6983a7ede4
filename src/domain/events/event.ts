/** The event types. The interface names the five kinds; a kind is added here only. */
export const EVENT_TYPES = [
  'impact.transaction.confirmed',
  'impact.transaction.adjusted',
  'settlement.created',
  'settlement.closed',
  'environmental.status.updated',
] as const;

/** @see docs/spec/interface.md#events. */
export type EventType = (typeof EVENT_TYPES)[number];

/** A signed POST that an endpoint answers before its first event. It is no event of the partner. */
export const VERIFICATION_TYPE = 'webhook.endpoint.verification';

/** Sent when an operator requests it. */
export const TEST_TYPE = 'webhook.endpoint.test';

export const EVENT_API_VERSION = 'v1';

/** The fields of an event except its data. */
export interface EventHead {
  readonly partnerId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Per partner, without gaps, except after a restore; `null` for a challenge, a test and a sample. */
  readonly sequence: bigint | null;
  readonly occurredAt: Date;
  readonly correlationId: string | null;
}

/** The head of what is no event of the partner: a challenge, a test or a sample. It takes no sequence. */
export function headWithoutSequence(head: Omit<EventHead, 'sequence'>): EventHead {
  return { ...head, sequence: null };
}
