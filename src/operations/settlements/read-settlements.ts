import { setTimeout as sleep } from 'node:timers/promises';
import type { Places } from '../../concurrency/batch-queue.ts';
import { oneByOne } from '../../concurrency/one-by-one.ts';
import { recordNotFound, type ServiceError } from '../../domain/service-error.ts';
import type { SettlementLine } from '../../domain/settlements/settlement-line.ts';
import { type StatementOptions, writeStatement } from '../../domain/settlements/statement/write-statement.ts';
import { findPartner } from '../../store/access/partner.ts';
import type { Database } from '../../store/database.ts';
import {
  findSettlement,
  findSettlementBySequence,
  listSettlements,
  type Settlement,
} from '../../store/settlements/settlement.ts';
import { type LinePage, listSettlementLines } from '../../store/settlements/settlement-line.ts';
import type { SettlementView } from '../../wire/settlement-to-wire.ts';
import { type OpenTotals, rememberOpenTotals, type SumTurn } from './open-totals.ts';
import type { PricesOf } from './settlement-tools.ts';

export interface SettlementId {
  readonly partnerId: string;
  readonly settlementId: string;
}

export interface SettlementCursor {
  readonly partnerId: string;
  /** The largest int64 is after the latest. */
  readonly beforeSequence: bigint;
  readonly limit: number;
}

export interface SettlementPage {
  readonly settlements: readonly SettlementView[];
  /** The cursor of the next page; `null` for the last page. */
  readonly nextBeforeSequence: bigint | null;
}

export interface SettlementLinesView {
  readonly lines: readonly SettlementLine[];
  readonly nextAfterLine: number;
  readonly hasMore: boolean;
}

export interface SettlementStatement {
  readonly settlement: Settlement;
  /** The bytes, written while the lines are read; each call writes the same. */
  write(options: StatementOptions): AsyncGenerator<Buffer, unknown>;
}

/** Another partner's settlement is answered as not found. An open one has no lines and no statement yet. */
export interface ReadSettlements {
  /** The latest first. */
  page(cursor: SettlementCursor): Promise<SettlementPage>;
  byId(id: SettlementId): Promise<SettlementView>;
  lines(page: LinePage): Promise<SettlementLinesView>;
  statement(id: SettlementId): Promise<SettlementStatement>;
  /** The totals of open settlements that the reads above have added up so far. */
  readonly openTotals: OpenTotals;
}

const LIMITS = { waitingMax: 256, waitMaxMs: 5_000 };
/** A page of a statement under way has no time limit: half of its bytes are sent. */
const STATEMENT_LIMITS = { waitingMax: 256, waitMaxMs: 60_000 };
const LINES_AT_ONCE = 1_000;
/** A download pauses as long as its last page took, up to this time: its client waits, so that other partners do not. */
const REST_MAX_MS = 25;

/** A partner with millions of contributions this month leaves the place to the others meanwhile. */
const SUM_TURN: Partial<SumTurn> = { turnMs: 1_000 };

/**
 * @param places How many of each kind of read run at once; the pages of statements under way are a kind of their own.
 * @param turn Of a read of an open settlement.
 */
export function createReadSettlements(
  database: Database,
  pricesOf: PricesOf,
  places: Places,
  turn: Partial<SumTurn> = SUM_TURN,
): ReadSettlements {
  const { pool } = database;
  const one = <Request extends { readonly partnerId: string }, Outcome>(run: (request: Request) => Promise<Outcome>) =>
    oneByOne({ ...LIMITS, ...places, run });
  const find = async ({ partnerId, settlementId }: SettlementId): Promise<Settlement> => {
    const settlement = await findSettlement(pool, partnerId, settlementId);
    if (!settlement) throw settlementNotFound();
    return settlement;
  };
  const linesAtOnce = oneByOne({ ...STATEMENT_LIMITS, ...places, run: (page: LinePage) => listSettlementLines(pool, page) });
  const openTotals = rememberOpenTotals(turn);
  return {
    page: one((cursor) => readPage(database, pricesOf, cursor, openTotals)),
    byId: one(async (id) => readSettlementView(database, pricesOf, await find(id), openTotals)),
    lines: one(async (page) => {
      const { status } = await find(page);
      const found = status === 'open' ? [] : await listSettlementLines(pool, { ...page, limit: page.limit + 1 });
      const lines = found.slice(0, page.limit);
      return { lines, nextAfterLine: lines.at(-1)?.lineNo ?? page.afterLine, hasMore: found.length > page.limit };
    }),
    statement: one(async (id) => {
      const settlement = await find(id);
      if (settlement.status === 'open') throw statementNotFound();
      return { settlement, write: (options) => writeStatement(eachLine(id, linesAtOnce), options) };
    }),
    openTotals,
  };
}

async function readPage(
  database: Database,
  pricesOf: PricesOf,
  { limit, ...cursor }: SettlementCursor,
  openTotals: OpenTotals,
): Promise<SettlementPage> {
  // One more than requested shows whether there are more.
  const found = await readSettlementViews(database, pricesOf, { ...cursor, limit: limit + 1 }, openTotals);
  const settlements = found.slice(0, limit);
  return { settlements, nextBeforeSequence: found.length > limit ? (settlements.at(-1)?.settlement.sequence ?? null) : null };
}

/** The latest before a sequence, each with its totals. */
export async function readSettlementViews(
  database: Database,
  pricesOf: PricesOf,
  cursor: SettlementCursor,
  openTotals?: OpenTotals,
): Promise<SettlementView[]> {
  const found = await listSettlements(database.pool, cursor.partnerId, cursor);
  const views = await Promise.all(found.map((each) => readSettlementView(database, pricesOf, each, openTotals)));
  // What was closed meanwhile has a successor, which the list lacks: the open one.
  const isOutdated = views.some(({ settlement }, index) => settlement.status !== found[index]?.status);
  return isOutdated ? readSettlementViews(database, pricesOf, cursor, openTotals) : views;
}

/** With its totals; for an open settlement those of now. */
export async function readSettlementView(
  database: Database,
  pricesOf: PricesOf,
  settlement: Settlement,
  openTotals: OpenTotals = rememberOpenTotals(),
): Promise<SettlementView> {
  const { totals, currency, partnerId, settlementId, sequence } = settlement;
  if (totals) return { settlement, totals, currency, asOf: null };
  const { pool } = database;
  const partner = await findPartner(pool, partnerId);
  if (!partner) throw new Error(`The partner ${partnerId} does not exist.`);
  const prices = await pricesOf(pool, partner);
  const previous = (await findSettlementBySequence(pool, partnerId, sequence - 1n))?.totals ?? undefined;
  const { asOf, totals: now } = await openTotals(pool, settlement, { previous, prices });
  // A settlement that was closed meanwhile is missing in the sums: it has its own totals by now.
  const still = await findSettlement(pool, partnerId, settlementId);
  if (still?.totals) return { settlement: still, totals: still.totals, currency: still.currency, asOf: null };
  return { settlement, totals: now, currency: prices.currency, asOf };
}

async function* eachLine(
  id: SettlementId,
  list: (page: LinePage) => Promise<readonly SettlementLine[]>,
): AsyncGenerator<SettlementLine> {
  for (let page: readonly SettlementLine[] | undefined; page === undefined || page.length === LINES_AT_ONCE; ) {
    const beganMs = performance.now();
    page = await list({ ...id, afterLine: page?.at(-1)?.lineNo ?? 0, limit: LINES_AT_ONCE });
    yield* page;
    if (page.length === LINES_AT_ONCE) await sleep(Math.min(performance.now() - beganMs, REST_MAX_MS));
  }
}

export function settlementNotFound(): ServiceError {
  const message = 'There is no settlement with this settlement_id. GET /v1/settlements lists all settlements.';
  return recordNotFound('settlement_id', message);
}

function statementNotFound(): ServiceError {
  return recordNotFound('statement', 'The settlement is open. It has a statement after it is closed.');
}
