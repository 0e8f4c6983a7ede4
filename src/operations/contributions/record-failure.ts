import type { Actor } from '../../domain/access/role.ts';
import { confirmationFingerprint } from '../../domain/canonical-payloads.ts';
import { expectedSupport } from '../../domain/contributions/expected-support.ts';
import { isLongIdentifier, isShortIdentifier, newId } from '../../domain/identifiers.ts';
import { isPoints, POINTS_MAX } from '../../domain/numbers/points.ts';
import { rulesInForce } from '../../domain/rules/rule-versions.ts';
import { type ErrorDetail, recordNotFound, refuseInvalid, ServiceError, wrongForm } from '../../domain/service-error.ts';
import { type ContributionRecord, findContributionsByEvent, lockContribution } from '../../store/contributions/contribution.ts';
import { type FailedContribution, insertFailedContribution } from '../../store/contributions/failed-contribution.ts';
import {
  type FailureDraft,
  insertFailureDraft,
  lockFailureDraft,
  updateFailureDraftDecided,
} from '../../store/contributions/failure-draft.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { violatedKey } from '../../store/database-errors.ts';
import { insertEvent } from '../../store/events/event.ts';
import { readRuleRevision } from '../../store/rules/rule-version.ts';
import { databaseOf, inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { requireAuditedOperator } from '../access/audited-operator.ts';
import { requireFirstOperator, requireSecondOperator, requireSignedIn } from '../access/four-eyes.ts';
import { getPartner } from '../access/manage-partner.ts';
import { audit } from '../audit/audit.ts';
import { FAILURE_DRAFT } from '../audit/audited-kinds.ts';
import { failureRecord } from '../audit/authorising-records.ts';
import { requireAudited } from '../audit/require-audited.ts';
import { requireReason } from '../require-line.ts';
import { readVerifiedRules } from '../rules/verified-rules.ts';
import { withRole } from '../with-role.ts';
import { failureEvent } from './contribution-events.ts';

/** The partner's statement about an event whose points were taken and that the service never stored. */
export interface NeverStored {
  readonly partnerId: string;
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  readonly points: bigint;
  /** Why it can never be confirmed. */
  readonly reason: string;
  /** A new one unless given. */
  readonly failureId?: string;
}

export interface FailureId {
  readonly partnerId: string;
  readonly failureId: string;
}

/**
 * The first of two operators drafts the failure of a never-stored event. Nothing changes for the partner yet. Throws `forbidden`, and
 * `invalid_request` with all problems, or when the event is stored or has an open draft.
 *
 * @see docs/spec/decisions.md#1-http and docs/spec/decisions.md#4-pending-and-failed.
 */
export const draftFailure = withRole(
  'operator',
  async (database: Database, actor: Actor, event: NeverStored): Promise<FailureDraft> => {
    await requireFirstOperator(database.pool, actor);
    requireReason(event.reason);
    refuseIllFormed(event);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await getPartner(db, event.partnerId);
      await refuseStored(db, event);
      const draft = await insertFailureDraft(db, {
        ...event,
        failureId: event.failureId ?? newId('fail'),
        draftedBy: actor.operatorId,
      });
      if (!draft)
        throw new ServiceError(
          'invalid_request',
          `The event ${event.partnerEventId} has an open draft; approve or reject that one.`,
        );
      await auditDraft(db, actor, { action: 'failure.draft', before: null, after: draft });
      return draft;
    });
  },
);

/**
 * The second operator approves: the event is recorded as `failed`, which is final, and an event tells the partner that the points may be
 * restored. From then on no confirmation of the event can be recorded. Throws `forbidden`, also for the operator who drafted it, and
 * `invalid_request` when the draft is not open, or when the event was stored since.
 */
export const approveFailure = withRole(
  'approver',
  async (database: Database, actor: Actor, id: FailureId): Promise<{ draft: FailureDraft; record: ContributionRecord }> => {
    requireSignedIn(actor);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const open = await lockOpen(db, id);
      if (!actor.standsForTwo) await requireAuditedOperator(db, open.draftedBy);
      await requireSecondOperator(db, actor, { operatorId: open.draftedBy, step: 'approve_failure' });
      const failed = await failureOf(db, open, actor);
      const { transactionId } = failed.contribution;
      await insertFailedContribution(db, failed).catch((cause: unknown) => {
        throw violatedKey(cause) === 'contribution_partner_event' ? alreadyStored({ cause }) : cause;
      });
      await insertEvent(db, failureEvent(failed));
      const decision = { status: 'approved', decidedBy: actor.operatorId, transactionId } as const;
      const draft = await updateFailureDraftDecided(db, open, decision);
      const record = (await lockContribution(db, open.partnerId, transactionId)) as ContributionRecord;
      await auditDraft(db, actor, { action: 'failure.approve', before: open, after: draft });
      return { draft, record };
    });
  },
);

/**
 * Rejects a draft without effect; the operator who drafted it may do so too. Throws `forbidden`, and `invalid_request` when it is not
 * open.
 */
export const rejectFailure = withRole(
  'operator',
  async (database: Database, actor: Actor, id: FailureId): Promise<FailureDraft> => {
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const open = await lockOpen(db, id);
      const decision = { status: 'rejected', decidedBy: actor.operatorId, transactionId: null } as const;
      const draft = await updateFailureDraftDecided(db, open, decision);
      await auditDraft(db, actor, { action: 'failure.reject', before: open, after: draft });
      return draft;
    });
  },
);

async function lockOpen(db: Queryable, { partnerId, failureId }: FailureId): Promise<FailureDraft> {
  const draft = await lockFailureDraft(db, partnerId, failureId);
  if (!draft) throw recordNotFound('failure_id', `There is no draft ${failureId} of partner ${partnerId}.`);
  if (draft.status !== 'drafted')
    throw new ServiceError(
      'invalid_request',
      `The draft ${failureId} is ${draft.status}, which is final. \`failure list --partner ${partnerId}\` shows all.`,
    );
  await requireAudited(db, FAILURE_DRAFT, draft);
  return draft;
}

async function refuseStored(db: Queryable, event: NeverStored): Promise<void> {
  const [stored] = await findContributionsByEvent(db, [event]);
  if (stored) throw alreadyStored({}, stored);
}

function alreadyStored(options: ErrorOptions, stored?: ContributionRecord): ServiceError {
  const as = stored ? ` as ${stored.contribution.transactionId}, which is ${stored.contribution.status}` : '';
  const message = `The event is already stored${as}. Only an event that was never stored can be recorded as failed.`;
  const details = [{ field: 'partner_event_id', code: 'not_possible', message } as const];
  return new ServiceError('invalid_request', message, { ...options, details });
}

function refuseIllFormed({ partnerEventId, partnerOrderRef, points }: NeverStored): void {
  const problems: ErrorDetail[] = [];
  const add = (field: string, form: string) => problems.push(wrongForm(field, form));
  if (!isLongIdentifier(partnerEventId)) add('partner_event_id', '8 to 128 characters out of A-Z a-z 0-9 . _ : -');
  if (!isShortIdentifier(partnerOrderRef)) add('partner_order_ref', '1 to 128 characters out of A-Z a-z 0-9 . _ : -');
  if (!isPoints(points)) add('points', `a whole number from 1 to ${POINTS_MAX}`);
  refuseInvalid(problems);
}

/** Under the current rules, with a key that is not of the interface's form, so that no partner can send it. */
async function failureOf(db: Queryable, draft: FailureDraft, actor: Actor): Promise<FailedContribution> {
  const { partnerId, failureId, partnerEventId, partnerOrderRef, points, reason, draftedBy } = draft;
  const partner = await getPartner(db, partnerId);
  const { now } = await readRuleRevision(db);
  const rules = rulesInForce(await readVerifiedRules(db, databaseOf(db).auditKeys, partnerId), partner, now);
  const confirmation = { partner_event_id: partnerEventId, partner_order_ref: partnerOrderRef, points };
  const failed = {
    partnerId,
    idempotencyKey: `operators/${failureId}`,
    fingerprint: confirmationFingerprint(confirmation),
    correlationId: actor.correlationId,
    contribution: {
      transactionId: newId('txn'),
      partnerEventId,
      partnerOrderRef,
      points,
      contributionRuleVersion: rules.contributionRuleVersion,
      pointConversionVersion: rules.pointConversionVersion,
      treeCostVersion: rules.treeCostVersion,
      expectedEnvironmentalSupport: expectedSupport(points, rules),
    },
    failureReason: reason,
    draftedBy,
    approvedBy: actor.operatorId,
  };
  return { ...failed, seal: databaseOf(db).contributionSeals.begin(sealableOf(failed)) };
}

/** The row as it is inserted. */
function sealableOf({ contribution, failureReason, draftedBy, approvedBy, ...failed }: Omit<FailedContribution, 'seal'>) {
  return {
    ...failed,
    contribution: { ...contribution, status: 'failed' as const, opaqueCustomerRef: null },
    calculationId: null,
    firstStatus: 'failed' as const,
    associationOutcome: 'not_requested',
    rejectionCode: null,
    failure: { reason: failureReason, draftedBy, approvedBy },
  };
}

async function auditDraft(
  db: Queryable,
  actor: Actor,
  { action, before, after }: { readonly action: string; readonly before: FailureDraft | null; readonly after: FailureDraft },
): Promise<void> {
  const { partnerId, failureId } = after;
  await audit(db, actor, {
    action,
    partnerId,
    subjectId: failureId,
    before: before && failureRecord(before),
    after: failureRecord(after),
  });
}
