import type { AcknowledgementStatus, SettlementStatus } from '../../domain/settlements/settlement.ts';
import type { SettlementPeriod } from '../../domain/settlements/settlement-period.ts';
import type { SettlementTotals } from '../../domain/settlements/settlement-totals.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { forPartners, type PartnerIds, partnerIdsIn, runForPartners } from '../partner-ids.ts';
import { isRow, type ListedIn, listedStatement, run, runListed, type Statement } from '../query.ts';
import { readSums, readVersions, type SumsRow } from './exact-totals.ts';
import { acknowledgementRow } from './settlement-acknowledgement.ts';

/** The stored data of a closed settlement's statement. */
export interface KeptStatement {
  readonly csvSha256: string;
  readonly csvBytes: bigint;
  readonly lineCount: number;
  readonly previousCsvSha256: string | null;
  readonly chainSha256: string;
}

export interface Settlement {
  readonly partnerId: string;
  readonly settlementId: string;
  /** Per partner, from 1 without gaps. */
  readonly sequence: bigint;
  readonly status: SettlementStatus;
  readonly period: SettlementPeriod;
  /** Every confirmation whose event has this sequence or a lower one is on a line of an earlier settlement. */
  readonly followsEvent: bigint;
  readonly createdAt: Date;
  /** `null` while open, as are totals and statement. */
  readonly closedAt: Date | null;
  readonly totals: SettlementTotals | null;
  readonly currency: string | null;
  readonly statement: KeptStatement | null;
  /** `null` for an open settlement that is the first of its partner. */
  readonly seal: string | null;
  readonly acknowledgement: RecordedAcknowledgement;
}

export interface RecordedAcknowledgement {
  readonly status: AcknowledgementStatus;
  readonly acknowledgedAt: Date | null;
  readonly reference: string | null;
  readonly note: string | null;
}

interface SettlementRow extends SumsRow {
  readonly partner_id: string;
  readonly settlement_id: string;
  readonly sequence: bigint;
  readonly status: SettlementStatus;
  readonly period_start: Date;
  readonly period_end: Date;
  readonly period_timezone: string;
  readonly period_label: string;
  readonly follows_event: bigint;
  readonly created_at: Date;
  readonly closed_at: Date | null;
  readonly currency: string | null;
  readonly totals_by_version: string | null;
  readonly csv_sha256: string;
  readonly csv_bytes: bigint;
  readonly line_count: number;
  readonly previous_csv_sha256: string | null;
  readonly chain_sha256: string;
  readonly seal: string | null;
  readonly acknowledgement: AcknowledgementStatus | null;
  readonly acknowledged_at: Date | null;
  readonly reference: string | null;
  readonly note: string | null;
}

/** Each by its name: with `*` the sessions of a release could not read settlements any more once the next one has added a column. */
const COLUMNS = `s.partner_id, s.settlement_id, s.sequence, s.status, s.period_start, s.period_end, s.period_timezone, s.period_label,
      s.follows_event, s.created_at, s.closed_at, s.contribution_count, s.adjustment_count, s.gross_points, s.adjustment_points,
      s.carried_points, s.net_points, s.exact_amount, s.currency, s.totals_by_version, s.csv_sha256, s.csv_bytes, s.line_count,
      s.previous_csv_sha256, s.chain_sha256, s.seal`;

/**
 * Selects settlements with the partner's answer: where an acceptance ended a dispute, with the acceptance.
 *
 * @param partnerId SQL.
 */
const selectOf = (partnerId: string, rows = 'settlement s') => `select ${COLUMNS},
      a.status as acknowledgement, a.acknowledged_at, a.reference, a.note
    from ${rows} left join lateral ${acknowledgementRow(partnerId)} a on true`;
const SELECT = selectOf('$1');

function readRow(row: SettlementRow): Settlement {
  const isClosed = row.status === 'closed';
  return {
    partnerId: row.partner_id,
    settlementId: row.settlement_id,
    sequence: row.sequence,
    status: row.status,
    period: { startsAt: row.period_start, endsAt: row.period_end, timeZone: row.period_timezone, label: row.period_label },
    followsEvent: row.follows_event,
    createdAt: row.created_at,
    closedAt: row.closed_at,
    totals: isClosed ? { ...readSums(row), byVersion: readVersions(row.totals_by_version as string) } : null,
    currency: row.currency,
    statement: isClosed
      ? {
          csvSha256: row.csv_sha256,
          csvBytes: row.csv_bytes,
          lineCount: row.line_count,
          previousCsvSha256: row.previous_csv_sha256,
          chainSha256: row.chain_sha256,
        }
      : null,
    seal: row.seal,
    acknowledgement: {
      status: row.acknowledgement ?? 'pending',
      acknowledgedAt: row.acknowledged_at,
      reference: row.reference,
      note: row.note,
    },
  };
}

export type NewSettlement = Pick<
  Settlement,
  'partnerId' | 'settlementId' | 'sequence' | 'period' | 'followsEvent' | 'createdAt' | 'seal'
>;

const INSERT: Statement = {
  name: 'insert_settlement',
  text: `insert into settlement (partner_id, settlement_id, sequence, status, period_start, period_end, period_timezone, period_label,
      follows_event, created_at, seal)
    values ($1, $2, $3, 'open', $4, $5, $6, $7, $8, $9, $10)
    on conflict do nothing returning settlement_id`,
};

/**
 * @returns Whether this one is open now: the index on open settlements allows one, however many transactions race.
 */
export async function insertSettlement(db: Queryable, settlement: NewSettlement): Promise<boolean> {
  const { partnerId, settlementId, sequence, period, followsEvent, createdAt, seal } = settlement;
  const { startsAt, endsAt, timeZone, label } = period;
  const values = [partnerId, settlementId, sequence, startsAt, endsAt, timeZone, label, followsEvent, createdAt, seal];
  return (await run(db, INSERT, values)).length > 0;
}

const FIND = durableRead({
  name: 'find_settlement',
  text: `${SELECT} where ${isRow({ partnerId: '$1', key: 'settlement_id', value: '$2' })}`,
});

export async function findSettlement(db: Queryable, partnerId: string, settlementId: string): Promise<Settlement | undefined> {
  const [row] = await run<SettlementRow>(db, FIND, [partnerId, settlementId]);
  return row && readRow(row);
}

const FIND_LISTED = listedStatement(
  'find_listed_settlements',
  { table: 'settlement', alias: 's', key: 'settlement_id' },
  (rows, partnerId) => selectOf(partnerId, rows),
);

/** Finds settlements of any partners. Their order is undefined. It is for operators, and waits for no standby. */
export async function findListedSettlements(
  database: ListedIn,
  listed: readonly Pick<Settlement, 'partnerId' | 'settlementId'>[],
): Promise<Settlement[]> {
  const keys = listed.map(({ partnerId, settlementId }) => [partnerId, settlementId] as const);
  return (await runListed<SettlementRow>(database, FIND_LISTED, keys)).map(readRow);
}

const FIND_BY_SEQUENCE: Statement = {
  name: 'find_settlement_by_sequence',
  text: `${SELECT} where ${isRow({ partnerId: '$1', key: 'sequence', value: '$2' })}`,
};

export async function findSettlementBySequence(
  db: Queryable,
  partnerId: string,
  sequence: bigint,
): Promise<Settlement | undefined> {
  const [row] = await run<SettlementRow>(db, FIND_BY_SEQUENCE, [partnerId, sequence]);
  return row && readRow(row);
}

const FIND_OPEN: Statement = {
  name: 'find_open_settlement',
  text: `${SELECT} where s.partner_id = $1 and s.status = 'open'`,
};

export async function findOpenSettlement(db: Queryable, partnerId: string): Promise<Settlement | undefined> {
  const [row] = await run<SettlementRow>(db, FIND_OPEN, [partnerId]);
  return row && readRow(row);
}

const LIST_OPEN_OF_SOME: Statement = {
  name: 'list_open_settlements_of_partners',
  text: `${selectOf('s.partner_id')} where s.partner_id = any (${partnerIdsIn('$1')}) and s.status = 'open'`,
};

/** Lists the open settlements of these partners, in no order. */
export async function listOpenSettlementsOf(db: Queryable, partnerIds: PartnerIds): Promise<Settlement[]> {
  return (await run<SettlementRow>(db, LIST_OPEN_OF_SOME, [partnerIds])).map(readRow);
}

const LATEST_OF_SOME = forPartners('list_latest_settlements', (partners) =>
  selectOf(
    'p.partner_id',
    `${partners} cross join lateral (select * from settlement where partner_id = p.partner_id order by sequence desc limit $2) s`,
  ),
);

/** Lists the latest settlements of each of these partners, `limit` of each at most, in no order. It is for operators, and waits for no standby. */
export async function listLatestSettlements(db: Queryable, partnerIds: PartnerIds, limit: number): Promise<Settlement[]> {
  return (await runForPartners<SettlementRow>(db, LATEST_OF_SOME, [partnerIds, limit])).map(readRow);
}

const LOCK_OPEN: Statement = {
  name: 'lock_open_settlement',
  text: "select settlement_id from settlement where partner_id = $1 and status = 'open' for update",
};

/** Locks the partner's open settlement until the transaction ends: of several concurrent closings one succeeds. */
export async function lockOpenSettlement(db: Queryable, partnerId: string): Promise<Settlement | undefined> {
  const [row] = await run<{ settlement_id: string }>(db, LOCK_OPEN, [partnerId]);
  return row && findSettlement(db, partnerId, row.settlement_id);
}

const LOCK: Statement = {
  name: 'lock_settlement',
  text: 'select settlement_id from settlement where partner_id = $1 and settlement_id = $2 for update',
};

export async function lockSettlement(db: Queryable, partnerId: string, settlementId: string): Promise<Settlement | undefined> {
  const rows = await run(db, LOCK, [partnerId, settlementId]);
  return rows.length > 0 ? findSettlement(db, partnerId, settlementId) : undefined;
}

const LIST = durableRead({
  name: 'list_settlements',
  text: `${SELECT} where s.partner_id = $1 and s.sequence < $2 order by s.sequence desc limit $3`,
});

/** The latest first. */
export async function listSettlements(
  db: Queryable,
  partnerId: string,
  { beforeSequence, limit }: { beforeSequence: bigint; limit: number },
): Promise<Settlement[]> {
  return (await run<SettlementRow>(db, LIST, [partnerId, beforeSequence, limit])).map(readRow);
}

const LIST_FORWARD: Statement = {
  name: 'list_settlements_forward',
  text: `${SELECT} where s.partner_id = $1 and s.sequence > $2 order by s.sequence limit $3`,
};

const PAGE_SIZE = 200;

/** All settlements of a partner by their sequence, page by page, with those that are opened meanwhile. */
export async function* eachSettlement(db: Queryable, partnerId: string): AsyncGenerator<Settlement> {
  for (let page: Settlement[] | undefined; page === undefined || page.length > 0; ) {
    const after = page?.at(-1)?.sequence ?? 0n;
    page = (await run<SettlementRow>(db, LIST_FORWARD, [partnerId, after, PAGE_SIZE])).map(readRow);
    yield* page;
  }
}

const LIST_OPEN: OfAllPartners = {
  name: 'list_open_settlements',
  write: (ofPartners) =>
    `select partner_id as "partnerId", period_end as "endsAt" from settlement where ${ofPartners('partner_id')} and status = 'open'`,
};

/** Lists the open settlements of all partners; a partner has one at most. */
export async function listOpenSettlements(nodes: NodeReader): Promise<{ readonly partnerId: string; readonly endsAt: Date }[]> {
  return nodes.read<{ partnerId: string; endsAt: Date }>(LIST_OPEN);
}
