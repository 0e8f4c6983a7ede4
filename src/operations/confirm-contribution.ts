/**
 * Changes of state live in this folder: one file per operation, one transaction each. Both APIs, the schedule and the
 * command line call them. What a request looks like on the wire, and what SQL says, is known elsewhere.
 */
import type { RejectionCode } from '../domain/association.ts';
import { type ContributionRules, firstStatus, isWithinBounds } from '../domain/contribution-rules.ts';
import { newId } from '../domain/identifiers.ts';
import { existingRecord } from '../domain/recovery.ts';
import { ServiceError, unavailable } from '../domain/service-error.ts';
import { supportTexts } from '../domain/texts.ts';
import {
  type ContributionDraft,
  type ContributionRecord,
  findContributionRivals,
  insertContributions,
} from '../store/contribution.ts';
import { CommitUnknownError, type Database, inTransaction, type Queryable } from '../store/database.ts';
import { isDeadlock, violatedKey } from '../store/database-errors.ts';
import { vouchForRead } from '../store/durability.ts';
import { type EstimateRecord, findEstimatesById } from '../store/estimate.ts';
import { type GroupCommitOptions, groupCommit } from './group-commit.ts';
import { arrivalOf, linkSnapshot, refuseLink } from './linking.ts';
import { refuseSuspended, tellKeyApart } from './replay.ts';

export interface ConfirmationRequest {
  readonly partnerId: string;
  /** New records of a suspended partner are refused; what is stored already replays. */
  readonly isSuspended: boolean;
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  readonly points: bigint;
  readonly opaqueCustomerRef: string | null;
  /** `undefined` when none was asked for, `null` when what was asked for is ill formed. */
  readonly calculationId: string | null | undefined;
  /** `performance.now()` at the request's arrival: an estimate's expiry is judged by it. */
  readonly arrivedAtMs: number;
}

export interface ConfirmationOutcome {
  readonly record: ContributionRecord;
  /** The record was there before this request. */
  readonly isReplay: boolean;
}

export type ConfirmContribution = (request: ConfirmationRequest) => Promise<ConfirmationOutcome>;

/** The id is chosen before the first attempt, so that whatever happens the record is known again. */
interface Confirmation extends ConfirmationRequest {
  readonly transactionId: string;
  readonly rules: ContributionRules;
}

const ATTEMPTS = 3;

/**
 * Records a contribution exactly once.
 *
 * The outcome is a stored record, new or replayed, whatever its status. Throws `idempotency_conflict`,
 * `partner_event_conflict`, `partner_suspended`, `invalid_point_amount`, `partner_order_conflict` and
 * `contribution_pending`, in this precedence; then this request stored nothing.
 *
 * @see Interface, "confirmContribution"; decisions, sections 1 and 3.
 */
export function confirmContributions(
  database: Database,
  rulesOf: (partnerId: string) => ContributionRules,
  commitOptions: Pick<GroupCommitOptions<Confirmation, ConfirmationOutcome>, 'lanes' | 'groupOf'>,
): ConfirmContribution {
  const commits = groupCommit<Confirmation, ConfirmationOutcome>({
    ...commitOptions,
    claimsOf: ({ partnerId, idempotencyKey, partnerEventId, partnerOrderRef }) =>
      [`key ${idempotencyKey}`, `event ${partnerEventId}`, `order ${partnerOrderRef}`].map((claim) => `${partnerId} ${claim}`),
    commitBatch: (confirmations, lockTimeoutMs) => commit(database, confirmations, lockTimeoutMs),
    commitAlone: (confirmation, lockTimeoutMs) => commitAlone(database, confirmation, lockTimeoutMs),
    lookAgain: (confirmation) => lookAgain(database, confirmation),
  });
  return (request) => {
    const confirmation = { ...request, transactionId: newId('txn'), rules: rulesOf(request.partnerId) };
    return isAdmissible(confirmation) ? commits.submit(confirmation) : commits.submitAlone(confirmation);
  };
}

function isAdmissible({ isSuspended, points, rules }: Confirmation): boolean {
  return !isSuspended && isWithinBounds(points, rules);
}

async function commit(
  database: Database,
  confirmations: readonly Confirmation[],
  lockTimeoutMs: number,
): Promise<(ConfirmationOutcome | undefined)[]> {
  return inTransaction(database, { lockTimeoutMs }, async (db) => {
    const begunAtMs = performance.now();
    const drafts = draftContributions(confirmations, await findWantedEstimates(db, confirmations), begunAtMs);
    const createdAt = await insertContributions(
      db,
      drafts.filter((draft) => draft !== undefined),
    );
    return drafts.map((draft) => {
      const at = draft && createdAt.get(draft.contribution.transactionId);
      return at && { record: recordOf(draft, at), isReplay: false };
    });
  });
}

async function findWantedEstimates(db: Queryable, confirmations: readonly Confirmation[]): Promise<Map<string, EstimateRecord>> {
  const wanted = confirmations.flatMap(({ partnerId, calculationId }) => (calculationId ? { partnerId, calculationId } : []));
  const estimates = wanted.length === 0 ? [] : await findEstimatesById(db, wanted);
  return new Map(estimates.map((record) => [estimateKey(record.partnerId, record.estimate.calculationId), record]));
}

function estimateKey(partnerId: string, calculationId: string): string {
  return `${partnerId} ${calculationId}`;
}

/** A confirmation whose estimate an earlier one of the batch takes is left out, to be judged when that one is settled. */
function draftContributions(
  confirmations: readonly Confirmation[],
  estimates: ReadonlyMap<string, EstimateRecord>,
  begunAtMs: number,
): (ContributionDraft | undefined)[] {
  const taken = new Set<string>();
  return confirmations.map((confirmation) => {
    const key = estimateKey(confirmation.partnerId, confirmation.calculationId ?? '');
    if (taken.has(key)) return undefined;
    const draft = draftContribution(confirmation, estimates.get(key), begunAtMs);
    if (draft.link) taken.add(key);
    return draft;
  });
}

function draftContribution(
  confirmation: Confirmation,
  estimate: EstimateRecord | undefined,
  begunAtMs: number,
): ContributionDraft {
  const { partnerId, idempotencyKey, fingerprint, calculationId, transactionId, partnerOrderRef, rules } = confirmation;
  const status = firstStatus(rules);
  const judgedAt = arrivalOf(estimate, begunAtMs - confirmation.arrivedAtMs);
  const refusal =
    calculationId === undefined ? undefined : refuseLink({ status, partnerOrderRef }, false, { estimate, judgedAt })?.code;
  const isLinked = calculationId !== undefined && refusal === undefined;
  return {
    partnerId,
    idempotencyKey,
    fingerprint,
    contribution: {
      transactionId,
      partnerEventId: confirmation.partnerEventId,
      partnerOrderRef,
      status,
      points: confirmation.points,
      opaqueCustomerRef: confirmation.opaqueCustomerRef,
      contributionRuleVersion: rules.contributionRuleVersion,
      pointConversionVersion: rules.pointConversionVersion,
      treeCostVersion: rules.treeCostVersion,
      expectedEnvironmentalSupport: supportTexts(confirmation.points, undefined),
    },
    calculationId: calculationId ?? null,
    associationOutcome: isLinked ? 'associated' : refusal ? 'rejected' : 'not_requested',
    rejectionCode: (refusal as RejectionCode | undefined) ?? null,
    link: isLinked && estimate ? linkSnapshot(transactionId, estimate.estimate) : null,
  };
}

function recordOf(draft: ContributionDraft, createdAt: Date): ContributionRecord {
  const { status } = draft.contribution;
  return {
    ...draft,
    firstStatus: status === 'pending' ? 'pending' : 'confirmed',
    contribution: { ...draft.contribution, createdAt, confirmedAt: status === 'confirmed' ? createdAt : null, failedAt: null },
    link: draft.link && { ...draft.link, associatedAt: createdAt },
  };
}

async function commitAlone(database: Database, confirmation: Confirmation, lockTimeoutMs: number): Promise<ConfirmationOutcome> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const known = await findOutcome(database, confirmation);
    if (known) return known;
    try {
      const [outcome] = await commit(database, [confirmation], lockTimeoutMs);
      if (outcome) return outcome;
    } catch (error) {
      if (error instanceof CommitUnknownError) return lookAgain(database, confirmation);
      // The estimate was linked, or a deadlock resolved, by another transaction: what it left is there to be read now.
      if (violatedKey(error) === undefined && !isDeadlock(error)) throw error;
    }
  }
  throw unavailable('Other requests for the same contribution came in between; its outcome is not known yet.');
}

/** Told apart in the order of the contract: key, event, suspension, bounds, order. `undefined` when nothing stands against it. */
async function findOutcome(database: Database, confirmation: Confirmation): Promise<ConfirmationOutcome | undefined> {
  const rivals = await findContributionRivals(database.pool, confirmation);
  await vouchForRead(database);
  const ofKey = findOfKey(rivals, confirmation);
  if (ofKey) return ofKey;
  const ofEvent = rivals.find(({ contribution }) => contribution.partnerEventId === confirmation.partnerEventId);
  if (ofEvent) throw eventConflict(ofEvent, confirmation);
  refuseSuspended(confirmation);
  if (!isWithinBounds(confirmation.points, confirmation.rules)) throw outOfBounds(confirmation.rules);
  const holder = rivals[0];
  if (holder) throw orderConflict(holder);
  return undefined;
}

function findOfKey(rivals: readonly ContributionRecord[], confirmation: Confirmation): ConfirmationOutcome | undefined {
  const record = rivals.find(({ idempotencyKey }) => idempotencyKey === confirmation.idempotencyKey);
  if (!record) return undefined;
  if (record.contribution.transactionId === confirmation.transactionId) return { record, isReplay: false };
  tellKeyApart(record.fingerprint, confirmation.fingerprint);
  return { record, isReplay: true };
}

async function lookAgain(database: Database, confirmation: Confirmation): Promise<ConfirmationOutcome> {
  const rivals = await findContributionRivals(database.pool, confirmation);
  await vouchForRead(database);
  const outcome = findOfKey(rivals, confirmation);
  if (outcome) return outcome;
  throw unavailable('The database did not answer the commit; whether the contribution is recorded is not known yet.');
}

function eventConflict(existing: ContributionRecord, { fingerprint }: Confirmation): ServiceError {
  const isSamePayload = existing.fingerprint.equals(fingerprint);
  const message = `This partner_event_id is recorded under another Idempotency-Key, with ${isSamePayload ? 'the same' : 'another'} payload.`;
  const detail = { field: 'partner_event_id', code: isSamePayload ? 'same_payload' : 'other_payload', message };
  return new ServiceError('partner_event_conflict', message, {
    details: [detail, existingRecord(existing.contribution.transactionId)],
  });
}

function orderConflict({ contribution }: ContributionRecord): ServiceError {
  const details = [existingRecord(contribution.transactionId)];
  if (contribution.status === 'pending') {
    return new ServiceError('contribution_pending', 'A pending contribution of another event holds this partner_order_ref.', {
      details,
    });
  }
  return new ServiceError('partner_order_conflict', 'Another contribution is confirmed for this partner_order_ref.', { details });
}

function outOfBounds({ pointsMin, pointsMax }: ContributionRules): ServiceError {
  const message = `points must be from ${pointsMin} to ${pointsMax} by the partner's rules.`;
  return new ServiceError('invalid_point_amount', message, { details: [{ field: 'points', code: 'out_of_bounds', message }] });
}
