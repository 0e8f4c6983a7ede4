import { afterEveryId } from '../../domain/identifiers.ts';
import type { DifferingPoints } from '../../domain/reconciliations/differing-points.ts';
import type { MatchedPoints, ReconciliationVerdict } from '../../domain/reconciliations/line-verdict.ts';
import { LIST_NOT_ENDED } from '../../domain/reconciliations/list-problem.ts';
import type { ListFormat } from '../../domain/reconciliations/read-partner-list.ts';
import type { TotalPoints } from '../../domain/reconciliations/total-points.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { type KeysetList, type KeysetPage, listByKeyset, type Placed } from '../ordered-list.ts';
import { run, type Statement } from '../query.ts';

export const RECONCILIATION_STATUSES = ['receiving', 'comparing', 'done', 'failed'] as const;

/** The status of a line: a verdict, or malformed. */
export type LineVerdict = ReconciliationVerdict | 'malformed';

/** Lines by verdict; and of those that matched, contributions by gross or net points. */
export type VerdictCounts = Partial<Record<LineVerdict | MatchedPoints, number>>;

export interface Reconciliation {
  readonly partnerId: string;
  readonly reconciliationId: string;
  readonly settlementId: string;
  /** The operator who uploaded the list for the partner; `null` when the partner sent it. */
  readonly uploadedBy: string | null;
  /** `null` when the list broke off: its key is free then. */
  readonly idempotencyKey: string | null;
  /** `null` until the whole list has arrived. */
  readonly fingerprint: Buffer | null;
  readonly format: ListFormat;
  /** The list is the service's own statement; known when it has arrived. */
  readonly isStatement: boolean;
  readonly status: (typeof RECONCILIATION_STATUSES)[number];
  readonly problem: string | null;
  readonly listedLines: bigint;
  readonly counts: VerdictCounts;
  /** `null` of a list that an earlier release received, which added up no points. */
  readonly differing: DifferingPoints | null;
  /** `null` likewise. */
  readonly total: TotalPoints | null;
  readonly comparedThrough: number;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly linesRemovedAt: Date | null;
}

/** After this time without a sign of the process another one takes its work over, or ends it. */
const LEASE = `${NOW} + interval '60 seconds'`;

const COLUMNS = `partner_id as "partnerId", reconciliation_id as "reconciliationId", settlement_id as "settlementId",
    uploaded_by as "uploadedBy", idempotency_key as "idempotencyKey", fingerprint, format, is_statement as "isStatement", status, problem, listed_lines as "listedLines", counts,
    compared_through as "comparedThrough", created_at as "createdAt", ended_at as "endedAt", lines_removed_at as "linesRemovedAt"`;

/** What is added up while a list is compared. */
export type ComparisonSums = Pick<Reconciliation, 'counts' | 'differing' | 'total'>;

type Row = Omit<Reconciliation, keyof ComparisonSums> & { readonly counts: string };

const readRow = (row: Row): Reconciliation => ({ ...row, ...readCounts(row.counts) });

/** What {@link writeCounts} wrote. */
function readCounts(text: string): ComparisonSums {
  const isSum = (name: string) => name === 'listed' || name === 'recorded' || name === 'recordedNet';
  const { differing = null, total = null, ...counts } = JSON.parse(text, (name, value) => (isSum(name) ? BigInt(value) : value));
  return { counts, differing, total };
}

/** All in one text; the sums are strings of digits in it. */
function writeCounts({ counts, differing, total }: ComparisonSums): string {
  const digits = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return JSON.stringify({ ...counts, ...(differing && { differing }), ...(total && { total }) }, digits);
}

async function findOne(db: Queryable, statement: Statement, values: unknown[]): Promise<Reconciliation | undefined> {
  const [row] = await run<Row>(db, statement, values);
  return row && readRow(row);
}

const INSERT: Statement = {
  name: 'insert_reconciliation',
  text: `insert into reconciliation (partner_id, reconciliation_id, settlement_id, idempotency_key, format, uploaded_by, status, lease_until, created_at)
    values ($1, $2, $3, $4, $5, $6, 'receiving', ${LEASE}, ${NOW})
    on conflict do nothing returning ${COLUMNS}`,
};

/**
 * @returns `undefined` when the key is taken, or another one is under way: there is one at a time of the partner, and one of operators.
 */
export async function insertReconciliation(
  db: Queryable,
  one: Pick<Reconciliation, 'partnerId' | 'reconciliationId' | 'settlementId' | 'format' | 'uploadedBy'> & {
    readonly idempotencyKey: string;
  },
): Promise<Reconciliation | undefined> {
  const { partnerId, reconciliationId, settlementId, idempotencyKey, format, uploadedBy } = one;
  return findOne(db, INSERT, [partnerId, reconciliationId, settlementId, idempotencyKey, format, uploadedBy]);
}

const FIND = durableRead({
  name: 'find_reconciliation',
  text: `select ${COLUMNS} from reconciliation where partner_id = $1 and reconciliation_id = $2`,
});

export async function findReconciliation(
  db: Queryable,
  partnerId: string,
  reconciliationId: string,
): Promise<Reconciliation | undefined> {
  return findOne(db, FIND, [partnerId, reconciliationId]);
}

const FIND_BY_KEY = durableRead({
  name: 'find_reconciliation_by_key',
  text: `select ${COLUMNS} from reconciliation where partner_id = $1 and idempotency_key = $2`,
});

export async function findReconciliationByKey(
  db: Queryable,
  partnerId: string,
  key: string,
): Promise<Reconciliation | undefined> {
  return findOne(db, FIND_BY_KEY, [partnerId, key]);
}

const LIST: Statement = {
  name: 'list_reconciliations',
  text: `select ${COLUMNS} from reconciliation where partner_id = $1 and reconciliation_id < $2 order by reconciliation_id desc limit $3`,
};

export interface ReconciliationPlace {
  readonly beforeId?: string | undefined;
  readonly limit: number;
}

/** Lists the reconciliations of a partner, the latest first. */
export async function listReconciliations(
  db: Queryable,
  partnerId: string,
  { beforeId = afterEveryId('rec'), limit }: ReconciliationPlace,
): Promise<Reconciliation[]> {
  return (await run<Row>(db, LIST, [partnerId, beforeId, limit])).map(readRow);
}

const IN_ORDER: KeysetList<'created_at'> = {
  name: 'list_reconciliations_in_order',
  select: COLUMNS,
  from: 'reconciliation',
  // An id contains the time of its making.
  orders: { created_at: [['reconciliation_id', 'text']] },
};

/** Lists the reconciliations of all partners, of one partner, or of one of its settlements. */
export async function listReconciliationsInOrder(
  db: Queryable,
  { partnerId, settlementId }: { readonly partnerId?: string | undefined; readonly settlementId?: string | undefined },
  page: KeysetPage<'created_at'>,
): Promise<(Reconciliation & Placed)[]> {
  const conditions = { partner_id: partnerId, settlement_id: settlementId };
  const rows = await listByKeyset<Row, 'created_at'>(db, IN_ORDER, conditions, page);
  return rows.map((row) => ({ ...readRow(row), place: row.place }));
}

const ADD: Statement = {
  name: 'update_reconciliation_progress',
  text: `update reconciliation set counts = $3, listed_lines = $4, compared_through = $5, lease_until = ${LEASE}
    where partner_id = $1 and reconciliation_id = $2 and status = $6 and listed_lines <= $4 and compared_through <= $5 returning 1`,
};

/**
 * @returns Whether it was still under way in this status; otherwise another process has it.
 */
export async function updateReconciliationProgress(
  db: Queryable,
  progress: Omit<Reconciliation, 'fingerprint'>,
): Promise<boolean> {
  const { partnerId, reconciliationId, listedLines, comparedThrough, status } = progress;
  const values = [partnerId, reconciliationId, writeCounts(progress), listedLines, comparedThrough, status];
  return (await run(db, ADD, values)).length > 0;
}

const RECEIVED: Statement = {
  name: 'update_reconciliation_received',
  text: `update reconciliation set status = 'comparing', fingerprint = $3, is_statement = $4, lease_until = ${NOW}
    where partner_id = $1 and reconciliation_id = $2 and status = 'receiving' returning ${COLUMNS}`,
};

/** From now on any process may compare the rest. */
export async function updateReconciliationReceived(
  db: Queryable,
  { partnerId, reconciliationId }: ReconciliationName,
  { fingerprint, isStatement }: { readonly fingerprint: Buffer; readonly isStatement: boolean },
): Promise<Reconciliation | undefined> {
  return findOne(db, RECEIVED, [partnerId, reconciliationId, fingerprint, isStatement]);
}

const END: Statement = {
  name: 'update_reconciliation_done',
  text: `update reconciliation set status = 'done', ended_at = ${NOW}
    where partner_id = $1 and reconciliation_id = $2 and status = 'comparing'`,
};

export async function updateReconciliationDone(
  db: Queryable,
  { partnerId, reconciliationId }: ReconciliationName,
): Promise<void> {
  await run(db, END, [partnerId, reconciliationId]);
}

/** The key got no answer, and nobody else has the rest of the list: the key is free for the retry. */
const BREAK_OFF = `update reconciliation set status = 'failed', idempotency_key = null, ended_at = ${NOW},
      problem = '${LIST_NOT_ENDED}'`;

const BROKEN_OFF: Statement = {
  name: 'update_reconciliation_broken_off',
  text: `${BREAK_OFF} where partner_id = $1 and reconciliation_id = $2 and status = 'receiving'`,
};

/** A list that arrived completely has another status by then, and keeps it, even when its answer was lost. */
export async function updateReconciliationBrokenOff(
  db: Queryable,
  { partnerId, reconciliationId }: ReconciliationName,
): Promise<void> {
  await run(db, BROKEN_OFF, [partnerId, reconciliationId]);
}

const DELETE_REFUSED: Statement = {
  name: 'delete_refused_reconciliation',
  text: "delete from reconciliation where partner_id = $1 and reconciliation_id = $2 and status = 'receiving'",
};

/** Nothing of a refused list is stored, and its key is free. */
export async function deleteRefusedReconciliation(
  db: Queryable,
  { partnerId, reconciliationId }: Pick<Reconciliation, 'partnerId' | 'reconciliationId'>,
): Promise<void> {
  await run(db, DELETE_REFUSED, [partnerId, reconciliationId]);
}

const END_LOST: OfAllPartners = {
  name: 'end_lost_reconciliations',
  write: (ofPartners) => `${BREAK_OFF} where ${ofPartners('partner_id')} and status = 'receiving' and lease_until < now()`,
};

/** Ends reconciliations whose process died, or whose list stopped arriving. Later parts of such a list are refused. */
export async function endLostReconciliations(nodes: NodeReader): Promise<void> {
  await nodes.read(END_LOST);
}

const END_LOST_OF: Statement = {
  name: 'end_lost_reconciliations_of',
  text: `${BREAK_OFF} where partner_id = $1 and status = 'receiving' and lease_until < now()`,
};

/** Like {@link endLostReconciliations}, for one partner. */
export async function endLostReconciliationsOf(db: Queryable, partnerId: string): Promise<void> {
  await run(db, END_LOST_OF, [partnerId]);
}

const SHORTEN_LEASES: OfAllPartners = {
  name: 'shorten_reconciliation_leases',
  write: (ofPartners) => `update reconciliation set lease_until = ${LEASE}
    where ${ofPartners('partner_id')} and status in ('receiving', 'comparing') and lease_until > now() + interval '2 minutes'`,
};

/** Lets leases end after a minute that would last for longer than two: the clock was ahead when they were taken. */
export async function shortenReconciliationLeases(nodes: NodeReader): Promise<void> {
  await nodes.read(SHORTEN_LEASES);
}

const LIST_LEFT: OfAllPartners = {
  name: 'list_left_reconciliations',
  write: (ofPartners) => `select partner_id as "partnerId", reconciliation_id as "reconciliationId" from reconciliation
    where ${ofPartners('partner_id')} and status = 'comparing' and lease_until <= now()`,
};

export type ReconciliationName = Pick<Reconciliation, 'partnerId' | 'reconciliationId'>;

/** Lists the reconciliations that wait for their comparison, because the process that had begun it renews its lease no longer. */
export async function listLeftReconciliations(nodes: NodeReader): Promise<ReconciliationName[]> {
  return nodes.read<ReconciliationName>(LIST_LEFT);
}

const CLAIM: Statement = {
  name: 'claim_reconciliation',
  text: `update reconciliation set lease_until = ${LEASE}
    where partner_id = $1 and reconciliation_id = $2 and status = 'comparing' and lease_until <= now() returning ${COLUMNS}`,
};

/** Claims a reconciliation whose lease is over. Of several callers one gets it. */
export async function claimReconciliation(
  db: Queryable,
  { partnerId, reconciliationId }: ReconciliationName,
): Promise<Reconciliation | undefined> {
  return findOne(db, CLAIM, [partnerId, reconciliationId]);
}
