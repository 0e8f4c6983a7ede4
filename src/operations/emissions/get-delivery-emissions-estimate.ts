import { byPartner, createBatcher, type LookupOptions } from '../../concurrency/batch-queue.ts';
import { isExpired } from '../../domain/emissions/estimate.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { type Database, onOneConnection, type Queryable } from '../../store/database.ts';
import { type EstimateRecord, findEstimatesById } from '../../store/emissions/estimate.ts';
import { arrivalOf, estimateKey } from './link-estimate.ts';

export interface EstimateLookup {
  readonly partnerId: string;
  readonly calculationId: string;
  /** `performance.now()` at the request's arrival, which decides the expiry. */
  readonly arrivedAtMs: number;
}

interface FoundEstimate {
  readonly record: EstimateRecord;
  readonly arrivedAt: Date;
}

export type GetDeliveryEmissionsEstimate = (lookup: EstimateLookup) => Promise<EstimateRecord>;

/**
 * Reads an estimate. Throws `estimate_not_found`, also for another partner's, and `estimate_expired` after its expiry, unless it is
 * linked: a linked estimate no longer expires.
 *
 * @see docs/spec/interface.md#getdeliveryemissionsestimate.
 */
export function createGetDeliveryEmissionsEstimate(database: Database, together: LookupOptions): GetDeliveryEmissionsEstimate {
  const find = createBatcher<EstimateLookup, FoundEstimate | undefined>({
    ...together,
    batchMax: 256,
    waitingMax: 4_096,
    waitMaxMs: 5_000,
    shareOf: byPartner,
    run: (lookups) => onOneConnection(database.pool, (db) => findEstimates(db, lookups)),
  });
  return async (lookup) => {
    const found = await find(lookup);
    if (!found) throw estimateNotFound();
    const { record, arrivedAt } = found;
    if (isExpired({ expiresAt: record.endsAt, hasLink: record.link !== null }, arrivedAt)) {
      throw new ServiceError('estimate_expired', 'The estimate has expired without an association. Create a new one.');
    }
    return record;
  };
}

async function findEstimates(db: Queryable, lookups: readonly EstimateLookup[]): Promise<(FoundEstimate | undefined)[]> {
  // The statement tells its own time: a wait for the connection came before it.
  const begunAtMs = performance.now();
  const found = await findEstimatesById(db, lookups);
  const byId = new Map(found.map((record) => [estimateKey(record.partnerId, record.estimate.calculationId), record]));
  return lookups.map(({ partnerId, calculationId, arrivedAtMs }) => {
    const record = byId.get(estimateKey(partnerId, calculationId));
    return record && { record, arrivedAt: arrivalOf(record, begunAtMs - arrivedAtMs) };
  });
}

export function estimateNotFound(): ServiceError {
  const message = 'There is no estimate with this calculation_id; check the calculation_id, or create a new estimate.';
  return new ServiceError('estimate_not_found', message);
}
