import type { Places } from '../../concurrency/batch-queue.ts';
import { oneByOne } from '../../concurrency/one-by-one.ts';
import { type PartnerStanding, refuseSuspended } from '../../domain/access/partner-standing.ts';
import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import type { EmissionsLink } from '../../domain/emissions/association.ts';
import type { AssociationRefusalCode } from '../../domain/emissions/association-refusals.ts';
import { existingRecord } from '../../domain/recovery-verdict.ts';
import { ServiceError, unavailable } from '../../domain/service-error.ts';
import { type ContributionRecord, findContributionsById } from '../../store/contributions/contribution.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { isDeadlock } from '../../store/database-errors.ts';
import { findEmissionsLinkByKey, insertEmissionsLink } from '../../store/emissions/emissions-link.ts';
import { type EstimateRecord, findEstimatesById } from '../../store/emissions/estimate.ts';
import { type EventDraft, insertEvent } from '../../store/events/event.ts';
import { CommitUnknownError, inTransaction, type Transaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { assertSameFingerprint } from '../same-fingerprint.ts';
import { arrivalOf, linkSnapshot, refuseLink } from './link-estimate.ts';

export interface AssociationRequest extends PartnerStanding {
  readonly partnerId: string;
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly transactionId: string;
  readonly calculationId: string;
  readonly correlationId: string;
  /** `performance.now()` at the request's arrival, which decides the estimate's expiry. */
  readonly arrivedAtMs: number;
}

export interface AssociationOutcome {
  readonly link: EmissionsLink;
  readonly isReplay: boolean;
}

export type AssociateEmissionsEstimate = (request: AssociationRequest) => Promise<AssociationOutcome>;

const ATTEMPTS = 3;

/**
 * Links one estimate with one confirmed contribution; this is final. The transaction that links writes the event. Throws
 * `idempotency_conflict`, `partner_suspended`, `contribution_not_found`, `contribution_final_failure`, `contribution_pending`,
 * `estimate_not_found`, `association_conflict`, `estimate_expired` and `calculation_mismatch`, in this precedence. When it throws, the
 * contribution is unchanged.
 *
 * @see docs/spec/interface.md#associateemissionsestimate; docs/spec/decisions.md#2-fields.
 */
export function createAssociateEmissionsEstimate(database: Database, places: Places): AssociateEmissionsEstimate {
  return oneByOne({ ...places, waitingMax: 512, waitMaxMs: 5_000, run: (request) => associate(database, request) });
}

async function associate(database: Database, request: AssociationRequest): Promise<AssociationOutcome> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const outcome = (await findOutcome(database, request)) ?? (await attemptLink(database, request));
    if (outcome) return outcome;
  }
  throw unavailable('Concurrent requests for the same link interfered; the outcome is not known yet.');
}

/** `undefined` when another transaction was faster; its record can be read now. */
async function attemptLink(database: Database, request: AssociationRequest): Promise<AssociationOutcome | undefined> {
  refuseSuspended(request);
  try {
    const made = await inTransaction(database, USUAL_LOCK_TIMEOUT, (db, transaction) => insertLink(db, request, transaction));
    if (made instanceof ServiceError) return replayOrThrow(database, request, made);
    return made && { link: made, isReplay: false };
  } catch (error) {
    if (error instanceof CommitUnknownError) return lookAgain(database, request);
    if (isDeadlock(error)) return undefined;
    throw error;
  }
}

/**
 * A refusal is returned, so that its transaction commits: the COMMIT waits until what was read survives a failover. `undefined` when another
 * transaction took the contribution, the estimate or the key meanwhile.
 */
async function insertLink(
  db: Queryable,
  request: AssociationRequest,
  { begunAtMs, finalStatement }: Transaction,
): Promise<EmissionsLink | ServiceError | undefined> {
  const { partnerId, transactionId, calculationId, idempotencyKey, fingerprint } = request;
  const [contribution] = await findContributionsById(db, [{ partnerId, transactionId }]);
  if (!contribution) return contributionNotFound('transaction_id');
  const [estimate] = await findEstimatesById(db, [{ partnerId, calculationId }]);
  const refusal = refusalOf(contribution, estimate, begunAtMs - request.arrivedAtMs);
  if (refusal) return refusal;
  const link = linkSnapshot(transactionId, (estimate as EstimateRecord).estimate);
  const associatedAt = await insertEmissionsLink(db, { partnerId, idempotencyKey, fingerprint, link });
  if (!associatedAt) return undefined;
  await finalStatement(() => insertEvent(db, associationEvent(request, link.associationId)));
  return { ...link, associatedAt };
}

/** The id contains the unique part of the link's id: one event for each. */
function associationEvent({ partnerId, transactionId, correlationId }: AssociationRequest, associationId: string): EventDraft {
  return {
    partnerId,
    eventId: `evt_${associationId.slice('assoc_'.length)}`,
    eventType: 'impact.transaction.adjusted',
    subjectId: transactionId,
    correlationId,
    data: JSON.stringify({ change: 'associated' }),
  };
}

function refusalOf(
  contribution: ContributionRecord,
  estimate: EstimateRecord | undefined,
  waitedMs: number,
): ServiceError | undefined {
  const decidedAt = arrivalOf(estimate, waitedMs);
  const refusal = refuseLink(contribution.contribution, contribution.link !== null, { estimate, decidedAt });
  if (!refusal) return undefined;
  const subject = SUBJECTS[refusal.code]?.(contribution, estimate);
  return new ServiceError(refusal.code, refusal.message, { details: subject === undefined ? [] : [existingRecord(subject)] });
}

/** The contribution of which the verdict speaks: that with the link, or the one whose points are restored. */
const SUBJECTS: Partial<
  Record<AssociationRefusalCode, (contribution: ContributionRecord, estimate?: EstimateRecord) => string | undefined>
> = {
  association_conflict: (contribution, estimate) => (contribution.link ?? estimate?.link)?.transactionId,
  contribution_final_failure: ({ contribution }) => contribution.transactionId,
};

async function findOutcome(database: Database, request: AssociationRequest): Promise<AssociationOutcome | undefined> {
  const known = await findEmissionsLinkByKey(database.pool, request.partnerId, request.idempotencyKey);
  if (!known) return undefined;
  assertSameFingerprint(known.fingerprint, request.fingerprint);
  return { link: known.link, isReplay: true };
}

/** The obstacle may be the link of a concurrent duplicate, committed after this request looked for its key. Otherwise the refusal is right. */
async function replayOrThrow(
  database: Database,
  request: AssociationRequest,
  refusal: ServiceError,
): Promise<AssociationOutcome> {
  const known = await findOutcome(database, request);
  if (known) return known;
  throw refusal;
}

async function lookAgain(database: Database, request: AssociationRequest): Promise<AssociationOutcome> {
  const outcome = await findOutcome(database, request);
  // No id was chosen beforehand, so a link found now may be a concurrent duplicate's. Marking the first answer as a replay does no harm.
  if (outcome) return outcome;
  throw unavailable('The database did not answer the commit; whether the link is recorded is not known yet.');
}
