import type { Actor } from '../../domain/access/role.ts';
import { type AdjustmentStatus, adjustmentMayBecome } from '../../domain/adjustments/adjustment.ts';
import { checkEffect, effectOf, type SettledState } from '../../domain/adjustments/adjustment-effect.ts';
import {
  type AdjustmentContext,
  ALREADY_REVERSED,
  checkNewAdjustment,
  type NewAdjustment,
  REJECT_AND_DRAFT,
} from '../../domain/adjustments/new-adjustment.ts';
import { newId } from '../../domain/identifiers.ts';
import { amountText, readAmount } from '../../domain/numbers/money.ts';
import { invalidRequest, problem, recordNotFound, refuseInvalid, ServiceError } from '../../domain/service-error.ts';
import { checkLine, REASON_CHARACTERS_MAX } from '../../domain/single-line-text.ts';
import type { Partner } from '../../store/access/partner.ts';
import {
  type Adjustment,
  findAdjustment,
  findReversal,
  insertAdjustment,
  lockAdjustment,
  updateAdjustmentApproved,
  updateAdjustmentPosted,
  updateAdjustmentRejected,
} from '../../store/adjustments/adjustment.ts';
import { lockContribution } from '../../store/contributions/contribution.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { violatedKey } from '../../store/database-errors.ts';
import { insertEvent } from '../../store/events/event.ts';
import { findLineOfContribution } from '../../store/impact/impact-batch-settlement.ts';
import { databaseOf, inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { adjustmentToData } from '../../wire/adjustment-to-wire.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { requireAuditedOperator } from '../access/audited-operator.ts';
import { requireFirstOperator, requireSecondOperator, requireSignedIn } from '../access/four-eyes.ts';
import { getPartner } from '../access/manage-partner.ts';
import { adjustmentRecord } from '../audit/adjustment-record.ts';
import { audit } from '../audit/audit.ts';
import { ADJUSTMENT, PARTNER } from '../audit/audited-kinds.ts';
import { requireAllAudited, requireAudited } from '../audit/require-audited.ts';
import type { SettlementTools } from '../settlements/settlement-tools.ts';
import { requireRole, withRole } from '../with-role.ts';
import { readPointValues, readSettledState } from './settled-state.ts';

export interface AdjustmentOf {
  readonly partnerId: string;
  readonly transactionId: string;
}

export interface AdjustmentId {
  readonly partnerId: string;
  readonly adjustmentId: string;
}

/**
 * The first of two operators states a correction. Nothing changes for the partner yet.
 *
 * @throws ServiceError `forbidden`, also for the owner account, and below the role admin with a reason to exceed the worth of the points;
 * `invalid_request` with every problem; with status 404 for a partner that is unknown, or has no such contribution.
 * @see docs/spec/settlements.md#3-adjustment.
 */
export const draftAdjustment = withRole(
  'operator',
  async (
    database: Database,
    actor: Actor,
    { partnerId, transactionId, adjustmentId = newId('adj'), ...wanted }: AdjustmentOf & NewAdjustment & Partial<AdjustmentId>,
    { pricesOf }: Pick<SettlementTools, 'pricesOf'>,
  ): Promise<Adjustment> => {
    if ((wanted.beyondWorthReason ?? null) !== null) requireRole(actor, 'admin');
    await requireFirstOperator(database.pool, actor);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const partner = await getAuditedPartner(db, partnerId);
      const pointValues = await readPointValues(db, partner, { pricesOf, auditKeys: database.auditKeys });
      const record = await lockContribution(db, partnerId, transactionId);
      if (!record) throw unknownContribution(transactionId);
      const { contribution } = record;
      const context = {
        ...(await readSettledState(db, pointValues, contribution)),
        transactionId,
        contributionStatus: contribution.status,
        reversed: wanted.reversalOf === null ? undefined : await findReversed(db, partnerId, wanted.reversalOf),
      };
      const details = checkNewAdjustment(wanted, context);
      refuseInvalid(details);
      const adjustment = await insertAdjustment(db, {
        partnerId,
        adjustmentId,
        transactionId,
        draftedBy: actor.operatorId,
        partnerEventId: contribution.partnerEventId,
        partnerOrderRef: contribution.partnerOrderRef,
        contributionPoints: contribution.points,
        confirmedAt: contribution.confirmedAt as Date,
        contributionRuleVersion: contribution.contributionRuleVersion,
        pointConversionVersion: contribution.pointConversionVersion,
        treeCostVersion: contribution.treeCostVersion,
        reasonCode: wanted.reasonCode,
        reasonEn: wanted.reasonEn,
        reasonAr: wanted.reasonAr,
        pointsDelta: wanted.pointsDelta,
        reversalOf: wanted.reversalOf,
        beyondWorthReason: wanted.beyondWorthReason ?? null,
        amountDelta: wanted.amountDelta === null ? null : (readAmount(wanted.amountDelta) ?? null),
      }).catch(explainReversal);
      await auditStep(db, actor, { action: 'adjustment.draft', before: undefined, after: adjustment });
      return adjustment;
    });
  },
);

/**
 * @throws ServiceError `invalid_request` when the partner has no adjustment with this id.
 */
export async function getAdjustment(db: Queryable, { partnerId, adjustmentId }: AdjustmentId): Promise<Adjustment> {
  return (await findAdjustment(db, partnerId, adjustmentId)) ?? refuseUnknown(adjustmentId);
}

/**
 * The deltas that reverse a posted adjustment.
 *
 * @throws ServiceError `invalid_request` when the partner has no adjustment with this id.
 */
export async function oppositeOf(
  db: Queryable,
  id: AdjustmentId,
): Promise<Pick<NewAdjustment, 'pointsDelta' | 'amountDelta' | 'reversalOf'> & Pick<AdjustmentOf, 'transactionId'>> {
  const { transactionId, pointsDelta, amountDelta } = await getAdjustment(db, id);
  return {
    transactionId,
    pointsDelta: -pointsDelta,
    reversalOf: id.adjustmentId,
    amountDelta: amountDelta === null ? null : amountText(-amountDelta),
  };
}

/**
 * The second operator approves.
 *
 * @throws ServiceError `forbidden`, also for the operator who drafted it; `invalid_request` when it is no draft, or cannot be posted now,
 * such as without its contribution; with status 404 when the partner has no such adjustment.
 */
export const approveAdjustment = withRole(
  'approver',
  async (database: Database, actor: Actor, id: AdjustmentId, tools: Pick<SettlementTools, 'pricesOf'>): Promise<Adjustment> => {
    requireSignedIn(actor);
    return step(database, actor, { id, to: 'approved', action: 'adjustment.approve' }, async (db, adjustment) => {
      if (!actor.standsForTwo) await requireAuditedOperator(db, adjustment.draftedBy);
      await requireSecondOperator(db, actor, { operatorId: adjustment.draftedBy, step: 'approve_adjustment' });
      await lockPostable(db, adjustment, tools);
      return updateAdjustmentApproved(db, adjustment, actor.operatorId);
    });
  },
);

/**
 * Rejects an adjustment that is not posted, without effect; any operator may, also the one who drafted it.
 *
 * @throws ServiceError `forbidden`; `invalid_request` when it is posted or rejected already, or for an ill-formed reason.
 */
export const rejectAdjustment = withRole(
  'operator',
  async (database: Database, actor: Actor, id: AdjustmentId, note: string): Promise<Adjustment> => {
    const illFormed = checkLine('reason', note, REASON_CHARACTERS_MAX);
    if (illFormed) throw invalidRequest([illFormed]);
    return step(database, actor, { id, to: 'rejected', action: 'adjustment.reject' }, (db, adjustment) =>
      updateAdjustmentRejected(db, adjustment, { by: actor.operatorId, note }),
    );
  },
);

/**
 * Posts an approved adjustment; this is final. The partner gets an event, and the settlement of the period gets its line. The
 * contribution does not change.
 *
 * @throws ServiceError `forbidden`; `invalid_request` when it is not approved, when adjustments posted since exceed its bounds, or without
 * its contribution; with status 404 when the partner has no such adjustment.
 */
export const postAdjustment = withRole(
  'operator',
  async (database: Database, actor: Actor, id: AdjustmentId, tools: Pick<SettlementTools, 'pricesOf'>): Promise<Adjustment> => {
    return step(database, actor, { id, to: 'posted', action: 'adjustment.post' }, async (db, adjustment) => {
      const { partnerId, transactionId } = adjustment;
      const effect = effectOf(await lockPostable(db, adjustment, tools), adjustment);
      const line = await findLineOfContribution(db, partnerId, transactionId);
      const posting = { ...effect, by: actor.operatorId, originalSettlementId: line?.settlementId ?? null };
      const posted = await updateAdjustmentPosted(db, adjustment, posting);
      await insertEvent(db, {
        partnerId,
        eventId: newId('evt'),
        eventType: 'impact.transaction.adjusted',
        subjectId: transactionId,
        correlationId: actor.correlationId,
        data: exactJson(adjustmentToData(posted)),
      });
      return posted;
    });
  },
);

/** Adjustments of a contribution are posted one after another, so that each is checked against the result of the others. */
async function lockPostable(
  db: Queryable,
  adjustment: Adjustment,
  { pricesOf }: Pick<SettlementTools, 'pricesOf'>,
): Promise<SettledState> {
  const { partnerId, transactionId } = adjustment;
  const { auditKeys } = databaseOf(db);
  const pointValues = await readPointValues(db, await getAuditedPartner(db, partnerId), { pricesOf, auditKeys });
  const record = await lockContribution(db, partnerId, transactionId);
  // A 404 would say that there is no such adjustment.
  if (!record) throw invalidRequest([problem('transaction_id', 'not_found', explainUnknown(transactionId))]);
  const settled = await readSettledState(db, pointValues, record.contribution);
  const details = checkEffect(settled, adjustment);
  if (details.length > 0)
    throw invalidRequest(details.map((each) => ({ ...each, message: `${each.message}${REJECT_AND_DRAFT}` })));
  return settled;
}

/** What an operator can do with an adjustment of each status. */
const POSSIBLE: Readonly<Record<AdjustmentStatus, string>> = {
  draft: 'An approver approves it first, or an operator rejects it.',
  approved: 'An operator posts it or rejects it.',
  posted: 'Draft an adjustment that reverses it.',
  rejected: 'Draft another adjustment.',
};

interface Step {
  readonly id: AdjustmentId;
  readonly to: AdjustmentStatus;
  readonly action: string;
}

async function step(
  database: Database,
  actor: Actor,
  { id, to, action }: Step,
  take: (db: Queryable, adjustment: Adjustment) => Promise<Adjustment>,
): Promise<Adjustment> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const before = (await lockAdjustment(db, id.partnerId, id.adjustmentId)) ?? refuseUnknown(id.adjustmentId);
    if (!adjustmentMayBecome(before.status, to))
      throw new ServiceError(
        'invalid_request',
        before.status === to
          ? `The adjustment is ${to} already.`
          : `The adjustment is ${before.status}, and cannot become ${to}. ${POSSIBLE[before.status]}`,
      );
    await requireAudited(db, ADJUSTMENT, before);
    const after = await take(db, before);
    await auditStep(db, actor, { action, before, after });
    return after;
  });
}

async function auditStep(
  db: Queryable,
  actor: Actor,
  { action, before, after }: { action: string; before: Adjustment | undefined; after: Adjustment },
): Promise<void> {
  const { partnerId, adjustmentId: subjectId } = after;
  await audit(db, actor, {
    action,
    partnerId,
    subjectId,
    before: before ? adjustmentRecord(before) : null,
    after: adjustmentRecord(after),
  });
}

/** The currency and the start of the partner decide how far a restatement may go. */
async function getAuditedPartner(db: Queryable, partnerId: string): Promise<Partner> {
  const [partner] = await requireAllAudited(db, PARTNER, [await getPartner(db, partnerId)]);
  return partner as Partner;
}

export function unknownContribution(transactionId: string): ServiceError {
  return recordNotFound('transaction_id', explainUnknown(transactionId));
}

function explainUnknown(transactionId: string): string {
  return `The partner has no contribution ${transactionId}.`;
}

/** The adjustment that a new one reverses, as it is checked; `undefined` when the partner has none with this id. */
export async function findReversed(
  db: Queryable,
  partnerId: string,
  adjustmentId: string,
): Promise<AdjustmentContext['reversed']> {
  const found = await findAdjustment(db, partnerId, adjustmentId);
  return found && { ...found, isReversed: (await findReversal(db, partnerId, adjustmentId)) !== undefined };
}

function explainReversal(cause: unknown): never {
  if (violatedKey(cause) !== 'adjustment_one_reversal') throw cause;
  throw invalidRequest([problem('reversal_of', 'already_reversed', ALREADY_REVERSED)]);
}

function refuseUnknown(adjustmentId: string): never {
  throw recordNotFound('adjustment_id', `The partner has no adjustment ${adjustmentId}. \`adjustment list\` shows all.`);
}
