import { estimateEmissions, type VehicleCategory } from '../domain/emissions.ts';
import { newId } from '../domain/identifiers.ts';
import { unavailable } from '../domain/service-error.ts';
import { CommitUnknownError, type Database, inTransaction } from '../store/database.ts';
import { vouchForRead } from '../store/durability.ts';
import {
  type EstimateDraft,
  type EstimateRecord,
  type EstimateTimes,
  findEstimateByKey,
  insertEstimates,
} from '../store/estimate.ts';
import { type GroupCommitOptions, groupCommit } from './group-commit.ts';
import { refuseSuspended, tellKeyApart } from './replay.ts';

export interface EstimateRequest {
  readonly partnerId: string;
  readonly isSuspended: boolean;
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly partnerOrderRef: string;
  /** As sent; echoed unchanged. */
  readonly distanceKm: string;
  readonly distanceMetres: number;
  readonly vehicleCategory: VehicleCategory;
}

export interface EstimateOutcome {
  readonly record: EstimateRecord;
  readonly isReplay: boolean;
}

export type CreateDeliveryEmissionsEstimate = (request: EstimateRequest) => Promise<EstimateOutcome>;

interface Calculation extends EstimateRequest {
  readonly calculationId: string;
}

const ATTEMPTS = 3;

/**
 * Calculates and keeps an estimate. Throws `idempotency_conflict` and `partner_suspended`.
 *
 * @see Interface, "createDeliveryEmissionsEstimate".
 */
export function createEstimates(
  database: Database,
  commitOptions: Pick<GroupCommitOptions<Calculation, EstimateOutcome>, 'lanes' | 'groupOf'>,
): CreateDeliveryEmissionsEstimate {
  const commits = groupCommit<Calculation, EstimateOutcome>({
    ...commitOptions,
    claimsOf: ({ partnerId, idempotencyKey }) => [`${partnerId} ${idempotencyKey}`],
    commitBatch: (calculations, lockTimeoutMs) => commit(database, calculations, lockTimeoutMs),
    commitAlone: (calculation, lockTimeoutMs) => commitAlone(database, calculation, lockTimeoutMs),
    lookAgain: (calculation) => lookAgain(database, calculation),
  });
  return (request) => {
    const calculation = { ...request, calculationId: newId('calc') };
    return request.isSuspended ? commits.submitAlone(calculation) : commits.submit(calculation);
  };
}

async function commit(
  database: Database,
  calculations: readonly Calculation[],
  lockTimeoutMs: number,
): Promise<(EstimateOutcome | undefined)[]> {
  return inTransaction(database, { lockTimeoutMs }, async (db) => {
    const drafts = calculations.map(draftEstimate);
    const times = await insertEstimates(db, drafts);
    return drafts.map((draft) => {
      const at = times.get(draft.estimate.calculationId);
      return at && { record: recordOf(draft, at), isReplay: false };
    });
  });
}

function draftEstimate(calculation: Calculation): EstimateDraft {
  const { partnerId, idempotencyKey, fingerprint, calculationId, partnerOrderRef, distanceKm, distanceMetres, vehicleCategory } =
    calculation;
  const emissions = estimateEmissions(distanceMetres, vehicleCategory);
  return {
    partnerId,
    idempotencyKey,
    fingerprint,
    estimate: { calculationId, partnerOrderRef, status: 'calculated', distanceKm, vehicleCategory, ...emissions },
  };
}

function recordOf(draft: EstimateDraft, { calculatedAt, expiresAt }: EstimateTimes): EstimateRecord {
  return { ...draft, estimate: { ...draft.estimate, calculatedAt, expiresAt }, link: null, readAt: calculatedAt };
}

async function commitAlone(database: Database, calculation: Calculation, lockTimeoutMs: number): Promise<EstimateOutcome> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const known = await findOutcome(database, calculation);
    if (known) return known;
    refuseSuspended(calculation);
    try {
      const [outcome] = await commit(database, [calculation], lockTimeoutMs);
      if (outcome) return outcome;
    } catch (error) {
      if (error instanceof CommitUnknownError) return lookAgain(database, calculation);
      throw error;
    }
  }
  throw unavailable('Other requests with the same Idempotency-Key came in between; the outcome is not known yet.');
}

async function findOutcome(database: Database, calculation: Calculation): Promise<EstimateOutcome | undefined> {
  const record = await findEstimateByKey(database.pool, calculation.partnerId, calculation.idempotencyKey);
  await vouchForRead(database);
  if (!record) return undefined;
  if (record.estimate.calculationId === calculation.calculationId) return { record, isReplay: false };
  tellKeyApart(record.fingerprint, calculation.fingerprint);
  return { record, isReplay: true };
}

async function lookAgain(database: Database, calculation: Calculation): Promise<EstimateOutcome> {
  const outcome = await findOutcome(database, calculation);
  if (outcome) return outcome;
  throw unavailable('The database did not answer the commit; whether the estimate is recorded is not known yet.');
}
