import { setTimeout as sleep } from 'node:timers/promises';
import { sharedRead } from '../../concurrency/shared-read.ts';
import { amountOf } from '../../domain/numbers/money.ts';
import { type ServiceError, unavailable } from '../../domain/service-error.ts';
import { listPartnersInOrder, type Partner, type PartnerFilter, type PartnerOrder } from '../../store/access/partner.ts';
import { readClock } from '../../store/clock.ts';
import { type DaySum, listDayTotals, sumDayTotals } from '../../store/contributions/day-total.ts';
import { type Database, onOneConnection, type Queryable } from '../../store/database.ts';
import type { KeysetPage } from '../../store/ordered-list.ts';
import { joinPartnerIds } from '../../store/partner-ids.ts';
import { listRuleVersions } from '../../store/rules/rule-version.ts';
import { listOpenSettlementsOf, type Settlement } from '../../store/settlements/settlement.ts';
import { addUpDays } from '../contributions/add-up-days.ts';
import { type FilteredPage, readFilteredPage } from '../filtered-page.ts';
import { PartnersLeftError } from '../for-each-partner.ts';

/** What was confirmed and what failed. Points that had no conversion are worth no amount. */
export interface ContributionSums {
  readonly confirmedCount: bigint;
  readonly confirmedPoints: bigint;
  readonly failedCount: bigint;
  /** In 10^-12 of the currency's unit, by currency. */
  readonly amounts: ReadonlyMap<string, bigint>;
}

export interface DayFigures extends ContributionSums {
  readonly day: string;
}

export interface PartnerMonth extends ContributionSums {
  readonly partner: Partner;
  readonly days: readonly DayFigures[];
  /** `undefined` for a moment, until the schedule has opened one. */
  readonly open: Settlement | undefined;
}

/** A calendar month, as `2026-11`. */
export type Month = string;

/** How far the events are added up. */
interface DaysState {
  readonly asOf: Date;
  /** Whether every event that had its sequence at that moment is in the totals of the days. */
  readonly isComplete: boolean;
}

/** Long enough for what came since the last time, short enough to be forgotten. */
const REFRESH_MS = 2_000;

const isComplete = (state: DaysState) => state.isComplete;

/** Adds up the days of every partner once for all readers. When the time ends first, the next reader adds up more. */
const refreshes = sharedRead(
  { leastMs: REFRESH_MS, mostMs: 5_000 },
  async (database: Database): Promise<DaysState> => {
    const endsAtMs = performance.now() + REFRESH_MS;
    const asOf = await readClock(database.pool);
    const addedUp = await addUpDays(database, { isOver: () => performance.now() > endsAtMs });
    return { asOf, isComplete: addedUp === 'all' };
  },
  isComplete,
);

/** Usually little has to be added up, and this time is enough. */
const WAIT_MS = 200;

/** Adds up what is new, and goes on in the background where that is much: then whoever asks gets what there is. */
export async function refreshDays(database: Database): Promise<void> {
  await reached(database, WAIT_MS);
}

/** `undefined` where nothing is known yet: the events are being added up, or that has failed, and the next who asks begins again. */
async function reached(database: Database, waitMs: number): Promise<DaysState | undefined> {
  const state = refreshes.read(database, '').catch(() => undefined);
  return Promise.race([state, sleep(waitMs, undefined, { ref: false })]);
}

async function readState(database: Database): Promise<DaysState> {
  return (await reached(database, 0)) ?? { asOf: await readClock(database.pool), isComplete: false };
}

/** Everybody who opens the console reads the same first page, so that an answer is shared for this time. */
const SHARED_MS = 5_000;

/** A file may take longer than a page. */
const FILE_MS = 15_000;
const FILE_RETRY_SECONDS = 5;

/**
 * Adds up what is new before the months of partners are read for a file, waiting for others who add up the same. Whoever reads the pages
 * from then on gets every event that had its sequence when the adding up began, which callers at the same time share.
 *
 * @throws ServiceError `internal_service_unavailable` when some could not be added up within 15 s, or 4 s for what another process holds.
 */
export async function completeMonths(database: Database): Promise<void> {
  await completions.read(database, '');
  monthsOfPartners.forget(database);
}

const completions = sharedRead({ leastMs: 0, mostMs: 0 }, async (database: Database): Promise<void> => {
  const endsAtMs = performance.now() + FILE_MS;
  const addedUp = await addUpDays(database, { isOver: () => performance.now() > endsAtMs, waits: true }).catch(
    (error: unknown) => {
      throw error instanceof PartnersLeftError ? notWhole(error) : error;
    },
  );
  if (addedUp !== 'all') throw notWhole();
});

function notWhole(cause?: PartnersLeftError): ServiceError {
  const message = `Some events are not in the figures of the month yet. Wait ${FILE_RETRY_SECONDS} s (Retry-After), then download the file again.`;
  return unavailable(message, { headers: { 'retry-after': String(FILE_RETRY_SECONDS) }, cause });
}

export interface MonthOfPartners extends FilteredPage<PartnerMonth>, DaysState {}

interface MonthPage {
  readonly filter: PartnerFilter & { readonly month: Month };
  readonly page: KeysetPage<PartnerOrder>;
}

/** The month of each partner, as it was within the last 5 s. */
export async function readMonthOfPartners(
  database: Database,
  filter: MonthPage['filter'],
  page: KeysetPage<PartnerOrder>,
): Promise<MonthOfPartners> {
  return monthsOfPartners.read(database, JSON.stringify({ filter, page } satisfies MonthPage));
}

const monthsOfPartners = sharedRead(
  { leastMs: SHARED_MS, mostMs: SHARED_MS },
  async (database: Database, key): Promise<MonthOfPartners> => {
    const { filter, page } = JSON.parse(key) as MonthPage;
    const state = await readState(database);
    return onOneConnection(database.pool, async (db) => ({ ...(await readMonths(db, filter, page)), ...state }));
  },
);

async function readMonths(
  db: Queryable,
  { month, ...which }: MonthPage['filter'],
  page: MonthPage['page'],
): Promise<FilteredPage<PartnerMonth>> {
  const looked = await readFilteredPage({
    page,
    read: (part) => listPartnersInOrder(db, which, part),
    isWanted: undefined,
  });
  return { ...looked, page: await readMonthsOf(db, looked.page, month) };
}

/** With as many statements for any number of partners. */
async function readMonthsOf(db: Queryable, partners: readonly Partner[], month: Month): Promise<PartnerMonth[]> {
  const partnerIds = joinPartnerIds(partners.map(({ partnerId }) => partnerId));
  const [values, totals, opened] = await Promise.all([
    readValues(db),
    listDayTotals(db, partnerIds, daysOf(month)),
    listOpenSettlementsOf(db, partnerIds),
  ]);
  const totalsOf = Map.groupBy(totals, ({ partnerId }) => partnerId);
  const openOf = new Map(opened.map((open) => [open.partnerId, open]));
  return partners.map((partner) => {
    const own = totalsOf.get(partner.partnerId) ?? [];
    return { partner, ...addUp(own, values), days: byDay(own, values), open: openOf.get(partner.partnerId) };
  });
}

export interface MonthOfAll extends ContributionSums, DaysState {
  readonly days: readonly DayFigures[];
}

/** The month of all partners together, as it was within the last 5 s, or the last minute where reading takes long. It reads a row for each partner and day. */
export async function readMonthOfAll(database: Database, month: Month): Promise<MonthOfAll> {
  return monthsOfAll.read(database, month);
}

const monthsOfAll = sharedRead(
  { leastMs: SHARED_MS, mostMs: 60_000 },
  async (database: Database, month: Month): Promise<MonthOfAll> => {
    const state = await readState(database);
    const [totals, values] = await Promise.all([sumDayTotals(database.pool, daysOf(month)), readValues(database.pool)]);
    return { ...addUp(totals, values), days: byDay(totals, values), ...state };
  },
  isComplete,
);

function daysOf(month: Month): { from: string; to: string } {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return { from: `${month}-01`, to: new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10) };
}

/** What a point is worth under each version, and in which currency. */
type Values = ReadonlyMap<string, { readonly value: bigint; readonly currency: string }>;

async function readValues(db: Queryable): Promise<Values> {
  return new Map(
    (await listRuleVersions(db)).flatMap((rule) => {
      if (rule.kind !== 'point_conversion' || rule.pointValue === null || rule.currency === null) return [];
      return [[rule.version, { value: rule.pointValue, currency: rule.currency }] as const];
    }),
  );
}

function byDay(totals: readonly DaySum[], values: Values): DayFigures[] {
  return [...Map.groupBy(totals, ({ day }) => day)].map(([day, sums]) => ({ day, ...addUp(sums, values) }));
}

function addUp(sums: readonly DaySum[], values: Values): ContributionSums {
  const amounts = new Map<string, bigint>();
  let [confirmedCount, confirmedPoints, failedCount] = [0n, 0n, 0n];
  for (const sum of sums) {
    confirmedCount += sum.confirmedCount;
    confirmedPoints += sum.confirmedPoints;
    failedCount += sum.failedCount;
    const price = values.get(sum.pointConversionVersion);
    if (price) amounts.set(price.currency, (amounts.get(price.currency) ?? 0n) + amountOf(sum.confirmedPoints, price.value));
  }
  return { confirmedCount, confirmedPoints, failedCount, amounts };
}
