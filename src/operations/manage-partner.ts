import { newId } from '../domain/identifiers.ts';
import type { Actor } from '../domain/role.ts';
import { ServiceError } from '../domain/service-error.ts';
import { type Database, inTransaction, type Queryable } from '../store/database.ts';
import { insertEventCounter } from '../store/event.ts';
import {
  findPartner,
  insertPartner,
  lockPartner,
  type Partner,
  type PartnerRates,
  updatePartnerRates,
  updatePartnerSuspension,
} from '../store/partner.ts';
import { audit, requireRole } from './audit.ts';

/** Requests a second where an operator says nothing else. @see decisions, section 6. */
export const DEFAULT_RATES: PartnerRates = { writesPerSecond: 100, lookupsPerSecond: 200, reportsPerSecond: 50 };

const LOCK_TIMEOUT_MS = 4_000;

/** Rates of its own take an admin. */
export async function createPartner(
  database: Database,
  actor: Actor,
  name: string,
  rates: Partial<PartnerRates> = {},
): Promise<Partner> {
  requireRole(actor, areDefault(rates) ? 'operator' : 'admin');
  const partnerId = newId('ptn');
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    await insertEventCounter(db, partnerId);
    const partner = await insertPartner(db, { partnerId, name, ...DEFAULT_RATES, ...rates });
    await audit(db, actor, { action: 'partner.create', partnerId, subjectId: partnerId, before: null, after: toRecord(partner) });
    return partner;
  });
}

function areDefault(rates: Partial<PartnerRates>): boolean {
  return Object.entries(rates).every(([name, rate]) => rate === DEFAULT_RATES[name as keyof PartnerRates]);
}

/** @throws ServiceError `invalid_request` when there is none. */
export async function getPartner(db: Queryable, partnerId: string): Promise<Partner> {
  return (await findPartner(db, partnerId)) ?? refuseUnknown(partnerId);
}

/** Takes effect on every instance within ten seconds. New records are refused from then on; look-ups and replays go on. */
export async function suspendPartner(database: Database, actor: Actor, partnerId: string): Promise<Partner> {
  requireRole(actor, 'operator');
  return change(database, actor, { partnerId, action: 'partner.suspend' }, (db) => updatePartnerSuspension(db, partnerId, true));
}

export async function resumePartner(database: Database, actor: Actor, partnerId: string): Promise<Partner> {
  requireRole(actor, 'operator');
  return change(database, actor, { partnerId, action: 'partner.resume' }, (db) => updatePartnerSuspension(db, partnerId, false));
}

/** Takes effect on every instance within ten seconds. Rates that are left out stay as they are. */
export async function setPartnerRates(
  database: Database,
  actor: Actor,
  partnerId: string,
  rates: Partial<PartnerRates>,
): Promise<Partner> {
  requireRole(actor, 'admin');
  return change(
    database,
    actor,
    { partnerId, action: 'partner.set-rates' },
    (db, { writesPerSecond, lookupsPerSecond, reportsPerSecond }) =>
      updatePartnerRates(db, partnerId, { writesPerSecond, lookupsPerSecond, reportsPerSecond, ...rates }),
  );
}

async function change(
  database: Database,
  actor: Actor,
  { partnerId, action }: { partnerId: string; action: string },
  update: (db: Queryable, partner: Partner) => Promise<Partner | undefined>,
): Promise<Partner> {
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    const partner = (await lockPartner(db, partnerId)) ?? refuseUnknown(partnerId);
    const changed = (await update(db, partner)) as Partner;
    await audit(db, actor, { action, partnerId, subjectId: partnerId, before: toRecord(partner), after: toRecord(changed) });
    return changed;
  });
}

function toRecord({ name, suspendedAt, writesPerSecond, lookupsPerSecond, reportsPerSecond }: Partner): object {
  return {
    name,
    writes_per_second: writesPerSecond,
    lookups_per_second: lookupsPerSecond,
    reports_per_second: reportsPerSecond,
    suspended_at: suspendedAt,
  };
}

function refuseUnknown(partnerId: string): never {
  throw new ServiceError('invalid_request', `There is no partner ${partnerId}. \`partner list\` shows all.`);
}
