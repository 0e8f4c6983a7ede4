import { type Queryable, run } from './database.ts';

/** Requests a second, per class of operation; the burst is twice the rate. */
export interface PartnerRates {
  readonly writesPerSecond: number;
  readonly lookupsPerSecond: number;
  readonly reportsPerSecond: number;
}

export interface Partner extends PartnerRates {
  readonly partnerId: string;
  readonly name: string;
  /** Of the partner's settlements; `null` where none was fixed. */
  readonly currency: string | null;
  /** By whose calendar the settlements run. */
  readonly timeZone: string;
  readonly createdAt: Date;
  /** `null` while the partner is active. */
  readonly suspendedAt: Date | null;
}

const COLUMNS = `partner_id as "partnerId", name, currency, time_zone as "timeZone", writes_per_second as "writesPerSecond", lookups_per_second as "lookupsPerSecond",
  reports_per_second as "reportsPerSecond", created_at as "createdAt", suspended_at as "suspendedAt"`;

export async function insertPartner(
  db: Queryable,
  partner: Omit<Partner, 'createdAt' | 'suspendedAt' | 'currency' | 'timeZone'>,
): Promise<Partner> {
  const { partnerId, name, writesPerSecond, lookupsPerSecond, reportsPerSecond } = partner;
  const text = `insert into partner (partner_id, name, writes_per_second, lookups_per_second, reports_per_second)
    values ($1, $2, $3, $4, $5) returning ${COLUMNS}`;
  const [row] = await run<Partner>(db, { name: 'insert_partner', text }, [
    partnerId,
    name,
    writesPerSecond,
    lookupsPerSecond,
    reportsPerSecond,
  ]);
  return row as Partner;
}

export async function findPartner(db: Queryable, partnerId: string): Promise<Partner | undefined> {
  const text = `select ${COLUMNS} from partner where partner_id = $1`;
  const [row] = await run<Partner>(db, { name: 'find_partner', text }, [partnerId]);
  return row;
}

/** In the order of their making, oldest first; `afterId` is the last one of the page before. */
export async function listPartners(db: Queryable, page: { afterId: string; limit: number }): Promise<Partner[]> {
  const text = `select ${COLUMNS} from partner where partner_id > $1 order by partner_id limit $2`;
  return run<Partner>(db, { name: 'list_partners', text }, [page.afterId, page.limit]);
}

const PAGE_SIZE = 500;

/** All partners, page by page. */
export async function* eachPartner(db: Queryable): AsyncGenerator<Partner> {
  for (let page: Partner[] | undefined; page === undefined || page.length === PAGE_SIZE; ) {
    page = await listPartners(db, { afterId: page?.at(-1)?.partnerId ?? '', limit: PAGE_SIZE });
    yield* page;
  }
}

/** Suspending twice keeps the time of the first. */
export async function updatePartnerSuspension(
  db: Queryable,
  partnerId: string,
  isSuspended: boolean,
): Promise<Partner | undefined> {
  const text = `update partner set suspended_at = case when $2 then coalesce(suspended_at, now()) end
    where partner_id = $1 returning ${COLUMNS}`;
  const [row] = await run<Partner>(db, { name: 'update_partner_suspension', text }, [partnerId, isSuspended]);
  return row;
}
