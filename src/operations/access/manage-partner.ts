import { areDefault, DEFAULT_RATES, type PartnerRates } from '../../domain/access/partner-rates.ts';
import type { Actor } from '../../domain/access/role.ts';
import { newPartnerId } from '../../domain/identifiers.ts';
import { isCurrency } from '../../domain/numbers/currency.ts';
import {
  type ErrorDetail,
  invalidRequest,
  problem,
  recordNotFound,
  refuseInvalid,
  ServiceError,
  wrongForm,
} from '../../domain/service-error.ts';
import { DEFAULT_TIME_ZONE, findTimeZone } from '../../domain/settlements/settlement-period.ts';
import { hadApiKeyWithin } from '../../store/access/api-key.ts';
import {
  findPartner,
  insertPartner,
  listPartnersNamed,
  lockPartner,
  type Partner,
  type SettlementPolicy,
  updatePartnerRates,
  updatePartnerSuspension,
  updateSettlementPolicy,
} from '../../store/access/partner.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { isRestricted } from '../../store/database-errors.ts';
import { insertEventCounter } from '../../store/events/event.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { PARTNER } from '../audit/audited-kinds.ts';
import { partnerRecord } from '../audit/authorising-records.ts';
import { requireAudited } from '../audit/require-audited.ts';
import { requireName } from '../require-line.ts';
import { openFirstSettlement } from '../settlements/open-settlement.ts';
import { requireRole, withRole } from '../with-role.ts';

export type PartnerPolicy = PartnerRates & SettlementPolicy;

/**
 * Other rates than the defaults take an admin.
 *
 * @throws ServiceError `forbidden`, or `invalid_request` for an unknown currency or time zone.
 */
export const createPartner = withRole(
  'operator',
  async (database: Database, actor: Actor, name: string, policy: Partial<PartnerPolicy> = {}): Promise<Partner> => {
    if (!areDefault(policy)) requireRole(actor, 'admin');
    requireName(name);
    const partnerId = newPartnerId();
    const settlement = { currency: null, timeZone: DEFAULT_TIME_ZONE, ...readSettlementPolicy(policy) };
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await insertEventCounter(db, partnerId);
      const partner = await insertPartner(db, { partnerId, name, ...DEFAULT_RATES, ...policy, ...settlement });
      await openFirstSettlement(db, partner, actor.correlationId);
      await audit(db, actor, {
        action: 'partner.create',
        partnerId,
        subjectId: partnerId,
        before: null,
        after: partnerRecord(partner),
      });
      return partner;
    });
  },
);

/** @throws ServiceError `invalid_request` when there is none. */
export async function getPartner(db: Queryable, partnerId: string): Promise<Partner> {
  return (await findPartner(db, partnerId)) ?? refuseUnknown(partnerId);
}

const NAMESAKES_SHOWN = 5;

/**
 * Finds a partner by its id, or by its name when no other partner has it.
 *
 * @throws ServiceError `invalid_request`, 404, when there is none; and with the ids when several have the name.
 */
export async function getPartnerNamed(db: Queryable, idOrName: string): Promise<Partner> {
  const byId = await findPartner(db, idOrName);
  if (byId) return byId;
  const found = await listPartnersNamed(db, idOrName, NAMESAKES_SHOWN + 1);
  const [named] = found;
  if (!named) refuseUnknown(idOrName);
  if (found.length === 1) return named;
  const ids = found.slice(0, NAMESAKES_SHOWN).map(({ partnerId }) => partnerId);
  const more = found.length > NAMESAKES_SHOWN ? '; there are more, which `partner list` shows' : '';
  const message = `Several partners have the name ${idOrName}. Give the id of one of them: ${ids.join(', ')}${more}.`;
  throw invalidRequest([problem('partner_id', 'duplicate', message)]);
}

/** Takes effect on every instance within ten seconds. New records are then refused; look-ups and replays still work. */
export const suspendPartner = withRole(
  'operator',
  async (database: Database, actor: Actor, partnerId: string): Promise<Partner> => {
    return changeAndAudit(database, actor, { partnerId, action: 'partner.suspend' }, (db) =>
      updatePartnerSuspension(db, partnerId, true),
    );
  },
);

export const resumePartner = withRole(
  'operator',
  async (database: Database, actor: Actor, partnerId: string): Promise<Partner> => {
    return changeAndAudit(database, actor, { partnerId, action: 'partner.resume' }, (db) =>
      updatePartnerSuspension(db, partnerId, false),
    );
  },
);

/**
 * Takes effect on every instance within ten seconds. Omitted rates do not change.
 *
 * @throws ServiceError `forbidden`, or `invalid_request` for an unknown partner and without any rate.
 */
export const setPartnerRates = withRole(
  'admin',
  async (database: Database, actor: Actor, partnerId: string, rates: Partial<PartnerRates>): Promise<Partner> => {
    refuseNothing(rates, 'writes_per_second', 'Nothing to change: give at least one of the rates.');
    return changeAndAudit(
      database,
      actor,
      { partnerId, action: 'partner.set-rates' },
      (db, { writesPerSecond, lookupsPerSecond, reportsPerSecond }) =>
        updatePartnerRates(db, partnerId, { writesPerSecond, lookupsPerSecond, reportsPerSecond, ...rates }),
    );
  },
);

/**
 * Sets a partner's currency, or another time zone. Both are fixed after the first record that depends on them; a partner without a
 * currency may get one at any time. Either is replaced only while no process can be recording by it: when the partner has no key.
 *
 * @throws ServiceError `forbidden`, or `invalid_request` for an unknown partner, for a value that is fixed, for another currency or time
 * zone of a partner with a key, and without any value.
 */
export const changeSettlementPolicy = withRole(
  'operator',
  async (database: Database, actor: Actor, partnerId: string, policy: Partial<SettlementPolicy>): Promise<Partner> => {
    refuseNothing(policy, 'currency', 'Nothing to change: give the currency, the time zone or both.');
    const read = readSettlementPolicy(policy);
    return changeAndAudit(database, actor, { partnerId, action: 'partner.change' }, async (db, partner) => {
      const changed = await updateSettlementPolicy(db, partnerId, read).catch(explainFixed);
      await refuseWhileRecording(db, partner, changed as Partner);
      return changed;
    });
  },
);

/** A process knows a revoked key for ten seconds at most; what it records under it is committed within the others. */
const KEY_LASTS_SECONDS = 30;

/**
 * A process takes the currency and the time zone from its memory, with the key. A contribution that it records meanwhile would have the
 * label of a value in the old currency, and no amount, and would count on a day of the old zone. The partner is locked: nobody issues a key
 * at the same time.
 */
async function refuseWhileRecording(db: Queryable, old: Partner, changed: Partner): Promise<void> {
  const isOtherCurrency = old.currency !== null && old.currency !== changed.currency;
  const replaced = [
    ...(isOtherCurrency ? [['currency', `in ${old.currency}`]] : []),
    ...(old.timeZone === changed.timeZone ? [] : [['time zone', `by the days of ${old.timeZone}`]]),
  ];
  if (replaced.length === 0 || !(await hadApiKeyWithin(db, old.partnerId, KEY_LASTS_SECONDS))) return;
  const names = replaced.map(([name]) => name).join(' and the ');
  const how = replaced.map(([, by]) => by).join(' and ');
  throw new ServiceError(
    'invalid_request',
    `The partner has an API key, or had one ${KEY_LASTS_SECONDS} seconds ago, and may be recording contributions ${how}. Revoke its keys, wait ${KEY_LASTS_SECONDS} seconds, change the ${names}, and then issue a key.`,
  );
}

/** Its entry in the audit would say that something was changed. */
function refuseNothing(change: object, field: string, message: string): void {
  if (Object.keys(change).length === 0) throw invalidRequest([{ field, code: 'missing', message }]);
}

function explainFixed(cause: unknown): never {
  if (!isRestricted(cause)) throw cause;
  throw new ServiceError(
    'invalid_request',
    'Currency and time zone of the partner are fixed, because contributions or rules depend on them. Create another partner for other values.',
    { cause },
  );
}

/** Zones in the spelling of the IANA database. */
function readSettlementPolicy({ currency, timeZone }: Partial<SettlementPolicy>): Partial<SettlementPolicy> {
  const zone = timeZone === undefined ? undefined : findTimeZone(timeZone);
  const isBadCurrency = currency !== undefined && currency !== null && !isCurrency(currency);
  const problems: ErrorDetail[] = [];
  if (isBadCurrency) problems.push(wrongForm('currency', 'an ISO 4217 currency of three capital letters, such as SAR'));
  if (timeZone !== undefined && zone === undefined)
    problems.push(wrongForm('time_zone', 'a time zone of the IANA database, such as Asia/Riyadh'));
  refuseInvalid(problems);
  return { ...(currency !== undefined && { currency }), ...(zone !== undefined && { timeZone: zone }) };
}

/** Changes a partner that agrees with the audit, and writes the audit entry. */
async function changeAndAudit(
  database: Database,
  actor: Actor,
  { partnerId, action }: { partnerId: string; action: string },
  update: (db: Queryable, partner: Partner) => Promise<Partner | undefined>,
): Promise<Partner> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const partner = await lockKnownPartner(db, partnerId);
    await requireAudited(db, PARTNER, partner);
    const changed = (await update(db, partner)) as Partner;
    await audit(db, actor, {
      action,
      partnerId,
      subjectId: partnerId,
      before: partnerRecord(partner),
      after: partnerRecord(changed),
    });
    return changed;
  });
}

/** @throws ServiceError `invalid_request` when there is none. */
export async function lockKnownPartner(db: Queryable, partnerId: string): Promise<Partner> {
  return (await lockPartner(db, partnerId)) ?? refuseUnknown(partnerId);
}

function refuseUnknown(partnerId: string): never {
  throw recordNotFound('partner_id', `There is no partner ${partnerId}. \`partner list\` shows all.`);
}
