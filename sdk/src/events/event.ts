import type { Association } from '../association.ts';
import { decode, isJsonObject, type JsonObject } from '../decode.ts';
import type { ExactJson } from '../exact-json.ts';
import type { Contribution, ContributionAdjustment, EnvironmentalStatusChange, Settlement } from '../generated/types.ts';
import { issueRestorationPermit, type RestorationPermit } from '../restoration-permit.ts';

interface EventHead {
  readonly eventId: string;
  readonly environment: 'sandbox' | 'production';
  /** The order of the partner's events, without gaps, except after a restore. */
  readonly sequence: bigint;
  /** UTC. */
  readonly occurredAt: string;
  /** Of the request that caused the event. */
  readonly correlationId: string | null;
}

/** A contribution became confirmed, at once or after a review. */
export interface ConfirmedEvent extends EventHead {
  readonly eventType: 'impact.transaction.confirmed';
  readonly data: { readonly contribution: Contribution; readonly association: Association };
}

/** Something about a contribution changed later; `data.change` says what. Only `failed` has a permit. */
export interface AdjustedEvent extends EventHead {
  readonly eventType: 'impact.transaction.adjusted';
  readonly data:
    | { readonly change: 'failed'; readonly contribution: Contribution; readonly permit: RestorationPermit }
    | { readonly change: 'associated'; readonly contribution: Contribution; readonly association: Association }
    | ContributionAdjustment;
}

/** A settlement was opened. */
export interface SettlementCreatedEvent extends EventHead {
  readonly eventType: 'settlement.created';
  readonly data: { readonly settlement: Settlement };
}

/** A settlement was closed, which is final. */
export interface SettlementClosedEvent extends EventHead {
  readonly eventType: 'settlement.closed';
  readonly data: { readonly settlement: Settlement };
}

/** An impact batch with contributions of yours changed. */
export interface EnvironmentalStatusEvent extends EventHead {
  readonly eventType: 'environmental.status.updated';
  readonly data: EnvironmentalStatusChange;
}

export type PartnerEvent =
  | ConfirmedEvent
  | AdjustedEvent
  | SettlementCreatedEvent
  | SettlementClosedEvent
  | EnvironmentalStatusEvent;

export type EventType = PartnerEvent['eventType'];

export const EVENT_TYPES: readonly string[] = [
  'impact.transaction.confirmed',
  'impact.transaction.adjusted',
  'settlement.created',
  'settlement.closed',
  'environmental.status.updated',
] satisfies EventType[];
const CHANGES = ['failed', 'associated', 'adjustment'];
const ID = /^[A-Za-z0-9._:-]{8,128}$/;

/** The members that every event has, checked. `sequence` is `null` for challenges, tests and samples. */
export interface Envelope {
  readonly eventId: string;
  readonly eventType: string;
  readonly environment: string;
  readonly sequence: bigint | null;
  readonly data: JsonObject;
  readonly body: JsonObject;
}

/** @returns `undefined` for what is no event of this interface. */
export function readEnvelope(body: ExactJson): Envelope | undefined {
  if (!isJsonObject(body)) return undefined;
  const { event_id: eventId, event_type: eventType, api_version: version, environment, sequence, occurred_at: at, data } = body;
  if (typeof eventId !== 'string' || !ID.test(eventId) || typeof eventType !== 'string' || version !== 'v1') return undefined;
  if ((environment !== 'sandbox' && environment !== 'production') || typeof at !== 'string' || !isJsonObject(data))
    return undefined;
  if (sequence !== null && (typeof sequence !== 'bigint' || sequence < 1n)) return undefined;
  return { eventId, eventType, environment, sequence, data, body };
}

/** The event for its handler. @returns `undefined` for a type or a change that this version does not know: it is to be ignored. */
export function toEvent({ eventType, data, body }: Envelope): PartnerEvent | undefined {
  if (!EVENT_TYPES.includes(eventType)) return undefined;
  const event = decode<PartnerEvent>(body);
  if (eventType !== 'impact.transaction.adjusted') return event;
  const { change } = data;
  if (typeof change !== 'string' || !CHANGES.includes(change)) return undefined;
  if (change !== 'failed') return event;
  return { ...event, data: { ...event.data, permit: permitOf(data) } } as AdjustedEvent;
}

/** The event says three times that the contribution failed; anything less gives no permit. */
function permitOf({ contribution, point_restoration_authorized: isAuthorized }: JsonObject): RestorationPermit {
  if (isAuthorized === true && isJsonObject(contribution)) {
    const { partner_event_id: eventId, transaction_id: transactionId, points, status } = contribution;
    const isWhole = typeof eventId === 'string' && typeof transactionId === 'string' && typeof points === 'bigint';
    if (status === 'failed' && isWhole) return issueRestorationPermit({ eventId, transactionId, points });
  }
  throw new TypeError('An event of a failed contribution does not authorise a restoration.');
}
