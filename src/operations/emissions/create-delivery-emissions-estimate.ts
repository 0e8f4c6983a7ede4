import { type PartnerStanding, refuseSuspended } from '../../domain/access/partner-standing.ts';
import { estimateEmissions } from '../../domain/emissions/calculate-emissions.ts';
import type { VehicleCategory } from '../../domain/emissions/emission-factors.ts';
import { newId } from '../../domain/identifiers.ts';
import { estimateBytes } from '../../domain/quotas/stored-bytes.ts';
import type { Database } from '../../store/database.ts';
import {
  type EstimateDraft,
  type EstimateRecord,
  type EstimateTimes,
  findEstimatesByKey,
  insertEstimates,
  insertEstimatesListed,
} from '../../store/emissions/estimate.ts';
import { inTransaction } from '../../store/transaction.ts';
import { type CommitBatchOptions, GroupCommit, type GroupCommitOptions, type GroupedRequest } from '../group-commit.ts';
import { refuseSpent } from '../quotas/quota-refusals.ts';
import { countingBatch, type StorageUsage } from '../quotas/storage-usage.ts';
import { assertSameFingerprint } from '../same-fingerprint.ts';

export interface EstimateRequest extends PartnerStanding {
  readonly partnerId: string;
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly partnerOrderRef: string;
  /** The text that the partner sent. The answer has it unchanged. */
  readonly distanceKm: string;
  readonly distanceMetres: number;
  readonly vehicleCategory: VehicleCategory;
}

export interface EstimateOutcome {
  readonly record: EstimateRecord;
  readonly isReplay: boolean;
}

export type CreateDeliveryEmissionsEstimate = (request: EstimateRequest) => Promise<EstimateOutcome>;

interface Calculation extends EstimateRequest, GroupedRequest {
  /** The partner has used up its quota of the day. */
  readonly isSpent: boolean;
  readonly calculationId: string;
}

type EstimateCommitOptions = Pick<
  GroupCommitOptions<Calculation, EstimateRecord | undefined, EstimateOutcome>,
  'concurrency' | 'isOfOneShare' | 'refusalOf'
>;

/**
 * Calculates and stores an estimate. Throws `idempotency_conflict`, `partner_suspended`, and `rate_limited` when the partner has used up
 * its quota of the day.
 *
 * @see docs/spec/interface.md#createdeliveryemissionsestimate.
 */
export function createCreateDeliveryEmissionsEstimate(
  database: Database,
  { usage, ...commitOptions }: EstimateCommitOptions & { readonly usage: StorageUsage },
): CreateDeliveryEmissionsEstimate {
  const commits = new GroupCommit<Calculation, EstimateRecord | undefined, EstimateOutcome>({
    ...commitOptions,
    conflictKeysOf: ({ partnerId, idempotencyKey }) => [`${partnerId} ${idempotencyKey}`],
    commitBatch: countingBatch<Calculation, EstimateOutcome>(usage, estimateBytes, (calculations, options) =>
      commit(database, calculations, options),
    ),
    findStored: (calculations) => findEstimatesByKey(database.pool, calculations),
    classifyConflict,
    findOwnOutcome,
  });
  return (request) => {
    const calculation = {
      ...request,
      calculationId: newId('calc'),
      isSpent: usage.isSpent(request.partnerId),
      submittedAtMs: performance.now(),
    };
    return request.isSuspended || calculation.isSpent ? commits.submitAlone(calculation) : commits.submit(calculation);
  };
}

async function commit(
  database: Database,
  calculations: readonly Calculation[],
  options: CommitBatchOptions,
): Promise<(EstimateOutcome | undefined)[]> {
  return inTransaction(database, options, async (db, { finalStatement }) => {
    const drafts = calculations.map(draftEstimate);
    const times = await finalStatement(() =>
      database.isDistributed ? insertEstimatesListed(db, drafts) : insertEstimates(db, drafts, options.onStored),
    );
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
  return {
    ...draft,
    estimate: { ...draft.estimate, calculatedAt, expiresAt },
    link: null,
    endsAt: expiresAt,
    readAt: calculatedAt,
  };
}

/** In the order of the contract: key, suspension; then the quota. */
function classifyConflict(calculation: Calculation, stored: EstimateRecord | undefined): EstimateOutcome | undefined {
  const ofKey = findOwnOutcome(calculation, stored);
  if (ofKey) return ofKey;
  refuseSuspended(calculation);
  refuseSpent(calculation.isSpent);
  return undefined;
}

function findOwnOutcome(calculation: Calculation, record: EstimateRecord | undefined): EstimateOutcome | undefined {
  if (!record) return undefined;
  if (record.estimate.calculationId === calculation.calculationId) return { record, isReplay: false };
  assertSameFingerprint(record.fingerprint, calculation.fingerprint);
  return { record, isReplay: true };
}
