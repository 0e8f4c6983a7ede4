import type { RejectionCode } from '../domain/association.ts';
import type { Actor } from '../domain/role.ts';
import { ServiceError } from '../domain/service-error.ts';
import {
  type ContributionId,
  type ContributionRecord,
  lockContribution,
  updateContributionConfirmed,
  updateContributionFailed,
} from '../store/contribution.ts';
import { type Database, inTransaction, type Queryable } from '../store/database.ts';
import { isLockTimeout } from '../store/database-errors.ts';
import { insertEmissionsLink } from '../store/emissions-link.ts';
import { findEstimatesById } from '../store/estimate.ts';
import { type EventDraft, insertEvent } from '../store/event.ts';
import { audit, requireRole } from './audit.ts';
import { linkSnapshot, refuseLink } from './linking.ts';

const LOCK_TIMEOUT_MS = 4_000;

/**
 * Ends a pending contribution as `confirmed`. The estimate that its request named is linked in the same transaction where
 * that is possible, its expiry judged at the contribution's creation; else the association stays `rejected`.
 *
 * Throws `forbidden`, `contribution_not_found`, and `invalid_request` when the contribution is not pending.
 */
export async function confirmPendingContribution(
  database: Database,
  actor: Actor,
  pending: ContributionId,
): Promise<ContributionRecord> {
  return resolve(database, actor, {
    pending,
    action: 'contribution.confirm',
    reason: null,
    async update(db, record) {
      await updateContributionConfirmed(db, pending, await linkIfPossible(db, record));
      await insertEvent(db, confirmationEvent(record));
    },
  });
}

/**
 * Ends a pending contribution as `failed`, which frees its order and lets the partner restore the points.
 *
 * Throws `forbidden`, `contribution_not_found`, and `invalid_request` when the contribution is not pending.
 */
export async function failPendingContribution(
  database: Database,
  actor: Actor,
  pending: ContributionId,
  reason: string,
): Promise<ContributionRecord> {
  return resolve(database, actor, {
    pending,
    action: 'contribution.fail',
    reason,
    async update(db, record) {
      await updateContributionFailed(db, pending, reason);
      await insertEvent(db, failureEvent(record));
    },
  });
}

/** Of the same name as that of a contribution that was confirmed at once: there is one for each. */
function confirmationEvent(record: ContributionRecord): EventDraft {
  return { ...aboutContribution(record), eventType: 'impact.transaction.confirmed', data: null };
}

function failureEvent(record: ContributionRecord): EventDraft {
  const data = JSON.stringify({ change: 'failed', point_restoration_authorized: true });
  return { ...aboutContribution(record), eventType: 'impact.transaction.adjusted', data };
}

function aboutContribution({ partnerId, correlationId, contribution: { transactionId } }: ContributionRecord) {
  return { partnerId, eventId: `evt_${transactionId.slice('txn_'.length)}`, subjectId: transactionId, correlationId };
}

interface Resolution {
  readonly pending: ContributionId;
  readonly action: string;
  readonly reason: string | null;
  update(db: Queryable, record: ContributionRecord): Promise<void>;
}

async function resolve(
  database: Database,
  actor: Actor,
  { pending, action, reason, update }: Resolution,
): Promise<ContributionRecord> {
  requireRole(actor, 'operator');
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    const { partnerId, transactionId } = pending;
    const before = await lockPending(db, pending);
    await update(db, before);
    const resolved = (await lockContribution(db, partnerId, transactionId)) as ContributionRecord;
    const after = { ...toRecord(resolved), reason };
    const entry = { action, partnerId, subjectId: transactionId, before: toRecord(before), after };
    await audit(db, actor, entry);
    return resolved;
  });
}

/** What a resolution changes, and nothing of the customer. */
function toRecord({ contribution, associationOutcome }: ContributionRecord): object {
  const { status, points } = contribution;
  return { status, points, association: associationOutcome };
}

async function lockPending(db: Queryable, { partnerId, transactionId }: ContributionId): Promise<ContributionRecord> {
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

type Outcome = Pick<ContributionRecord, 'associationOutcome' | 'rejectionCode'>;

async function linkIfPossible(db: Queryable, record: ContributionRecord): Promise<Outcome> {
  if (record.associationOutcome === 'not_requested') return { associationOutcome: 'not_requested', rejectionCode: null };
  const { partnerId, calculationId, contribution } = record;
  const [estimate] = calculationId === null ? [] : await findEstimatesById(db, [{ partnerId, calculationId }]);
  const judgement = { estimate, judgedAt: contribution.createdAt };
  const refusal = refuseLink({ ...contribution, status: 'confirmed' }, record.link !== null, judgement);
  if (refusal || !estimate) return rejected((refusal?.code ?? 'estimate_not_found') as RejectionCode);
  const link = linkSnapshot(contribution.transactionId, estimate.estimate);
  const associatedAt = await insertEmissionsLink(db, { partnerId, idempotencyKey: null, fingerprint: null, link });
  return associatedAt ? { associationOutcome: 'associated', rejectionCode: null } : rejected('association_conflict');
}

function rejected(rejectionCode: RejectionCode): Outcome {
  return { associationOutcome: 'rejected', rejectionCode };
}
