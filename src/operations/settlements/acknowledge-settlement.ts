import type { Places } from '../../concurrency/batch-queue.ts';
import { oneByOne } from '../../concurrency/one-by-one.ts';
import type { AuditAuthor } from '../../domain/access/role.ts';
import { refuseInvalid, ServiceError, unavailable } from '../../domain/service-error.ts';
import { type Acknowledgement, checkAcknowledgement } from '../../domain/settlements/settlement.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { lockSettlement } from '../../store/settlements/settlement.ts';
import {
  type AcknowledgementRecord,
  findAcknowledgementByKey,
  insertAcknowledgement,
} from '../../store/settlements/settlement-acknowledgement.ts';
import { CommitUnknownError, inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { assertSameFingerprint } from '../same-fingerprint.ts';
import { settlementNotFound } from './read-settlements.ts';

export interface AcknowledgementRequest {
  readonly partnerId: string;
  readonly settlementId: string;
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly acknowledgement: Acknowledgement;
  /** The API key of the partner's request. */
  readonly author: AuditAuthor;
}

export interface AcknowledgementOutcome {
  readonly record: AcknowledgementRecord;
  readonly isReplay: boolean;
}

export type AcknowledgeSettlement = (request: AcknowledgementRequest) => Promise<AcknowledgementOutcome>;

/** The action of its audit entries. */
export const ACKNOWLEDGE = 'settlement.acknowledge';

/**
 * Records a partner's acknowledgement of a closed settlement, with an audit entry, so that an edit in the database is found. It does not
 * reopen the settlement. A suspended partner may send it too, because its records exist already. Throws `idempotency_conflict`, and
 * `invalid_request` for an unknown settlement (404), and for one that is open or was acknowledged otherwise.
 */
export function createAcknowledgeSettlement(database: Database, places: Places): AcknowledgeSettlement {
  return oneByOne({ ...places, waitingMax: 256, waitMaxMs: 5_000, run: (request) => acknowledge(database, request) });
}

async function acknowledge(database: Database, request: AcknowledgementRequest): Promise<AcknowledgementOutcome> {
  const known = await findOutcome(database, request);
  if (known) return known;
  try {
    const record = await inTransaction(database, USUAL_LOCK_TIMEOUT, (db) => insert(db, request));
    if (record) return { record, isReplay: false };
  } catch (error) {
    const isConcurrentDuplicate = error instanceof ServiceError && error.code === 'invalid_request';
    if (!isConcurrentDuplicate && !(error instanceof CommitUnknownError)) throw error;
    const found = await findOutcome(database, request);
    if (found) return found;
    if (isConcurrentDuplicate) throw error;
  }
  const outcome = await findOutcome(database, request);
  if (outcome) return outcome;
  throw unavailable('Whether the acknowledgement is recorded is not known yet.');
}

/** `undefined` when the key was taken meanwhile. */
async function insert(db: Queryable, request: AcknowledgementRequest): Promise<AcknowledgementRecord | undefined> {
  const { partnerId, settlementId, idempotencyKey, fingerprint, acknowledgement, author } = request;
  const settlement = await lockSettlement(db, partnerId, settlementId);
  if (!settlement) throw settlementNotFound();
  const known = { settlement: settlement.status, acknowledgement: settlement.acknowledgement.status };
  const details = checkAcknowledgement(known, acknowledgement);
  refuseInvalid(details);
  const record = await insertAcknowledgement(db, { partnerId, settlementId, idempotencyKey, fingerprint, ...acknowledgement });
  if (!record) return undefined;
  const before = { status: known.acknowledgement };
  const after = acknowledgementRecord(record);
  await audit(db, author, { action: ACKNOWLEDGE, partnerId, subjectId: settlementId, before, after });
  return record;
}

/** The record in the audit: the acknowledgement, its time and its key. */
export function acknowledgementRecord(record: AcknowledgementRecord) {
  const { status, reference, note, acknowledgedAt, idempotencyKey, fingerprint } = record;
  const said = { status, reference, note, acknowledged_at: acknowledgedAt.toISOString() };
  return { ...said, idempotency_key: idempotencyKey, fingerprint: fingerprint.toString('hex') };
}

async function findOutcome(
  database: Database,
  { partnerId, idempotencyKey, fingerprint }: AcknowledgementRequest,
): Promise<AcknowledgementOutcome | undefined> {
  const record = await findAcknowledgementByKey(database.pool, partnerId, idempotencyKey);
  if (!record) return undefined;
  assertSameFingerprint(record.fingerprint, fingerprint);
  return { record, isReplay: true };
}
