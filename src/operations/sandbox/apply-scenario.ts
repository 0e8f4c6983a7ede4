import { newId } from '../../domain/identifiers.ts';
import { RATE_LIMIT_WAIT_SECONDS } from '../../domain/sandbox/readiness.ts';
import { isRefusing, type RehearsedOperation, type Scenario, simulatedReviewOf } from '../../domain/sandbox/scenarios.ts';
import { ServiceError } from '../../domain/service-error.ts';
import type { Database } from '../../store/database.ts';
import { endEstimateEarly } from '../../store/sandbox/early-estimate-end.ts';
import { countRefusal, insertRehearsal } from '../../store/sandbox/rehearsal.ts';
import type { SimulatedEnd } from '../../store/sandbox/simulated-end.ts';
import type { ConfirmContribution } from '../contributions/confirm-contribution.ts';
import type { ConfirmationOutcome, ConfirmationRequest } from '../contributions/decide-confirmations.ts';
import type { GetContribution } from '../contributions/get-contribution.ts';
import type {
  CreateDeliveryEmissionsEstimate,
  EstimateOutcome,
  EstimateRequest,
} from '../emissions/create-delivery-emissions-estimate.ts';
import { endSimulatedReview } from './end-simulated-reviews.ts';

/** A request with a scenario. */
export interface RehearsalRequest {
  readonly scenario: Scenario;
  readonly operation: RehearsedOperation;
  readonly partnerId: string;
  readonly idempotencyKey: string;
  readonly correlationId: string;
}

/** Rehearsals of a sandbox: every outcome takes the same path as in production, and leaves the same records. */
export interface ApplyScenario {
  /**
   * Counts the request for its scenario.
   *
   * @returns Whether it is refused, before anything is stored.
   */
  isRefused(request: RehearsalRequest): Promise<boolean>;
  /** Confirms under the scenario. Throws what a confirmation throws. */
  confirm(request: ConfirmationRequest, rehearsal: RehearsalRequest): Promise<ConfirmationOutcome>;
  /** Estimates under the scenario. Throws what an estimate throws. */
  estimate(request: EstimateRequest, rehearsal: RehearsalRequest): Promise<EstimateOutcome>;
}

export interface RehearsedOperations {
  readonly confirmContribution: ConfirmContribution;
  readonly createDeliveryEmissionsEstimate: CreateDeliveryEmissionsEstimate;
  readonly getContribution: GetContribution;
}

/** Longer than a request may wait in the service, so that the request with the scenario finds its estimate expired. */
const BEFORE_ANY_REQUEST_SECONDS = 10;

export function createApplyScenario(database: Database, operations: RehearsedOperations): ApplyScenario {
  const { confirmContribution, createDeliveryEmissionsEstimate, getContribution } = operations;
  return {
    async isRefused({ scenario, ...rehearsal }) {
      if (!isRefusing(scenario)) return false;
      const waitSeconds = scenario.name === 'rate_limited' ? RATE_LIMIT_WAIT_SECONDS : 0;
      return countRefusal(database.pool, { ...rehearsal, scenario: scenario.text }, { times: scenario.times, waitSeconds });
    },
    async confirm(request, { scenario, ...rehearsal }) {
      if (scenario.name === 'order_taken') {
        const holder = await takeOrder(confirmContribution, request);
        if (holder)
          await insertRehearsal(database.pool, { ...rehearsal, ...holder, scenario: scenario.text }, holder.transactionId);
      }
      if (scenario.name === 'estimate_expired') await expireNamedEstimate(database, request);
      const outcome = await confirmContribution({ ...request, simulatedReview: simulatedReviewOf(scenario) });
      // A replay returns the stored record: another request made it, possibly without the scenario.
      if (outcome.isReplay) return outcome;
      const { transactionId, status } = outcome.record.contribution;
      await insertRehearsal(database.pool, { ...rehearsal, scenario: scenario.text }, transactionId);
      if (scenario.name !== 'failed' || status !== 'pending') return outcome;
      const end: SimulatedEnd = { partnerId: request.partnerId, transactionId, outcome: 'failed' };
      await endSimulatedReview(database, end, request.correlationId);
      const ended = await getContribution.byId({ partnerId: request.partnerId, transactionId });
      return { ...outcome, record: { ...outcome.record, ...ended } };
    },
    async estimate(request, { scenario, ...rehearsal }) {
      const outcome = await createDeliveryEmissionsEstimate(request);
      if (outcome.isReplay) return outcome;
      const { calculationId } = outcome.record.estimate;
      await insertRehearsal(database.pool, { ...rehearsal, scenario: scenario.text }, calculationId);
      if (scenario.name === 'estimate_expired') await endEstimateEarly(database.pool, { ...request, calculationId }, 0);
      return outcome;
    },
  };
}

/** Another contribution of the partner takes the order first. When the order is taken already nothing is done. */
async function takeOrder(
  confirm: ConfirmContribution,
  request: ConfirmationRequest,
): Promise<{ readonly idempotencyKey: string; readonly transactionId: string } | undefined> {
  const holderId = newId('evt');
  const holder = {
    ...request,
    partnerEventId: holderId,
    idempotencyKey: holderId,
    opaqueCustomerRef: null,
    calculationId: undefined,
  };
  try {
    const { record } = await confirm(holder);
    return { idempotencyKey: holderId, transactionId: record.contribution.transactionId };
  } catch (error) {
    // The confirmation itself reports what conflicts, in the order of the contract.
    if (!(error instanceof ServiceError)) throw error;
    return undefined;
  }
}

async function expireNamedEstimate({ pool }: Database, { partnerId, calculationId }: ConfirmationRequest): Promise<void> {
  if (typeof calculationId === 'string') await endEstimateEarly(pool, { partnerId, calculationId }, BEFORE_ANY_REQUEST_SECONDS);
}
