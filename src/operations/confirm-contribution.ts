/**
 * Changes of state live in this folder: one file per operation, one transaction each. Both APIs, the schedule and the
 * command line call them. What a request looks like on the wire, and what SQL says, is known elsewhere.
 */
import { type ContributionRules, isWithinBounds } from '../domain/contribution-rules.ts';
import { newId } from '../domain/identifiers.ts';
import {
  type ContributionRecord,
  findContributionRivals,
  insertContributions,
  insertContributionsListed,
} from '../store/contribution.ts';
import { type Database, inTransaction, type Queryable } from '../store/database.ts';
import { vouchForRead } from '../store/durability.ts';
import { type EstimateRecord, findEstimatesById } from '../store/estimate.ts';
import { type Confirmation, type ConfirmationRequest, draftContributions, estimateKey, recordOf } from './contribution-draft.ts';
import { eventConflict, orderConflict, outOfBounds } from './contribution-refusals.ts';
import { type GroupCommitOptions, groupCommit } from './group-commit.ts';
import { refuseSuspended, tellKeyApart } from './replay.ts';

export interface ConfirmationOutcome {
  readonly record: ContributionRecord;
  /** The record was there before this request. */
  readonly isReplay: boolean;
}

export type ConfirmContribution = (request: ConfirmationRequest) => Promise<ConfirmationOutcome>;

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
  commitOptions: Pick<GroupCommitOptions<Confirmation, Rivals, ConfirmationOutcome>, 'lanes' | 'groupOf'>,
): ConfirmContribution {
  const commits = groupCommit<Confirmation, Rivals, ConfirmationOutcome>({
    ...commitOptions,
    claimsOf: ({ partnerId, idempotencyKey, partnerEventId, partnerOrderRef }) =>
      [`key ${idempotencyKey}`, `event ${partnerEventId}`, `order ${partnerOrderRef}`].map((claim) => `${partnerId} ${claim}`),
    commitBatch: (confirmations, lockTimeoutMs) => commit(database, confirmations, lockTimeoutMs),
    findStored: (confirmations) => findRivals(database, confirmations),
    tellApart,
    tellOutcome,
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
  return inTransaction(database, { lockTimeoutMs }, async (db, { begunAtMs, lastly }) => {
    const drafts = draftContributions(confirmations, await findWantedEstimates(db, confirmations), begunAtMs);
    const present = drafts.filter((draft) => draft !== undefined);
    const createdAt = database.isDistributed
      ? await insertContributionsListed(db, present)
      : await lastly(() => insertContributions(db, present));
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

/** What is stored under a confirmation's key, its event and its order. */
type Rivals = readonly ContributionRecord[];

async function findRivals(database: Database, confirmations: readonly Confirmation[]): Promise<Rivals[]> {
  const rivals = await findContributionRivals(database.pool, confirmations);
  await vouchForRead(database);
  return rivals;
}

/** In the order of the contract: key, event, suspension, bounds, order. */
function tellApart(confirmation: Confirmation, rivals: Rivals): ConfirmationOutcome | undefined {
  const ofKey = tellOutcome(confirmation, rivals);
  if (ofKey) return ofKey;
  const ofEvent = rivals.find(({ contribution }) => contribution.partnerEventId === confirmation.partnerEventId);
  if (ofEvent) throw eventConflict(ofEvent, confirmation.fingerprint);
  refuseSuspended(confirmation);
  if (!isWithinBounds(confirmation.points, confirmation.rules)) throw outOfBounds(confirmation.rules);
  const holder = rivals[0];
  if (holder) throw orderConflict(holder);
  return undefined;
}

function tellOutcome(confirmation: Confirmation, rivals: Rivals): ConfirmationOutcome | undefined {
  const record = rivals.find(({ idempotencyKey }) => idempotencyKey === confirmation.idempotencyKey);
  if (!record) return undefined;
  if (record.contribution.transactionId === confirmation.transactionId) return { record, isReplay: false };
  tellKeyApart(record.fingerprint, confirmation.fingerprint);
  return { record, isReplay: true };
}
