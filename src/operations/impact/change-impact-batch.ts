import type { Actor } from '../../domain/access/role.ts';
import { begunBefore, operatorOfChange } from '../../domain/impact/batch-four-eyes.ts';
import {
  checkEnvironmentalChange,
  countProjectEvidence,
  type EnvironmentalStatus,
  environmentalStatusAfter,
} from '../../domain/impact/environmental-status.ts';
import { checkNewEvidence, type NewEvidence } from '../../domain/impact/evidence.ts';
import type { ImpactBatch } from '../../domain/impact/impact-batch.ts';
import { INT64_MAX } from '../../domain/numbers/int64.ts';
import { type ErrorDetail, invalidRequest, problem, refuseInvalid } from '../../domain/service-error.ts';
import { checkLine, REASON_CHARACTERS_MAX } from '../../domain/single-line-text.ts';
import { readClock } from '../../store/clock.ts';
import type { Database, Queryable } from '../../store/database.ts';
import {
  type ImpactBatchChange,
  insertImpactBatchChange,
  listImpactBatchChanges,
  lockImpactBatch,
  updateImpactBatch,
} from '../../store/impact/impact-batch.ts';
import { insertEvidence, listEvidence } from '../../store/impact/impact-evidence.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { requireAuditedOperator } from '../access/audited-operator.ts';
import { requireFirstOperator, requireSecondOperator } from '../access/four-eyes.ts';
import { audit } from '../audit/audit.ts';
import { requireRole, withRole } from '../with-role.ts';
import { checkChangeNo } from './check-change-no.ts';
import { enqueueBatchEvents } from './enqueue-batch-events.ts';
import { addUpSettlements, impactBatchRecord, type PooledSettlements, refuseUnknownBatch } from './impact-batch-record.ts';
import { getProject } from './manage-project.ts';
import { requireAuditedBatch } from './require-audited-batch.ts';

/** A change of a batch that an operator requests. */
export type BatchChange = {
  readonly reason: string | null;
  /** The number of the latest change that the operator has seen: after another change this one is refused. */
  readonly expectedChangeNo?: number | undefined;
  /** How many settlements the operator has seen in the batch: where others were added, this change is refused. */
  readonly expectedSettlementCount?: number | undefined;
} & (
  | {
      readonly changeType: 'advanced';
      /** The status that the operator expects: when two operators advance the batch at once, one is refused. */
      readonly to: EnvironmentalStatus;
      /** For `allocated`. */
      readonly projectId?: string | undefined;
    }
  | { readonly changeType: 'delayed'; readonly expectedDeliveryPeriod: string }
  | { readonly changeType: 'reallocated'; readonly projectId: string }
  | { readonly changeType: 'evidence_added'; readonly evidence: NewEvidence }
  | { readonly changeType: 'corrected'; readonly quantity: bigint }
);

/**
 * Records a change of a batch, and writes an event for every partner with contributions in it, in one transaction.
 *
 * To verify a batch takes the role approver. The approver is another operator than the one who recorded the delivery, and than the one
 * who last corrected the number of trees. To correct a verified batch takes an approver other than the one who verified it. The operator
 * who records a delivery, or corrects it, is signed in.
 *
 * @throws ServiceError `forbidden`; `invalid_request` with what is wrong.
 * @throws UnverifiedRecordError For a batch that differs from the audit.
 */
export const changeImpactBatch = withRole(
  'operator',
  async (database: Database, actor: Actor, impactBatchId: string, change: BatchChange): Promise<ImpactBatch> => {
    if (isVerification(change)) requireRole(actor, 'approver');
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const batch = (await lockImpactBatch(db, impactBatchId)) ?? refuseUnknownBatch(impactBatchId);
      const now = await readClock(db);
      const pooled = await addUpSettlements(db, impactBatchId);
      const history = await listImpactBatchChanges(db, impactBatchId);
      const intent = { actor, change, now, history };
      const before = await impactBatchRecord(db, batch, pooled);
      await requireAuditedBatch(db, batch, before);
      await requireOperators(db, batch, intent);
      await requirePossible(db, batch, { ...intent, pooled });
      if (change.changeType === 'evidence_added') await addEvidence(db, batch, actor, change.evidence);
      const changed = await updateImpactBatch(db, applied(batch, intent));
      await insertImpactBatchChange(db, impactBatchId, historyOf(batch, changed, intent));
      const { changeType } = change;
      const news = { changeType, previousStatus: batch.status, occurredAt: now, correlationId: actor.correlationId };
      await enqueueBatchEvents(db, changed, pooled.shares, news);
      const after = await impactBatchRecord(db, changed, pooled);
      const action = `impact-batch.${ACTIONS[changeType]}`;
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
  /** The changes before this one. */
  readonly history: readonly ImpactBatchChange[];
}

/** The row of the batch's history. */
function historyOf(batch: ImpactBatch, changed: ImpactBatch, { actor, change, now }: Intent): ImpactBatchChange {
  return {
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
  };
}

/** @throws ServiceError `invalid_request` with all problems of the change at once. */
async function requirePossible(
  db: Queryable,
  batch: ImpactBatch,
  { change, pooled, now, history }: Omit<Intent, 'actor'> & { readonly pooled: PooledSettlements },
): Promise<void> {
  const facts = { ...batch, evidenceCount: countProjectEvidence(history) };
  const problems: readonly (ErrorDetail | false | undefined)[] = [
    change.changeType === 'advanced' && checkNextStatus(batch, change.to),
    checkEnvironmentalChange(facts, change),
    checkChangeNo(batch, change.expectedChangeNo),
    checkSettlementCount(pooled, change.expectedSettlementCount),
    pooled.settlementCount === 0 &&
      problem('impact_batch_id', 'empty', 'The batch has no contributions yet; add settlements first.'),
    change.reason !== null && checkLine('reason', change.reason, REASON_CHARACTERS_MAX),
    ...(change.changeType === 'evidence_added' ? checkNewEvidence(change.evidence, now) : []),
    change.changeType === 'corrected' && checkQuantity(batch, change.quantity),
    change.changeType === 'advanced' && change.projectId !== undefined && checkAllocation(batch),
  ];
  refuseInvalid(problems.filter((found) => found !== false && found !== undefined));
  if ('projectId' in change && change.projectId !== undefined) await getProject(db, change.projectId);
}

/** Refuses an operator who is not the one of the two that the change needs. */
async function requireOperators(db: Queryable, batch: ImpactBatch, { actor, change, history }: Intent): Promise<void> {
  if (actor.standsForTwo) return requireFirstOperator(db, actor);
  const needed = operatorOfChange(batch.status, change);
  if (needed === 'first') await requireFirstOperator(db, actor);
  if (needed !== 'second') return;
  requireRole(actor, 'approver');
  for (const begun of begunBefore(batch, history)) {
    await requireAuditedOperator(db, begun.operatorId);
    await requireSecondOperator(db, actor, begun);
  }
}

function checkNextStatus({ status }: ImpactBatch, to: EnvironmentalStatus): ErrorDetail | false {
  const isNext = environmentalStatusAfter(status, 'advanced') === to;
  return !isNext && problem('to', 'not_possible', `The batch is ${status}; its next status cannot be ${to}.`);
}

/** A settlement is only ever added, so that the same number is the same settlements. An addition is no change with a number. */
function checkSettlementCount({ settlementCount: count }: PooledSettlements, expected = count): ErrorDetail | false {
  const message = `Settlements were added to the batch meanwhile: it has ${count}, not ${expected}. Look at it again.`;
  return count !== expected && problem('expected_settlement_count', 'not_possible', message);
}

/** A project is named when the batch is allocated. */
function checkAllocation({ status }: ImpactBatch): ErrorDetail | false {
  if (environmentalStatusAfter(status, 'advanced') === 'allocated') return false;
  return problem(
    'project_id',
    'not_expected',
    'Name a project only when you allocate a batch; `reallocate` changes the project.',
  );
}

function checkQuantity(batch: ImpactBatch, quantity: bigint): ErrorDetail | false {
  if (quantity < 0n || quantity > INT64_MAX)
    return problem('quantity', 'out_of_bounds', 'quantity must be a whole number of trees.');
  return quantity === batch.quantity && problem('quantity', 'unchanged', `The batch already has ${quantity} trees.`);
}

async function addEvidence(db: Queryable, { impactBatchId }: ImpactBatch, actor: Actor, evidence: NewEvidence): Promise<void> {
  const evidenceNo = (await listEvidence(db, impactBatchId)).length + 1;
  if (await insertEvidence(db, impactBatchId, { ...evidence, evidenceNo, addedBy: actor.operatorId })) return;
  const message = 'The batch already has this file as evidence.';
  throw invalidRequest([problem('file', 'duplicate', message)]);
}

/** The batch after a possible change. A delivery, and another project, ends a delay. */
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
