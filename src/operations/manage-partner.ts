import { newId } from '../domain/identifiers.ts';
import { ServiceError } from '../domain/service-error.ts';
import { type Database, inTransaction, type Queryable } from '../store/database.ts';
import { insertEventCounter } from '../store/event.ts';
import { findPartner, insertPartner, type Partner, type PartnerRates, updatePartnerSuspension } from '../store/partner.ts';
import { openFirstSettlement } from './open-settlement.ts';

/** Requests a second where an operator says nothing else. @see decisions, section 6. */
export const DEFAULT_RATES: PartnerRates = { writesPerSecond: 100, lookupsPerSecond: 200, reportsPerSecond: 50 };

const LOCK_TIMEOUT_MS = 1_000;

export async function createPartner(database: Database, name: string, rates: Partial<PartnerRates> = {}): Promise<Partner> {
  const partnerId = newId('ptn');
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    await insertEventCounter(db, partnerId);
    const partner = await insertPartner(db, { partnerId, name, ...DEFAULT_RATES, ...rates });
    await openFirstSettlement(db, partner, newId('corr'));
    return partner;
  });
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
