import { randomFillSync } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';

/** Letters, digits, `.`, `_`, `:` and `-`, and nothing else: no identifier of the interface can carry an e-mail address or a name with a space. */
const CHARACTERS = '[A-Za-z0-9._:-]';

/** Shape of an identifier with 8 to 128 characters, as members of a JSON Schema. */
export const LONG_IDENTIFIER = { pattern: `^${CHARACTERS}+$`, minLength: 8, maxLength: 128 } as const;

/** Shape of a reference with 1 to 128 characters, as members of a JSON Schema. */
export const SHORT_IDENTIFIER = { pattern: `^${CHARACTERS}+$`, minLength: 1, maxLength: 128 } as const;

/**
 * The shape of each identifier of the interface.
 *
 * @see docs/spec/interface.md#limits.
 */
export const IDENTIFIERS = {
  idempotency_key: LONG_IDENTIFIER,
  correlation_id: LONG_IDENTIFIER,
  partner_event_id: LONG_IDENTIFIER,
  calculation_id: LONG_IDENTIFIER,
  partner_order_ref: SHORT_IDENTIFIER,
  opaque_customer_ref: SHORT_IDENTIFIER,
} as const;

const LONG = exactly(LONG_IDENTIFIER);
const SHORT = exactly(SHORT_IDENTIFIER);

/**
 * Whether a value may be an idempotency key, correlation id, `partner_event_id` or `calculation_id`.
 *
 * @see docs/spec/interface.md#limits.
 */
export function isLongIdentifier(value: unknown): value is string {
  return typeof value === 'string' && LONG.test(value);
}

/** Whether a value may be a `partner_order_ref` or `opaque_customer_ref`. @see docs/spec/interface.md#limits. */
export function isShortIdentifier(value: unknown): value is string {
  return typeof value === 'string' && SHORT.test(value);
}

/** The prefixes of the identifiers that the service assigns. */
export const ID_PREFIXES = {
  contribution: 'txn',
  estimate: 'calc',
  link: 'assoc',
  partner: 'ptn',
  correlation: 'corr',
  event: 'evt',
  settlement: 'stl',
  reconciliation: 'rec',
  endpoint: 'wep',
  delivery: 'dlv',
  operator: 'opr',
  failure: 'fail',
  project: 'project',
  impactBatch: 'batch',
  adjustment: 'adj',
} as const;

export type IdPrefix = (typeof ID_PREFIXES)[keyof typeof ID_PREFIXES];

/** Crockford's base 32, as in a ULID. */
const BASE_32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PARTNER_RANDOM_CHARACTERS = 6;
let latestPartnerMs = 0;

/**
 * A new identifier of a partner: `ptn_` and 16 characters, the time as in {@link newId} and 30 random bits. Later ones of one process sort
 * higher; two processes that make one in the same millisecond make the same one in a case of 2^30, which the database refuses. It is
 * shorter than others because it stands in each row of the partner and in each entry of its indexes.
 *
 * @see docs/decisions/0110-short-ids-of-partners.md#decision
 */
export function newPartnerId(): string {
  const nowMs = Math.floor(identifierTime());
  latestPartnerMs = nowMs < latestPartnerMs - SET_BACK_MS ? nowMs : Math.max(nowMs, latestPartnerMs + 1);
  const random = Array.from({ length: PARTNER_RANDOM_CHARACTERS }, () => BASE_32[Math.floor(nextRandom() * BASE_32.length)]);
  return `${ID_PREFIXES.partner}_${encodeTime(latestPartnerMs, TIME_CHARACTERS)}${random.join('')}`;
}

/**
 * A new identifier: prefix, `_` and a ULID, as in `txn_01KA2Z9V7M5CEN5XA66EMZSRZW`; 30 to 34 characters. Later identifiers of one process
 * sort higher. Those of two processes differ because each process takes 80 random bits in every millisecond and counts up from there: for
 * a collision both would have to start within a few thousand of one another out of 2^80. Identifiers are not secret: from one of them its
 * neighbours can be guessed.
 */
export function newId(prefix: Exclude<IdPrefix, 'ptn'>): string {
  return `${prefix}_${nextUlid()}`;
}

let identifierTime: () => number = Date.now;

/**
 * Replaces the clock by which identifiers are made: the machine's until the first call. It should agree with the clock of the database,
 * which dates the records: a list of a span of time reads only the ids that were made within {@link SKEW_MS} of it.
 *
 * @param time In milliseconds since 1970.
 * @returns The clock that was used before.
 */
export function setIdentifierTime(time: () => number): () => number {
  const former = identifierTime;
  identifierTime = time;
  return former;
}

/** The time by that clock, in milliseconds since 1970: what the database's clock shows, without a question to the database. */
export function readIdentifierTime(): number {
  return identifierTime();
}

/** The identity of one piece of work: {@link idOfWork} gives its records the same identifiers when the work is repeated. */
export function newWorkId(): string {
  return nextUlid();
}

/** @param workId What {@link newWorkId} gave. */
export function idOfWork(prefix: IdPrefix, workId: string): string {
  return `${prefix}_${workId}`;
}

/** Of a ULID: its milliseconds since 1970. */
const TIME_CHARACTERS = 10;
const ULID_CHARACTERS = 26;

/** The latest time that an identifier can have: of the year 10889. */
const LATEST_TIME_MS = 2 ** 48 - 1;

/** Sorts before every identifier that was created at this time or later. */
export function idAt(prefix: IdPrefix, timeMs: number): string {
  return `${prefix}_${encodeTime(Math.min(timeMs, LATEST_TIME_MS), TIME_CHARACTERS)}`;
}

/** Sorts after every identifier with this prefix. */
export function afterEveryId(prefix: IdPrefix): string {
  return `${prefix}_~`;
}

/** The most by which the time in an id may differ from that of its record: the process makes the id, the database dates the record. */
const SKEW_MS = 600_000;

/** Sorts before the ids of all records that the database dates at this time or later, and of some that are older. */
export function idBeforeRecords(prefix: IdPrefix, at: Date): string {
  // An id has no time before 1970.
  return idAt(prefix, Math.max(0, at.getTime() - SKEW_MS));
}

/** Sorts after the ids of all records that the database dates before this time, and of some that are younger. */
export function idAfterRecords(prefix: IdPrefix, at: Date): string {
  return idAt(prefix, Math.max(0, at.getTime() + SKEW_MS));
}

// The first character has the upper three bits of the time.
const OUR_FORM = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
/** The long one is that of partners made by earlier releases. */
const PARTNER_FORM = /^[0-7][0-9A-HJKMNP-TV-Z]{15}(?:[0-9A-HJKMNP-TV-Z]{10})?$/;

/** Whether the identifier has the form of one that the service assigned. */
export function isOurId(prefix: IdPrefix, text: string): boolean {
  const form = prefix === ID_PREFIXES.partner ? PARTNER_FORM : OUR_FORM;
  return text.startsWith(`${prefix}_`) && form.test(text.slice(prefix.length + 1));
}

// The package's own generator requests one random byte at a time from the kernel, sixteen times per identifier.
const randomBytes = Buffer.alloc(4096);
let usedBytes = randomBytes.length;
function nextRandom(): number {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes);
    usedBytes = 0;
  }
  return randomBytes.readUInt8(usedBytes++) / 256;
}

/** A clock that goes back by more was wrong before, and its times are not kept. */
const SET_BACK_MS = 60_000;
let makeUlid = monotonicFactory(nextRandom);
let latestMs = 0;

/** Sorts after all earlier ones of this process, unless the clock was set back by more than {@link SET_BACK_MS} in between. */
function nextUlid(): string {
  const nowMs = Math.floor(identifierTime());
  if (nowMs < latestMs - SET_BACK_MS) {
    makeUlid = monotonicFactory(nextRandom);
    latestMs = nowMs;
  }
  latestMs = Math.max(latestMs, nowMs);
  return makeUlid(nowMs);
}

function exactly(shape: { minLength: number; maxLength: number }): RegExp {
  return new RegExp(`^${CHARACTERS}{${shape.minLength},${shape.maxLength}}$`);
}

/** When the service made an identifier, in milliseconds since 1970; `undefined` for one that it did not make. */
export function timeOfId(prefix: IdPrefix, text: string): number | undefined {
  return isOurId(prefix, text) ? decodeTime(text.slice(prefix.length + 1).padEnd(ULID_CHARACTERS, '0')) : undefined;
}
