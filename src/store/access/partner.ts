import { inOneSpelling, SPELLINGS } from '../../domain/access/arabic-spelling.ts';
import type { PartnerRates } from '../../domain/access/partner-rates.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { eachRow } from '../each-page.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { type ListById, type PageOfIds, run, runListById, type Statement } from '../query.ts';

/** The currency and time zone of settlements. */
export interface SettlementPolicy {
  /** The currency of its settlements, by ISO 4217; `null` when none is fixed. */
  readonly currency: string | null;
  /** The time zone of its days and periods, as the IANA database spells it. */
  readonly timeZone: string;
}

export interface Partner extends PartnerRates, SettlementPolicy {
  readonly partnerId: string;
  readonly name: string;
  readonly createdAt: Date;
  /** `null` while the partner is active. */
  readonly suspendedAt: Date | null;
}

const COLUMNS = `partner_id as "partnerId", name, writes_per_second as "writesPerSecond", lookups_per_second as "lookupsPerSecond",
  reports_per_second as "reportsPerSecond", currency, time_zone as "timeZone", created_at as "createdAt", suspended_at as "suspendedAt"`;

export async function insertPartner(db: Queryable, partner: Omit<Partner, 'createdAt' | 'suspendedAt'>): Promise<Partner> {
  const { partnerId, name, writesPerSecond, lookupsPerSecond, reportsPerSecond, currency, timeZone } = partner;
  const text = `insert into partner (partner_id, name, writes_per_second, lookups_per_second, reports_per_second, currency, time_zone, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, ${NOW}) returning ${COLUMNS}`;
  const [row] = await run<Partner>(db, { name: 'insert_partner', text }, [
    partnerId,
    name,
    writesPerSecond,
    lookupsPerSecond,
    reportsPerSecond,
    currency,
    timeZone,
  ]);
  return row as Partner;
}

export async function findPartner(db: Queryable, partnerId: string): Promise<Partner | undefined> {
  const text = `select ${COLUMNS} from partner where partner_id = $1`;
  const [row] = await run<Partner>(db, { name: 'find_partner', text }, [partnerId]);
  return row;
}

/** Finds a partner and locks it: nobody else changes it until the transaction ends. */
export async function lockPartner(db: Queryable, partnerId: string): Promise<Partner | undefined> {
  const text = `select ${COLUMNS} from partner where partner_id = $1 for update`;
  const [row] = await run<Partner>(db, { name: 'lock_partner', text }, [partnerId]);
  return row;
}

const LIST: ListById = { name: 'list_partners', select: `select ${COLUMNS} from partner`, id: 'partner_id' };

/** In the order of their creation, oldest first; or these. */
export async function listPartners(db: Queryable, page: PageOfIds): Promise<Partner[]> {
  return runListById<Partner>(db, LIST, page);
}

const FIND_ALL: Statement = {
  name: 'find_partners',
  text: `select ${COLUMNS} from unnest($1::text[]) wanted (wanted_id)
    cross join lateral (select * from partner where partner_id = wanted_id limit 1) p`,
};

/** In no order. */
export async function findPartners(db: Queryable, partnerIds: readonly string[]): Promise<Partner[]> {
  return partnerIds.length === 0 ? [] : run<Partner>(db, FIND_ALL, [partnerIds]);
}

const LIST_NAMED: Statement = {
  name: 'list_partners_named',
  text: `select ${COLUMNS} from partner where name = $1 order by partner_id limit $2`,
};

/** Partners may have the same name. The oldest first. */
export async function listPartnersNamed(db: Queryable, name: string, limit: number): Promise<Partner[]> {
  return run<Partner>(db, LIST_NAMED, [name, limit]);
}

const PAGE_SIZE = 500;

/** All partners, page by page. */
export function eachPartner(db: Queryable): AsyncGenerator<Partner> {
  return eachRow<Partner>(PAGE_SIZE, (last, limit) => listPartners(db, { afterId: last?.partnerId ?? '', limit }));
}

/** Suspending twice keeps the first time. */
export async function updatePartnerSuspension(
  db: Queryable,
  partnerId: string,
  isSuspended: boolean,
): Promise<Partner | undefined> {
  const text = `update partner set suspended_at = case when $2 then coalesce(suspended_at, ${NOW}) end
    where partner_id = $1 returning ${COLUMNS}`;
  const [row] = await run<Partner>(db, { name: 'update_partner_suspension', text }, [partnerId, isSuspended]);
  return row;
}

/** Sets the given values. The database refuses to change a value that records depend on. */
export async function updateSettlementPolicy(
  db: Queryable,
  partnerId: string,
  { currency, timeZone }: Partial<SettlementPolicy>,
): Promise<Partner | undefined> {
  const text = `update partner set currency = coalesce($2, currency), time_zone = coalesce($3, time_zone)
    where partner_id = $1 returning ${COLUMNS}`;
  const [row] = await run<Partner>(db, { name: 'update_partner_settlement_terms', text }, [partnerId, currency, timeZone]);
  return row;
}

export async function updatePartnerRates(db: Queryable, partnerId: string, rates: PartnerRates): Promise<Partner | undefined> {
  const text = `update partner set writes_per_second = $2, lookups_per_second = $3, reports_per_second = $4
    where partner_id = $1 returning ${COLUMNS}`;
  const { writesPerSecond, lookupsPerSecond, reportsPerSecond } = rates;
  const values = [partnerId, writesPerSecond, lookupsPerSecond, reportsPerSecond];
  const [row] = await run<Partner>(db, { name: 'update_partner_rates', text }, values);
  return row;
}

export type PartnerOrder = 'created_at' | 'name';

const IN_ORDER: KeysetList<PartnerOrder> = {
  name: 'list_partners_in_order',
  select: COLUMNS,
  from: 'partner',
  // An id contains the time of its making.
  orders: {
    created_at: [['partner_id', 'text']],
    name: [
      ['lower(name)', 'text'],
      ['partner_id', 'text'],
    ],
  },
};

export interface PartnerFilter {
  /** A part of the name, in whatever case and spelling ({@link inOneSpelling}). */
  readonly text?: string | undefined;
  readonly isSuspended?: boolean | undefined;
  readonly currency?: string | undefined;
}

const NAME = `translate(name, '${SPELLINGS.from}', '${SPELLINGS.to}')`;

/** The pattern of `like` that finds a part of a text. */
function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** All partners or those of a filter, which may look at every partner. */
export async function listPartnersInOrder(
  db: Queryable,
  { text, isSuspended, currency }: PartnerFilter,
  page: KeysetPage<PartnerOrder>,
): Promise<(Partner & Placed)[]> {
  // Both sides get one case by the locale of the database, which may know no letters but those of ASCII.
  const conditions = {
    [`${NAME} ~~*`]: text && containing(inOneSpelling(text)),
    '(suspended_at is not null)': isSuspended,
    currency,
  };
  return listByKeyset<Partner, PartnerOrder>(db, IN_ORDER, conditions, page);
}
