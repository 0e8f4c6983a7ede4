import { randomUUID } from 'node:crypto';
import { InvalidValueError } from './errors.ts';

declare const MADE_BY_INTENT: unique symbol;
/** Only `PartnerImpact.intent` and `PartnerImpact.readIntent` give such a text, so that no program can type a new key for an old event. */
export type EventId = string & { readonly [MADE_BY_INTENT]: 'eventId' };
export type IdempotencyKey = string & { readonly [MADE_BY_INTENT]: 'idempotencyKey' };

/**
 * A contribution that is to be confirmed, as plain data: store `JSON.stringify(intent)` in the transaction that deducts the points.
 * The id and the key never change, however often it is confirmed.
 */
export interface Intent {
  /** `partner_event_id`: the service finds the contribution by it. */
  readonly eventId: EventId;
  readonly idempotencyKey: IdempotencyKey;
  /** `partner_order_ref`. */
  readonly orderRef: string;
  /** Decimal digits, so that JSON keeps them all. */
  readonly points: string;
  /** An estimate to link. */
  readonly calculationId?: string;
  /** `opaque_customer_ref`. */
  readonly customerRef?: string;
}

export interface IntentFields {
  /** Your reference of the order: 1 to 128 characters of `A-Z a-z 0-9 . _ : -`. At most one contribution is confirmed per order. */
  readonly orderRef: string;
  /** Whole points, 1 to 2^63 - 1. */
  readonly points: bigint;
  /** An estimate to link. A wrong one does not affect the contribution. */
  readonly calculationId?: string;
  /** Your opaque reference of the customer, 1 to 128 of the same characters. No e-mail address, telephone number or name. */
  readonly customerRef?: string;
}

const POINTS_MAX = 2n ** 63n - 1n;
const REFERENCE_FORM = 'a string of 1 to 128 characters of A-Z a-z 0-9 . _ : -';
const ID_FORM = 'a string of 8 to 128 characters of A-Z a-z 0-9 . _ : -';
const REFERENCE = /^[A-Za-z0-9._:-]{1,128}$/;
const ID = /^[A-Za-z0-9._:-]{8,128}$/;

/** Intents made in this process that were never given to `confirm`: certainly not sent. */
const unsent = new WeakSet<object>();

/** A new event id and a new key, random, before anything is sent. */
export function makeIntent({ orderRef, points, calculationId, customerRef }: IntentFields): Intent {
  if (typeof points !== 'bigint') throw new InvalidValueError('points', 'a bigint, such as 250n');
  const intent = readIntent({
    eventId: randomUUID(),
    idempotencyKey: randomUUID(),
    orderRef,
    points: String(points),
    calculationId,
    customerRef,
  });
  unsent.add(intent);
  return intent;
}

/**
 * An intent out of a store: checks its form. Members that an intent does not have are left out.
 *
 * @throws InvalidValueError naming the field; the message never contains the value.
 */
export function readIntent(stored: unknown): Intent {
  const fields = stored as Readonly<Record<string, unknown>>;
  if (typeof stored !== 'object' || stored === null || fields['eventId'] === undefined)
    throw new InvalidValueError('intent', 'an object that PartnerImpact.intent made');
  const { points } = fields;
  if (typeof points !== 'string') throw new InvalidValueError('points', "its digits as a string, such as '250'");
  if (!/^[1-9][0-9]{0,18}$/.test(points) || BigInt(points) > POINTS_MAX)
    throw new InvalidValueError('points', 'a whole number from 1 to 9223372036854775807');
  return Object.freeze({
    eventId: check(fields, 'eventId', ID, ID_FORM) as EventId,
    idempotencyKey: check(fields, 'idempotencyKey', ID, ID_FORM) as IdempotencyKey,
    orderRef: check(fields, 'orderRef', REFERENCE, REFERENCE_FORM),
    points,
    ...optional(fields, 'calculationId', ID, ID_FORM),
    ...optional(fields, 'customerRef', REFERENCE, REFERENCE_FORM),
  });
}

/** Whether an intent is certainly unsent; the next call for the same object says `false`. */
export function takeUnsent(intent: object): boolean {
  return unsent.delete(intent);
}

function check(fields: Readonly<Record<string, unknown>>, name: string, pattern: RegExp, form: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || !pattern.test(value)) throw new InvalidValueError(name, form);
  return value;
}

function optional<K extends string>(
  fields: Readonly<Record<string, unknown>>,
  name: K,
  pattern: RegExp,
  form: string,
): { readonly [key in K]?: string } {
  if (fields[name] === undefined || fields[name] === null) return {};
  return { [name]: check(fields, name, pattern, form) } as { readonly [key in K]?: string };
}
