import type { Actor } from '../../domain/access/role.ts';
import type { DetailCode } from '../../domain/detail-codes.ts';
import {
  checkEnvironmentalChange,
  type EnvironmentalChange,
  type EnvironmentalStatus,
  environmentalStatusAfter,
} from '../../domain/impact/environmental-status.ts';
import { checkNewEvidence, type NewEvidence } from '../../domain/impact/evidence.ts';
import type { ImpactBatch } from '../../domain/impact/impact-batch.ts';
import { POINTS_MAX } from '../../domain/numbers/points.ts';
import { type ErrorDetail, refuseInvalid, ServiceError } from '../../domain/service-error.ts';
import { isLine, lineForm } from '../../domain/single-line-text.ts';
import { readClock } from '../../store/clock.ts';
import type { Database, Queryable } from '../../store/database.ts';
import {
  insertImpactBatchChange,
  listImpactBatchChanges,
  lockImpactBatch,
  updateImpactBatch,
} from '../../store/impact/impact-batch.ts';
import { insertEvidence, listEvidence } from '../../store/impact/impact-evidence.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { requireAuditedOperator } from '../access/audit-operator.ts';
import { requireFirstPerson, requireSecondPerson } from '../access/four-eyes.ts';
import { audit } from '../audit/audit.ts';
import { requireRole, withRole } from '../with-role.ts';
import { addUpSettlements, impactBatchRecord, type PooledSettlements, refuseUnknownBatch } from './impact-batch-record.ts';
import { getProject } from './manage-project.ts';
import { tellOfBatch } from './publish-batch-status.ts';

/** What an operator wants to record of a batch. */
export type BatchChange = { readonly reason: string | null } & (
  | {
      readonly changeType: 'advanced';
      /** The status that the operator has in mind: of two who advance at once, one does. */
      readonly to: EnvironmentalStatus;
      /** For `allocated`. */
      readonly projectId?: string | undefined;
    }
  | { readonly changeType: 'delayed'; readonly expectedDeliveryPeriod: string }
  | { readonly changeType: 'reallocated'; readonly projectId: string }
  | { readonly changeType: 'evidence_added'; readonly evidence: NewEvidence }
  | { readonly changeType: 'corrected'; readonly quantity: bigint }
);

const REASON_MAX = 500;

/**
 * Records a change of a batch, and tells every partner with contributions in it, in one transaction.
 *
 * Verifying takes the role approver, and another person than the one who recorded the delivery, or who corrected the number of trees
 * since; so does correcting what is verified, and another person than the one who verified it. Whoever records a delivery, or corrects
 * it, is signed in, so that there can be a second person.
 *
 * @throws ServiceError `forbidden`; `invalid_request` with what is wrong.
 */
export const changeImpactBatch = withRole(
  'operator',
  async (database: Database, actor: Actor, impactBatchId: string, change: BatchChange): Promise<ImpactBatch> => {
    if (isVerification(change)) requireRole(actor, 'approver');
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const batch = (await lockImpactBatch(db, impactBatchId)) ?? refuseUnknownBatch(impactBatchId);
      const now = await readClock(db);
      const pooled = await addUpSettlements(db, impactBatchId);
      await check(db, batch, { actor, change, pooled, now });
      const before = await impactBatchRecord(db, batch, pooled);
      if (change.changeType === 'evidence_added') await addEvidence(db, batch, actor, change.evidence);
      const changed = await updateImpactBatch(db, applied(batch, { actor, change, now }));
      await insertImpactBatchChange(db, impactBatchId, {
        changeNo: changed.changeNo,
        changeType: change.changeType,
        previousStatus: batch.status,
        status: changed.status,
        projectId: changed.projectId,
        quantity: changed.quantity,
        expectedDeliveryPeriod: changed.expectedDeliveryPeriod,
        reason: change.reason,
        operatorId: actor.operatorId,
        occurredAt: now,
      });
      const { correlationId } = actor;
      const news = { changeType: change.changeType, previousStatus: batch.status, occurredAt: now, correlationId };
      await tellOfBatch(db, changed, pooled.shares, news);
      const after = await impactBatchRecord(db, changed, pooled);
      const action = `impact-batch.${ACTIONS[change.changeType]}`;
      await audit(db, actor, { action, partnerId: null, subjectId: impactBatchId, before, after });
      return changed;
    });
  },
);

const ACTIONS = {
  advanced: 'advance',
  delayed: 'delay',
  reallocated: 'reallocate',
  evidence_added: 'add-evidence',
  corrected: 'correct',
} as const satisfies Record<BatchChange['changeType'], string>;

function isVerification(change: BatchChange): boolean {
  return change.changeType === 'advanced' && change.to === 'verified';
}

interface Intent {
  readonly actor: Actor;
  readonly change: BatchChange;
  readonly now: Date;
}

async function check(db: Queryable, batch: ImpactBatch, intent: Intent & { pooled: PooledSettlements }): Promise<void> {
  const { actor, change, pooled, now } = intent;
  const { operatorId } = actor;
  await requirePeople(db, batch, { actor, change });
  const evidence = await listEvidence(db, batch.impactBatchId);
  const facts = { ...batch, evidenceCount: evidence.length };
  const next = environmentalStatusAfter(batch.status, change.changeType);
  const checks: readonly (ErrorDetail | false)[] = [
    change.changeType === 'advanced' && next !== change.to && misstep(batch, change.to),
    checkEnvironmentalChange(facts, { ...change, operatorId } as EnvironmentalChange) ?? false,
    pooled.settlementCount === 0 &&
      problem('impact_batch_id', 'empty', 'The batch has no contributions yet; add settlements first.'),
    change.reason !== null &&
      !isLine(change.reason, REASON_MAX) &&
      problem('reason', 'wrong_form', `The reason must be ${lineForm(change.reason, REASON_MAX)}.`),
    ...(change.changeType === 'evidence_added' ? checkNewEvidence(change.evidence, now) : []),
    change.changeType === 'corrected' && checkQuantity(batch, change.quantity),
    change.changeType === 'advanced' &&
      next !== 'allocated' &&
      change.projectId !== undefined &&
      problem('project_id', 'not_expected', 'Name a project only when you allocate a batch; `reallocate` changes the project.'),
  ];
  const details = checks.filter((found) => found !== false);
  refuseInvalid(details);
  if ('projectId' in change && change.projectId !== undefined) await getProject(db, change.projectId);
}

/** Who may be the first of two people, and who the second. */
async function requirePeople(
  db: Queryable,
  { impactBatchId, status, deliveredBy, verifiedBy }: ImpactBatch,
  { actor, change }: Pick<Intent, 'actor' | 'change'>,
): Promise<void> {
  if (actor.standsForTwo) return requireFirstPerson(db, actor);
  if (change.changeType === 'advanced' && change.to === 'delivered') await requireFirstPerson(db, actor);
  if (change.changeType === 'corrected' && status === 'delivered') await requireFirstPerson(db, actor);
  if (isVerification(change) && status === 'delivered') {
    await requireAuditedOperator(db, deliveredBy ?? '');
    await requireSecondPerson(db, actor, deliveredBy ?? '');
    const corrector = await findCorrector(db, impactBatchId);
    if (corrector !== undefined) {
      await requireAuditedOperator(db, corrector);
      await requireSecondPerson(db, actor, corrector);
    }
  }
  if (change.changeType === 'corrected' && status === 'verified') {
    requireRole(actor, 'approver');
    await requireAuditedOperator(db, verifiedBy ?? '');
    await requireSecondPerson(db, actor, verifiedBy ?? '');
  }
}

/** Whose number of trees it is, if another one than was recorded as delivered. */
async function findCorrector(db: Queryable, impactBatchId: string): Promise<string | undefined> {
  const changes = await listImpactBatchChanges(db, impactBatchId);
  return changes.findLast(({ changeType, status }) => changeType === 'corrected' && status === 'delivered')?.operatorId;
}

function misstep({ status }: ImpactBatch, to: EnvironmentalStatus): ErrorDetail {
  return problem('to', 'not_possible', `The batch is ${status}; its next status cannot be ${to}.`);
}

function checkQuantity(batch: ImpactBatch, quantity: bigint): ErrorDetail | false {
  if (quantity < 0n || quantity > POINTS_MAX)
    return problem('quantity', 'out_of_bounds', 'quantity must be a whole number of trees.');
  return quantity === batch.quantity && problem('quantity', 'unchanged', `The batch already has ${quantity} trees.`);
}

async function addEvidence(db: Queryable, { impactBatchId }: ImpactBatch, actor: Actor, evidence: NewEvidence): Promise<void> {
  const evidenceNo = (await listEvidence(db, impactBatchId)).length + 1;
  if (await insertEvidence(db, impactBatchId, { ...evidence, evidenceNo, addedBy: actor.operatorId })) return;
  const message = 'The batch already has this file as evidence.';
  throw new ServiceError('invalid_request', message, { details: [problem('file', 'duplicate', message)] });
}

/** The batch after a change that was found possible. A delay ends with the delivery, and does not pass on to another project. */
function applied(batch: ImpactBatch, { actor, change, now }: Intent): ImpactBatch {
  const status = environmentalStatusAfter(batch.status, change.changeType);
  const step = { ...batch, status, statusAt: status === batch.status ? batch.statusAt : now };
  const onTime = { delayedAt: null, expectedDeliveryPeriod: null };
  switch (change.changeType) {
    case 'advanced':
      if (status === 'allocated') return { ...step, projectId: change.projectId ?? null };
      if (status === 'delivered') return { ...step, ...onTime, deliveredBy: actor.operatorId };
      return status === 'verified' ? { ...step, verifiedBy: actor.operatorId } : step;
    case 'delayed':
      return { ...step, delayedAt: now, expectedDeliveryPeriod: change.expectedDeliveryPeriod };
    case 'reallocated':
      return { ...step, ...onTime, statusAt: now, projectId: change.projectId };
    case 'evidence_added':
      return step;
    case 'corrected':
      return { ...step, quantity: change.quantity };
  }
}

function problem(field: string, code: DetailCode, message: string): ErrorDetail {
  return { field, code, message };
}
