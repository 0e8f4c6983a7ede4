import { isCurrency } from '../domain/currency.ts';
import { newId } from '../domain/identifiers.ts';
import type { Actor } from '../domain/role.ts';
import { type ErrorDetail, ServiceError } from '../domain/service-error.ts';
import { DEFAULT_TIME_ZONE, findTimeZone } from '../domain/settlement-period.ts';
import { type Database, inTransaction, type Queryable } from '../store/database.ts';
import { isRestricted } from '../store/database-errors.ts';
import { insertEventCounter } from '../store/event.ts';
import {
  findPartner,
  insertPartner,
  type Partner,
  type PartnerRates,
  type SettlementTerms,
  updatePartnerSuspension,
  updateSettlementTerms,
} from '../store/partner.ts';
import { audit, requireRole } from './audit.ts';

/** Requests a second where an operator says nothing else. @see decisions, section 6. */
export const DEFAULT_RATES: PartnerRates = { writesPerSecond: 100, lookupsPerSecond: 200, reportsPerSecond: 50 };

const LOCK_TIMEOUT_MS = 1_000;

export type PartnerTerms = PartnerRates & SettlementTerms;

/** @throws ServiceError `invalid_request` for a currency or a time zone that there is not. */
export async function createPartner(database: Database, name: string, terms: Partial<PartnerTerms> = {}): Promise<Partner> {
  const partnerId = newId('ptn');
  const settlement = { currency: null, timeZone: DEFAULT_TIME_ZONE, ...readSettlementTerms(terms) };
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    await insertEventCounter(db, partnerId);
    return insertPartner(db, { partnerId, name, ...DEFAULT_RATES, ...terms, ...settlement });
  });
}

/**
 * Gives a partner its currency, or another time zone. Both are fixed once something rests on them; a currency may be given at any time
 * to a partner that has none.
 *
 * @throws ServiceError `forbidden`, or `invalid_request` for an unknown partner and for what cannot be changed any more.
 */
export async function changeSettlementTerms(
  database: Database,
  actor: Actor,
  partnerId: string,
  terms: Partial<SettlementTerms>,
): Promise<Partner> {
  requireRole(actor, 'operator');
  const read = readSettlementTerms(terms);
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    const before = await getPartner(db, partnerId);
    const partner = (await updateSettlementTerms(db, partnerId, read).catch(explainFixed)) as Partner;
    const [was, is] = [termsOf(before), termsOf(partner)];
    await audit(db, actor, { action: 'partner.change', partnerId, subjectId: partnerId, before: was, after: is });
    return partner;
  });
}

function termsOf({ currency, timeZone: time_zone }: SettlementTerms): object {
  return { currency, time_zone };
}

function explainFixed(cause: unknown): never {
  if (!isRestricted(cause)) throw cause;
  throw new ServiceError(
    'invalid_request',
    'Currency and time zone of the partner are fixed: contributions or rules rest on them. Make another partner for other terms.',
    { cause },
  );
}

/** Zones in the spelling of the IANA database. */
function readSettlementTerms({ currency, timeZone }: Partial<SettlementTerms>): Partial<SettlementTerms> {
  const zone = timeZone === undefined ? undefined : findTimeZone(timeZone);
  const isBadCurrency = currency !== undefined && currency !== null && !isCurrency(currency);
  const problems: ErrorDetail[] = [];
  const refuse = (field: string, form: string) =>
    problems.push({ field, code: 'wrong_form', message: `${field} must be ${form}.` });
  if (isBadCurrency) refuse('currency', 'a currency of ISO 4217 in three capital letters, such as SAR');
  if (timeZone !== undefined && zone === undefined) refuse('time_zone', 'a zone of the IANA database, such as Asia/Riyadh');
  if (problems.length > 0)
    throw new ServiceError('invalid_request', problems.map(({ message }) => message).join(' '), { details: problems });
  return { ...(currency !== undefined && { currency }), ...(zone !== undefined && { timeZone: zone }) };
}

/** @throws ServiceError `invalid_request` when there is none. */
export async function getPartner(db: Queryable, partnerId: string): Promise<Partner> {
  return (await findPartner(db, partnerId)) ?? refuseUnknown(partnerId);
}

/** Takes effect on every instance within ten seconds. New records are refused from then on; look-ups and replays go on. */
export async function suspendPartner(db: Queryable, partnerId: string): Promise<Partner> {
  return (await updatePartnerSuspension(db, partnerId, true)) ?? refuseUnknown(partnerId);
}

export async function resumePartner(db: Queryable, partnerId: string): Promise<Partner> {
  return (await updatePartnerSuspension(db, partnerId, false)) ?? refuseUnknown(partnerId);
}

function refuseUnknown(partnerId: string): never {
  throw new ServiceError('invalid_request', `There is no partner ${partnerId}. \`partner list\` shows all.`);
}
