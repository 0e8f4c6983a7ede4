import { type NewAdjustment, problemForPartner } from '../../domain/adjustments/new-adjustment.ts';
import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import { idOfWork } from '../../domain/identifiers.ts';
import { invalidRequest, problem, recordNotFound, ServiceError } from '../../domain/service-error.ts';
import { type Adjustment, findAdjustment } from '../../store/adjustments/adjustment.ts';
import { waitForLaterClock } from '../../store/clock.ts';
import {
  type ContributionRecord,
  findContributionsByEvent,
  findContributionsById,
} from '../../store/contributions/contribution.ts';
import type { Database } from '../../store/database.ts';
import type { EstimateRecord } from '../../store/emissions/estimate.ts';
import { findEstimatesById } from '../../store/emissions/estimate.ts';
import { endEstimateEarly } from '../../store/sandbox/early-estimate-end.ts';
import { deleteSimulatedEnd } from '../../store/sandbox/simulated-end.ts';
import { findOpenSettlement, findSettlement, findSettlementBySequence } from '../../store/settlements/settlement.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import type { AdjustmentOf } from '../adjustments/manage-adjustment.ts';
import { approveAdjustment, draftAdjustment, postAdjustment, rejectAdjustment } from '../adjustments/manage-adjustment.ts';
import { audit } from '../audit/audit.ts';
import { approveFailure, draftFailure, type NeverStored, rejectFailure } from '../contributions/record-failure.ts';
import { confirmPendingContribution, failPendingContribution } from '../contributions/resolve-pending-contribution.ts';
import { estimateNotFound } from '../emissions/get-delivery-emissions-estimate.ts';
import { type Closed, closeSettlement } from '../settlements/close-settlement.ts';
import type { SettlementTools } from '../settlements/settlement-tools.ts';
import { readSandboxClock } from './advance-clock.ts';
import { actorOf, requireSandbox, type SandboxCaller, secondActorOf } from './sandbox-actor.ts';

const NOTE = 'asked for by the partner of the sandbox';

export interface RequestedResolution {
  readonly transactionId: string;
  readonly status: 'confirmed' | 'failed';
}

/** Resolves a contribution as an operator does. Throws `contribution_not_found`, and `invalid_request` when it is not pending. */
export async function resolveOnRequest(
  database: Database,
  caller: SandboxCaller,
  { transactionId, status }: RequestedResolution,
): Promise<ContributionRecord> {
  await requireSandbox(database);
  const pending = { partnerId: caller.partnerId, transactionId };
  const resolve = status === 'confirmed' ? confirmPendingContribution : failPendingContribution;
  const record = await resolve(database, actorOf(caller), pending, NOTE).catch(async (error: unknown) => {
    if (error instanceof ServiceError && error.code === 'contribution_not_found') throw contributionNotFound('transaction_id');
    const [found] = caller.work.isTakenOver ? await findContributionsById(database.pool, [pending]) : [];
    if (found?.contribution.status === status) return found;
    throw error;
  });
  await deleteSimulatedEnd(database.pool, pending);
  return record;
}

/**
 * Records an event that was never stored as failed, as two operators do.
 *
 * @throws ServiceError `invalid_request` for a stored event, and with every problem of the fields.
 */
export async function failOnRequest(
  database: Database,
  caller: SandboxCaller,
  event: Pick<NeverStored, 'partnerEventId' | 'partnerOrderRef' | 'points'>,
): Promise<ContributionRecord> {
  await requireSandbox(database);
  const { partnerId, work } = caller;
  const id = { partnerId, failureId: idOfWork('fail', work.workId) };
  const [stored] = work.isTakenOver ? await findContributionsByEvent(database.pool, [{ ...event, partnerId }]) : [];
  if (stored?.contribution.status === 'failed') return stored;
  await draftFailure(database, actorOf(caller), { ...event, ...id, reason: NOTE }).catch((error: unknown) => {
    // The same work had drafted it before its process died.
    if (!work.isTakenOver || !(error instanceof ServiceError)) throw error;
  });
  try {
    return (await approveFailure(database, secondActorOf(caller), id)).record;
  } catch (error) {
    // The event was stored meanwhile. Nobody would approve or reject the draft.
    if (error instanceof ServiceError && error.details.length > 0) await rejectFailure(database, actorOf(caller), id);
    throw error;
  }
}

/** Returns the estimate as it was computed. Throws `estimate_not_found`, and `invalid_request` for a linked estimate, which no longer expires. */
export async function expireOnRequest(database: Database, caller: SandboxCaller, calculationId: string): Promise<EstimateRecord> {
  await requireSandbox(database);
  const { partnerId } = caller;
  const id = { partnerId, calculationId };
  const [estimate] = await findEstimatesById(database.pool, [id]);
  if (!estimate) throw estimateNotFound();
  if (estimate.link) {
    const message = 'The estimate is linked with a contribution, and no longer expires.';
    throw invalidRequest([problem('calculation_id', 'not_possible', message)]);
  }
  await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    // What has ended stays as it is, and nothing is recorded again.
    if (!(await endEstimateEarly(db, id, 0))) return;
    const entry = { action: 'sandbox.expire-estimate', partnerId, subjectId: calculationId };
    await audit(db, actorOf(caller), { ...entry, before: null, after: { ended: true } });
  });
  return estimate;
}

/**
 * Closes the open settlement early, at the time of the partner's clock, with all that was answered before, and opens the next. Of several
 * requests at once each closes one.
 *
 * @throws ServiceError `invalid_request` when there is none yet.
 */
export async function closeOnRequest(database: Database, caller: SandboxCaller, tools: SettlementTools): Promise<Closed> {
  await requireSandbox(database);
  const { partnerId, work } = caller;
  const { pool } = database;
  const nextSettlementId = idOfWork('stl', work.workId);
  for (;;) {
    const opened = work.isTakenOver ? await findSettlement(pool, partnerId, nextSettlementId) : undefined;
    // The same work had closed it before its process died.
    const before = opened && (await findSettlementBySequence(pool, partnerId, opened.sequence - 1n));
    if (opened && before) return { closed: before, opened };
    const open = await findOpenSettlement(pool, partnerId);
    if (!open)
      throw new ServiceError('invalid_request', 'There is no open settlement yet. Confirm a contribution, or wait a minute.');
    await waitForLaterClock(pool);
    const now = await readSandboxClock(database, partnerId);
    const { settlementId } = open;
    const closing = { partnerId, settlementId, isEarly: true, now, nextSettlementId };
    const closed = await closeSettlement(database, actorOf(caller), closing, tools);
    if (closed) return closed;
    // Another request closed it first, and opened the next.
  }
}

/** Another partner's contribution is answered with the same words. */
export function ownContributionNotFound(): ServiceError {
  return recordNotFound(
    'transaction_id',
    'You have no contribution with this transaction_id. Look it up by its partner_event_id.',
  );
}

/**
 * Drafts, approves and posts, without a second operator.
 *
 * @throws ServiceError `invalid_request` with every problem; with status 404 when the partner has no such contribution.
 */
export async function adjustOnRequest(
  database: Database,
  caller: SandboxCaller,
  { wanted, tools }: { readonly wanted: Omit<AdjustmentOf, 'partnerId'> & NewAdjustment; readonly tools: SettlementTools },
): Promise<Adjustment> {
  await requireSandbox(database);
  const { partnerId, work } = caller;
  const id = { partnerId, adjustmentId: idOfWork('adj', work.workId) };
  const left = work.isTakenOver ? await findAdjustment(database.pool, partnerId, id.adjustmentId) : undefined;
  const [contribution] = await findContributionsById(database.pool, [{ partnerId, transactionId: wanted.transactionId }]);
  if (!contribution) throw ownContributionNotFound();
  const draft = () => draftAdjustment(database, actorOf(caller), { ...wanted, ...id }, tools).catch(refuseForPartner);
  const { status } = left ?? (await draft());
  if (left?.status === 'posted') return left;
  try {
    if (status === 'draft') await approveAdjustment(database, secondActorOf(caller), id, tools);
    return await postAdjustment(database, actorOf(caller), id, tools);
  } catch (error) {
    // It fits no more, because another one was posted meanwhile. Nobody would post or reject it.
    if (error instanceof ServiceError && error.details.length > 0) await rejectAdjustment(database, actorOf(caller), id, NOTE);
    return refuseForPartner(error);
  }
}

function refuseForPartner(error: unknown): never {
  const isAboutFields = error instanceof ServiceError && error.code === 'invalid_request' && error.status === undefined;
  // A refusal of the adjustment's status has no field.
  throw isAboutFields && error.details.length > 0 ? invalidRequest(error.details.map(problemForPartner)) : error;
}
