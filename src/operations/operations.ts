import { type ContributionRules, DEFAULT_RULES } from '../domain/contribution-rules.ts';
import type { Database } from '../store/database.ts';
import { type AssociateEmissionsEstimate, associateEstimates } from './associate-emissions-estimate.ts';
import { type ConfirmContribution, confirmContributions } from './confirm-contribution.ts';
import { type CreateDeliveryEmissionsEstimate, createEstimates } from './create-delivery-emissions-estimate.ts';
import { type GetContribution, getContributions } from './get-contribution.ts';
import { type GetDeliveryEmissionsEstimate, getEstimates } from './get-delivery-emissions-estimate.ts';

/** The contract's operations, ready to be called. */
export interface Operations {
  readonly confirmContribution: ConfirmContribution;
  readonly getContribution: GetContribution;
  readonly createDeliveryEmissionsEstimate: CreateDeliveryEmissionsEstimate;
  readonly getDeliveryEmissionsEstimate: GetDeliveryEmissionsEstimate;
  readonly associateEmissionsEstimate: AssociateEmissionsEstimate;
}

/** How many connections each kind of work may hold at once, so that none starves another. */
const LANES = {
  confirm: { batches: 1, singles: 2, twins: 3 },
  estimate: { batches: 1, singles: 1, twins: 1 },
  associate: 2,
  lookup: 1,
  getEstimate: 1,
};

/** The connections of {@link LANES}, two of them for the two look-ups; one more for keys, and one for what else comes. */
export const POOL_SIZE = 16;

export interface OperationsOptions {
  readonly rulesOf?: ((partnerId: string) => ContributionRules) | undefined;
}

export function createOperations(database: Database, { rulesOf = () => DEFAULT_RULES }: OperationsOptions = {}): Operations {
  // On a distributed database a transaction over one partner touches one node, over many all of them, at ten times the cost.
  const grouping = database.isDistributed ? { groupOf: ({ partnerId }: { partnerId: string }) => partnerId } : {};
  return {
    confirmContribution: confirmContributions(database, rulesOf, { lanes: LANES.confirm, ...grouping }),
    getContribution: getContributions(database, LANES.lookup),
    createDeliveryEmissionsEstimate: createEstimates(database, { lanes: LANES.estimate, ...grouping }),
    getDeliveryEmissionsEstimate: getEstimates(database, LANES.getEstimate),
    associateEmissionsEstimate: associateEstimates(database, LANES.associate),
  };
}
