import type { Actor } from '../../domain/access/role.ts';
import type { SealPart } from '../../domain/audit/record-seal.ts';
import type { SealedFailure } from '../../domain/contributions/contribution-seal.ts';
import type { RejectionCode } from '../../domain/emissions/association-refusals.ts';
import { invalidRequest, ServiceError } from '../../domain/service-error.ts';
import { type ContributionId, type ContributionRecord, lockContribution } from '../../store/contributions/contribution.ts';
import { findContributionReview, updateContributionReviewResolved } from '../../store/contributions/contribution-review.ts';
import { updateContributionConfirmed, updateContributionFailed } from '../../store/contributions/contribution-transition.ts';
import { addToDailyCount, lockCountedDay } from '../../store/contributions/daily-count.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { isLockTimeout } from '../../store/database-errors.ts';
import { insertEmissionsLink } from '../../store/emissions/emissions-link.ts';
import { findEstimatesById } from '../../store/emissions/estimate.ts';
import { insertEvent } from '../../store/events/event.ts';
import { databaseOf, inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { adoptIfUnsealed, requireSealed } from '../audit/seal-contributions.ts';
import { linkSnapshot, refuseLink } from '../emissions/link-estimate.ts';
import { requireReason } from '../require-line.ts';
import { withRole } from '../with-role.ts';
import { confirmationEvent, failureEvent } from './contribution-events.ts';

/**
 * Resolves a pending contribution as `confirmed`. The estimate of its request is linked in the same transaction when possible, its expiry
 * decided at the contribution's creation; otherwise the association stays `rejected`. Throws `forbidden`, `contribution_not_found`, and
 * `invalid_request` when the contribution is not pending.
 *
 * @param note The operator's reason.
 */
export const confirmPendingContribution = withRole(
  'operator',
  async (database: Database, actor: Actor, pending: ContributionId, note: string): Promise<ContributionRecord> => {
    return resolve(database, actor, { pending, note, action: 'review.confirm' }, async (db) => {
      const record = await lockPending(db, pending);
      const outcome = await linkIfPossible(db, record);
      const seal = begin(db, { ...record, ...outcome }, { status: 'confirmed' });
      const decidedAt = await updateContributionConfirmed(db, pending, { ...outcome, seal });
      await insertEvent(db, confirmationEvent(record, decidedAt));
      return record;
    });
  },
);

/**
 * Resolves a pending contribution as `failed`, which frees its order, removes it from the daily count, and lets the partner restore the
 * points. Throws `forbidden`, `contribution_not_found`, and `invalid_request` when the contribution is not pending.
 *
 * @param note The operator's reason.
 */
export const failPendingContribution = withRole(
  'operator',
  async (database: Database, actor: Actor, pending: ContributionId, note: string): Promise<ContributionRecord> => {
    return resolve(database, actor, { pending, note, action: 'review.fail' }, (db) => fail(db, pending, note));
  },
);

/** Fails a contribution that no operator decided in time. The schedule does it. */
export const expirePendingContribution = withRole(
  'operator',
  async (database: Database, actor: Actor, pending: ContributionId): Promise<ContributionRecord> => {
    const note = 'expired: no operator decided in time';
    return resolve(database, actor, { pending, note, action: 'review.expire' }, (db) => fail(db, pending, note));
  },
);

async function fail(db: Queryable, pending: ContributionId, note: string): Promise<ContributionRecord> {
  const { partnerId } = pending;
  const day = (await findContributionReview(db, pending))?.countedOn ?? undefined;
  // In the lock order of a confirmation: first the day's count, then the contribution.
  if (day !== undefined) await lockCountedDay(db, partnerId, day);
  const record = await lockPending(db, pending);
  const seal = begin(db, record, { status: 'failed', failure: { reason: note, draftedBy: null, approvedBy: null } });
  const decidedAt = await updateContributionFailed(db, pending, { reason: note, seal });
  if (day !== undefined) await addToDailyCount(db, partnerId, { day, points: -record.contribution.points, contributions: -1n });
  await insertEvent(db, failureEvent(record, decidedAt));
  return record;
}

/** The seal of the resolved contribution. */
function begin(
  db: Queryable,
  record: ContributionRecord,
  { status, failure }: { readonly status: 'confirmed' | 'failed'; readonly failure?: SealedFailure },
): SealPart {
  const contribution = { ...record.contribution, status };
  return databaseOf(db).contributionSeals.begin({ ...record, contribution, failure });
}

interface ReviewResolution {
  readonly pending: ContributionId;
  readonly note: string;
  readonly action: 'review.confirm' | 'review.fail' | 'review.expire';
}

/**
 * @param update Returns the contribution before the update.
 */
async function resolve(
  database: Database,
  actor: Actor,
  { pending, note, action }: ReviewResolution,
  update: (db: Queryable) => Promise<ContributionRecord>,
): Promise<ContributionRecord> {
  requireReason(note);
  await adoptIfUnsealed(database, pending);
  const resolved = inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const { partnerId, transactionId } = pending;
    const before = await update(db).catch(explainBusy);
    await updateContributionReviewResolved(db, pending, { resolvedBy: actor.operatorId, note });
    const resolved = (await lockContribution(db, partnerId, transactionId)) as ContributionRecord;
    const after = { ...toRecord(resolved), note };
    await audit(db, actor, { action, partnerId, subjectId: transactionId, before: toRecord(before), after });
    return resolved;
  });
  // A run that cannot write its entry has failed; a decision is made again.
  return action === 'review.expire' ? resolved : resolved.catch(explainBusy);
}

/** The changed fields, without data of the customer. */
function toRecord({ contribution, associationOutcome }: ContributionRecord): object {
  const { status, points } = contribution;
  return { status, points, association: associationOutcome };
}

/** The lock may be of the contribution, of its day's count, or of the end of the audit. */
function explainBusy(cause: unknown): never {
  if (!isLockTimeout(cause)) throw cause;
  throw new ServiceError(
    'internal_service_unavailable',
    'Another change holds what this decision changes too, such as that of another operator. Show the contribution again before you decide.',
    {
      cause,
    },
  );
}

async function lockPending(db: Queryable, { partnerId, transactionId }: ContributionId): Promise<ContributionRecord> {
  const record = await lockContribution(db, partnerId, transactionId);
  if (!record)
    throw new ServiceError('contribution_not_found', `There is no contribution ${transactionId} of partner ${partnerId}.`);
  const { status } = record.contribution;
  if (status !== 'pending') {
    const message = `The contribution is ${status}, which is final; only a pending one can be resolved.`;
    throw invalidRequest([{ field: 'status', code: 'not_possible', message }]);
  }
  await requireSealed(db, { partnerId, transactionId });
  return record;
}

type Outcome = Pick<ContributionRecord, 'associationOutcome' | 'rejectionCode'>;

async function linkIfPossible(db: Queryable, record: ContributionRecord): Promise<Outcome> {
  if (record.associationOutcome === 'not_requested') return { associationOutcome: 'not_requested', rejectionCode: null };
  const { partnerId, calculationId, contribution } = record;
  const [estimate] = calculationId === null ? [] : await findEstimatesById(db, [{ partnerId, calculationId }]);
  const checked = { estimate, decidedAt: contribution.createdAt };
  const refusal = refuseLink({ ...contribution, status: 'confirmed' }, record.link !== null, checked);
  if (refusal || !estimate) return rejected((refusal?.code ?? 'estimate_not_found') as RejectionCode);
  const link = linkSnapshot(contribution.transactionId, estimate.estimate);
  const associatedAt = await insertEmissionsLink(db, { partnerId, idempotencyKey: null, fingerprint: null, link });
  return associatedAt ? { associationOutcome: 'associated', rejectionCode: null } : rejected('association_conflict');
}

function rejected(rejectionCode: RejectionCode): Outcome {
  return { associationOutcome: 'rejected', rejectionCode };
}
