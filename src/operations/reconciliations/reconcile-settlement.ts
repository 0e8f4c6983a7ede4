import { createHash, type Hash } from 'node:crypto';
import { inSlices } from '../../concurrency/in-slices.ts';
import { repeatWhileFull } from '../../concurrency/repeat-while-full.ts';
import { type PartnerStanding, refuseSuspended } from '../../domain/access/partner-standing.ts';
import type { Actor } from '../../domain/access/role.ts';
import { listFingerprint } from '../../domain/canonical-payloads.ts';
import { newId } from '../../domain/identifiers.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { LIST_LIMITS } from '../../domain/reconciliations/list-limits.ts';
import { type ListFormat, limitBytes, readPartnerList } from '../../domain/reconciliations/read-partner-list.ts';
import { invalidRequest, problem, recordNotFound, ServiceError } from '../../domain/service-error.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { NodeReader } from '../../store/node-reader.ts';
import { addList, findDailyUsage } from '../../store/quotas/daily-usage.ts';
import { findPartnerQuota } from '../../store/quotas/partner-quota.ts';
import { listOldReconciliations, updateLinesRemoved } from '../../store/reconciliations/old-reconciliation.ts';
import {
  deleteRefusedReconciliation,
  endLostReconciliationsOf,
  findReconciliation,
  findReconciliationByKey,
  insertReconciliation,
  type Reconciliation,
  type ReconciliationName,
  updateReconciliationBrokenOff,
  updateReconciliationReceived,
} from '../../store/reconciliations/reconciliation.ts';
import {
  deleteReconciliationLines,
  listReconciliationLines,
  type ReconciliationLine,
  type ReconciliationLinePage,
} from '../../store/reconciliations/reconciliation-line.ts';
import { findSettlement } from '../../store/settlements/settlement.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { forEachPartner } from '../for-each-partner.ts';
import { quotaSpent, refuseSpent } from '../quotas/quota-refusals.ts';
import type { StorageUsage } from '../quotas/storage-usage.ts';
import { assertSameFingerprint } from '../same-fingerprint.ts';
import { settlementNotFound } from '../settlements/read-settlements.ts';
import { type Comparing, compareList, shareComparing, tookTooLong } from './compare-list.ts';

export interface UploadedList {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly idempotencyKey: string;
  readonly format: ListFormat;
  /** The chunks as they arrive; {@link readPartnerList} limits the waiting time. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Throws what would refuse the list if it arrived now. */
  requireSenderAllowed(): Promise<void>;
  /** The standing of the partner at the last check of the sender. */
  standing(): PartnerStanding;
  /** The operator who uploads it for the partner. It counts against no quota of the partner. */
  readonly uploader?: Actor;
}

export interface ReconciliationOutcome {
  readonly reconciliation: Reconciliation;
  readonly isReplay: boolean;
}

export interface ReconciliationLines {
  readonly lines: readonly ReconciliationLine[];
  readonly nextAfter: bigint;
  readonly hasMore: boolean;
  /** Later only the counts are stored. */
  readonly linesRemovedAt: Date | null;
}

export interface ReconcileSettlement {
  /**
   * Receives a partner's list and compares each line as it arrives; missing records are found afterwards. Nothing of a refused list is
   * stored. A list that breaks off frees its key: the retry is received like the first attempt. A suspended partner cannot begin a list,
   * and its lists under way end; a recorded list replays. A list of the partner and one of an operator do not wait for each other. Throws `idempotency_conflict`, `partner_suspended`, `rate_limited` while
   * another list of the partner is under way, this list is still arriving or a quota of the day is used up, and `invalid_request` for an
   * unknown settlement (404), an open one, and a list that is malformed as a whole.
   */
  take(list: UploadedList): Promise<ReconciliationOutcome>;
  byId(id: ReconciliationName & { readonly settlementId: string }): Promise<Reconciliation>;
  lines(page: ReconciliationLinePage & { readonly settlementId: string }): Promise<ReconciliationLines>;
}

export function createReconcileSettlement(database: Database, usage: StorageUsage): ReconcileSettlement {
  const { pool } = database;
  const byId: ReconcileSettlement['byId'] = async ({ partnerId, reconciliationId, settlementId }) => {
    const found = await findReconciliation(pool, partnerId, reconciliationId);
    if (found?.settlementId !== settlementId) throw reconciliationNotFound();
    return found;
  };
  const comparing = shareComparing(database, usage);
  return {
    take: (list) => take(comparing, list),
    byId,
    async lines(page) {
      const { linesRemovedAt } = await byId(page);
      const found = await listReconciliationLines(pool, { ...page, limit: page.limit + 1 });
      const lines = found.slice(0, page.limit);
      return { lines, nextAfter: lines.at(-1)?.position ?? page.after, hasMore: found.length > page.limit, linesRemovedAt };
    },
  };
}

export function reconciliationNotFound(): ServiceError {
  return recordNotFound(
    'reconciliation_id',
    'There is no reconciliation with this reconciliation_id of this settlement. The answer that received the list has its path.',
  );
}

async function take(comparing: Comparing, list: UploadedList): Promise<ReconciliationOutcome> {
  const { usage, database } = comparing;
  const { pool } = database;
  const { partnerId, settlementId, idempotencyKey, format } = list;
  const known = await findReconciliationByKey(pool, partnerId, idempotencyKey);
  if (known && known.status !== 'receiving') return replay(known, list);
  const settlement = await findSettlement(pool, partnerId, settlementId);
  if (!settlement) throw settlementNotFound();
  if (settlement.status === 'open') throw settlementOpen();
  refuseSuspended(list.standing());
  refuseSpent(usage.isSpent(partnerId));
  await endLostReconciliationsOf(pool, partnerId);
  const reconciliationId = newId('rec');
  const uploadedBy = list.uploader?.operatorId ?? null;
  const begun = await insertReconciliation(pool, {
    partnerId,
    reconciliationId,
    settlementId,
    idempotencyKey,
    format,
    uploadedBy,
  });
  if (!begun) return resolveUploadConflict(pool, list);
  try {
    if (!list.uploader) await countOfDay(pool, partnerId);
    const hash = createHash('sha256');
    let isStatement = false;
    const onStatement = () => {
      isStatement = true;
    };
    const reading = { ...LIST_LIMITS, onStatement };
    await compareList(comparing, begun, readPartnerList(inSlices(hashed(list, hash)), format, reading));
    await list.requireSenderAllowed();
    refuseSuspended(list.standing());
    const whole = { fingerprint: listFingerprint(list, hash.digest('hex')), isStatement };
    const received = await (list.uploader
      ? receiveAudited(database, begun, whole, list.uploader)
      : updateReconciliationReceived(pool, begun, whole));
    if (!received) throw tookTooLong();
    return { reconciliation: received, isReplay: false };
  } catch (error) {
    await forget(pool, begun, error);
    throw error;
  }
}

/** An operator's list is a change by an operator: from here on it is compared, and stays. */
async function receiveAudited(
  database: Database,
  begun: Reconciliation,
  whole: { readonly fingerprint: Buffer; readonly isStatement: boolean },
  uploader: Actor,
): Promise<Reconciliation | undefined> {
  const { partnerId, reconciliationId, settlementId, format } = begun;
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const received = await updateReconciliationReceived(db, begun, whole);
    if (!received) return undefined;
    const { listedLines, isStatement } = received;
    const list = { format, is_statement: isStatement, listed_lines: listedLines, fingerprint: whole.fingerprint.toString('hex') };
    const after = { settlement_id: settlementId, ...list };
    await audit(db, uploader, { action: 'reconciliation.create', partnerId, subjectId: reconciliationId, before: null, after });
    return received;
  });
}

async function countOfDay(db: Queryable, partnerId: string): Promise<void> {
  const [{ bytesPerDay, listsPerDay }, { storedBytes }] = await Promise.all([
    findPartnerQuota(db, partnerId),
    findDailyUsage(db, partnerId),
  ]);
  // Another process may have completed the partner's lists before.
  refuseSpent(storedBytes >= bytesPerDay);
  if (await addList(db, partnerId, listsPerDay)) return;
  throw quotaSpent(
    'lists_of_day_spent',
    `The partner has sent ${listsPerDay} lists today (UTC); incomplete and refused lists count.`,
  );
}

/** Either the key is taken, or another list is under way. A list that is still arriving under this key may break off. */
async function resolveUploadConflict(db: Queryable, list: UploadedList): Promise<ReconciliationOutcome> {
  const existing = await findReconciliationByKey(db, list.partnerId, list.idempotencyKey);
  if (!existing) throw underWay();
  if (existing.status === 'receiving') throw stillComing();
  return replay(existing, list);
}

/** Answers the same list again. Another list under the same key is a conflict. */
async function replay(known: Reconciliation, list: UploadedList): Promise<ReconciliationOutcome> {
  const hash = createHash('sha256');
  for await (const chunk of limitBytes(list.chunks, LIST_LIMITS)) hash.update(chunk);
  if (known.fingerprint) assertSameFingerprint(known.fingerprint, listFingerprint(list, hash.digest('hex')));
  return { reconciliation: known, isReplay: true };
}

/** The chunks as they arrive, until the partner is suspended. */
async function* hashed(list: UploadedList, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of list.chunks) {
    refuseSuspended(list.standing());
    hash.update(chunk);
    yield chunk;
  }
}

/** Both free the key: nothing of a refused list is stored, and a broken-off list ends with a clear status. */
async function forget(db: Queryable, begun: Reconciliation, error: unknown): Promise<void> {
  const isRefused = error instanceof ServiceError && (error.code === 'invalid_request' || error.code === 'rate_limited');
  // When this fails too, the end of the lease ends the list.
  if (!isRefused) return updateReconciliationBrokenOff(db, begun).catch(() => {});
  await removeLines(db, begun);
  await deleteRefusedReconciliation(db, begun);
}

function settlementOpen(): ServiceError {
  const message = 'The settlement is open. Reconcile it after it is closed.';
  return invalidRequest([problem('settlement_id', 'settlement_open', message)]);
}

function underWay(): ServiceError {
  const message = 'Another reconciliation of this partner is in progress. Wait until it ends, then send the list again.';
  return new ServiceError('rate_limited', message, { headers: { 'retry-after': '10' } });
}

function stillComing(): ServiceError {
  const message =
    'The service is still receiving the list with this Idempotency-Key. Send it again later: the service replays it, or receives it again if the first upload was incomplete.';
  return new ServiceError('rate_limited', message, { headers: { 'retry-after': '10' } });
}

const LINES_REMOVED_AT_ONCE = 2_000;

/** @returns How many lines were removed: all of the reconciliation, unless the signal was aborted. */
function removeLines(db: Queryable, name: ReconciliationName, signal?: AbortSignal): Promise<number> {
  return repeatWhileFull(LINES_REMOVED_AT_ONCE, (limit) => deleteReconciliationLines(db, name, limit), signal);
}

/** Removes the lines of reconciliations that ended this many days ago; their counts stay. */
export async function removeOldReconciliations(
  database: Database,
  days: number,
  signal: AbortSignal,
  nodes: NodeReader,
): Promise<number> {
  const { pool } = database;
  let sum = 0;
  const failed = (count: number) => `The lines of ${pluralise(count, 'reconciliation')} could not be removed.`;
  await forEachPartner(nodes, await listOldReconciliations(nodes, days), { signal, failed }, async (name) => {
    sum += await removeLines(pool, name, signal);
    if (!signal.aborted) await updateLinesRemoved(pool, name);
  });
  return sum;
}
