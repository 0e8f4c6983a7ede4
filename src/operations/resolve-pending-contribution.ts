import type { RejectionCode } from '../domain/association.ts';
import { ServiceError } from '../domain/service-error.ts';
import {
  type ContributionRecord,
  lockContribution,
  type PendingOutcome,
  updateContributionOutcome,
} from '../store/contribution.ts';
import { type Database, inTransaction, type Queryable } from '../store/database.ts';
import { isLockTimeout } from '../store/database-errors.ts';
import { insertEmissionsLink } from '../store/emissions-link.ts';
import { findEstimatesById } from '../store/estimate.ts';
import { linkSnapshot, refuseLink } from './linking.ts';

export interface PendingContribution {
  readonly partnerId: string;
  readonly transactionId: string;
}

const LOCK_TIMEOUT_MS = 4_000;

/**
 * Ends a pending contribution as `confirmed`. The estimate that its request named is linked in the same transaction where
 * that is possible, its expiry judged at the contribution's creation; else the association stays `rejected`.
 *
 * Throws `contribution_not_found`, and `invalid_request` when the contribution is not pending.
 */
export async function confirmPendingContribution(database: Database, pending: PendingContribution): Promise<ContributionRecord> {
  return resolve(database, pending, confirmLocked);
}

/**
 * Ends a pending contribution as `failed`, which frees its order and lets the partner restore the points.
 *
 * Throws `contribution_not_found`, and `invalid_request` when the contribution is not pending.
 */
export async function failPendingContribution(
  database: Database,
  pending: PendingContribution,
  failureReason: string,
): Promise<ContributionRecord> {
  return resolve(database, pending, async (_db, { associationOutcome, rejectionCode }) => ({
    status: 'failed',
    associationOutcome,
    rejectionCode,
    failureReason,
  }));
}

async function resolve(
  database: Database,
  pending: PendingContribution,
  decide: (db: Queryable, record: ContributionRecord) => Promise<PendingOutcome>,
): Promise<ContributionRecord> {
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    const record = await lockPending(db, pending);
    await updateContributionOutcome(db, pending, await decide(db, record));
    return (await lockContribution(db, pending.partnerId, pending.transactionId)) as ContributionRecord;
  });
}

async function lockPending(db: Queryable, { partnerId, transactionId }: PendingContribution): Promise<ContributionRecord> {
  const record = await lockContribution(db, partnerId, transactionId).catch((cause: unknown) => {
    if (!isLockTimeout(cause)) throw cause;
    throw new ServiceError('internal_service_unavailable', 'Another operator is resolving this contribution; look at it again.', {
      cause,
    });
  });
  if (!record)
    throw new ServiceError('contribution_not_found', `There is no contribution ${transactionId} of partner ${partnerId}.`);
  const { status } = record.contribution;
  if (status !== 'pending')
    throw new ServiceError(
      'invalid_request',
      `The contribution is ${status}, which is final; only a pending one can be resolved.`,
    );
  return record;
}

async function confirmLocked(db: Queryable, record: ContributionRecord): Promise<PendingOutcome> {
  const outcome = { status: 'confirmed', failureReason: null } as const;
  if (record.associationOutcome === 'not_requested')
    return { ...outcome, associationOutcome: 'not_requested', rejectionCode: null };
  const { partnerId, calculationId } = record;
  const [estimate] = calculationId === null ? [] : await findEstimatesById(db, [{ partnerId, calculationId }]);
  const judgement = { estimate, judgedAt: record.contribution.createdAt };
  const refusal = refuseLink({ ...record.contribution, status: 'confirmed' }, record.link !== null, judgement);
  if (refusal || !estimate) {
    return {
      ...outcome,
      associationOutcome: 'rejected',
      rejectionCode: (refusal?.code ?? 'estimate_not_found') as RejectionCode,
    };
  }
  const link = linkSnapshot(record.contribution.transactionId, estimate.estimate);
  const associatedAt = await insertEmissionsLink(db, { partnerId, idempotencyKey: null, fingerprint: null, link });
  if (!associatedAt) return { ...outcome, associationOutcome: 'rejected', rejectionCode: 'association_conflict' };
  return { ...outcome, associationOutcome: 'associated', rejectionCode: null };
}
