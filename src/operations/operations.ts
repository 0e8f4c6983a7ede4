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

/** How many connections each kind of work may hold at once. Together no more than the pool has, so that none starves another. */
const LANES = { confirm: 2, confirmAlone: 4, estimate: 1, estimateAlone: 1, associate: 2, lookup: 1, getEstimate: 1 };

/** The connections of {@link LANES} (two of them for the two look-ups), and three for keys, readiness and what else comes. */
export const POOL_SIZE = 16;

export function createOperations(
  database: Database,
  rulesOf: (partnerId: string) => ContributionRules = () => DEFAULT_RULES,
): Operations {
  return {
    confirmContribution: confirmContributions(database, rulesOf, { lanes: LANES.confirm, singleLanes: LANES.confirmAlone }),
    getContribution: getContributions(database, LANES.lookup),
    createDeliveryEmissionsEstimate: createEstimates(database, { lanes: LANES.estimate, singleLanes: LANES.estimateAlone }),
    getDeliveryEmissionsEstimate: getEstimates(database, LANES.getEstimate),
    associateEmissionsEstimate: associateEstimates(database, LANES.associate),
  };
}
