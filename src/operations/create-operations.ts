/**
 * This folder holds the changes of state and the look-ups: one file per operation, one transaction each. The interface, the schedule and
 * the command line call them. What a request looks like on the wire, and the SQL, stand elsewhere.
 */

import type { Environment } from '../domain/access/api-key.ts';
import type { Database } from '../store/database.ts';
import { type AnswerOnce, answerOnceIn } from './access/answer-once.ts';
import { type GetPartnerTerms, getPartnerTermsBy } from './access/get-partner-terms.ts';
import { type ConfirmContribution, confirmContributions } from './contributions/confirm-contribution.ts';
import { type GetContribution, getContributions } from './contributions/get-contribution.ts';
import { type ListContributions, listContributionsOf } from './contributions/list-contributions.ts';
import { type AssociateEmissionsEstimate, associateEstimates } from './emissions/associate-emissions-estimate.ts';
import { type CreateDeliveryEmissionsEstimate, createEstimates } from './emissions/create-delivery-emissions-estimate.ts';
import { type GetDeliveryEmissionsEstimate, getEstimates } from './emissions/get-delivery-emissions-estimate.ts';
import { type ReadEvents, readEvents } from './events/list-events.ts';
import type { RecentContributions } from './events/recent-contributions.ts';
import { type ReadEnvironmentalStatus, readEnvironmentalStatus } from './impact/read-environmental-status.ts';
import { type StorageUsage, UNCOUNTED } from './quotas/storage-usage.ts';
import { type ReconcileSettlement, reconcileSettlements } from './reconciliations/reconcile-settlement.ts';
import type { RulesOf } from './rules/rule-cache.ts';
import { pricesUnderRules } from './rules/rule-prices.ts';
import { type Rehearse, rehearseIn } from './sandbox/rehearse.ts';
import { type AcknowledgeSettlement, acknowledgeSettlements } from './settlements/acknowledge-settlement.ts';
import { type ReadSettlements, readSettlements } from './settlements/read-settlements.ts';

/** What partners may ask for, ready to be called. */
export interface Operations {
  readonly confirmContribution: ConfirmContribution;
  readonly getContribution: GetContribution;
  readonly createDeliveryEmissionsEstimate: CreateDeliveryEmissionsEstimate;
  readonly getDeliveryEmissionsEstimate: GetDeliveryEmissionsEstimate;
  readonly associateEmissionsEstimate: AssociateEmissionsEstimate;
  readonly readEvents: ReadEvents;
  readonly readSettlements: ReadSettlements;
  readonly acknowledgeSettlement: AcknowledgeSettlement;
  readonly reconcileSettlement: ReconcileSettlement;
  readonly readEnvironmentalStatus: ReadEnvironmentalStatus;
  readonly answerOnce: AnswerOnce;
  readonly getPartnerTerms: GetPartnerTerms;
  readonly listContributions: ListContributions;
  /** Called in a sandbox alone. */
  readonly rehearse: Rehearse;
}

/**
 * How many connections each kind of work may hold at once, so that none starves another. One batch at a time is fastest: the more
 * requests it holds, the less each costs.
 */
const LANES = {
  confirm: { batches: 1, singles: 2, twins: 3 },
  confirmCapped: { batches: 2, singles: 1, twins: 1 },
  estimate: { batches: 1, singles: 1, twins: 1 },
  associate: 2,
  lookup: 1,
  events: 1,
  settlements: 1,
  environment: 1,
};

/** A batch of one partner touches one node, over many partners all of them, at ten times the cost: partners take lanes beside each other. */
const DISTRIBUTED_LANES = {
  ...LANES,
  confirm: { ...LANES.confirm, batches: 4 },
  lookup: 3,
};

/** Twins and single requests may hold theirs for seconds; what is left is enough for all that is short. */
export const POOL_SIZE = 20;

export interface OperationsOptions {
  readonly environment: Environment;
  readonly rulesOf: RulesOf;
  /** Counts what partners store, and bounds it. */
  readonly usage?: StorageUsage;
  /** Told of what is confirmed, where the events of this process are relayed. */
  readonly recent?: RecentContributions | undefined;
}

export function createOperations(
  database: Database,
  { environment, rulesOf, usage = UNCOUNTED, recent }: OperationsOptions,
): Operations {
  const lanes = database.isDistributed ? DISTRIBUTED_LANES : LANES;
  const grouping = { isOfOneShare: database.isDistributed };
  const rehearsed = {
    confirmContribution: confirmContributions(database, rulesOf, { ...lanes, ...grouping, usage, recent }),
    getContribution: getContributions(database, { lanes: lanes.lookup, ...grouping }),
    createDeliveryEmissionsEstimate: createEstimates(database, { lanes: lanes.estimate, ...grouping, usage }),
  };
  return {
    ...rehearsed,
    getPartnerTerms: getPartnerTermsBy(database, rulesOf),
    listContributions: listContributionsOf(database, lanes.settlements),
    answerOnce: (request, work, seal) => answerOnceIn(database, request, work, seal),
    rehearse: rehearseIn(database, rehearsed),
    getDeliveryEmissionsEstimate: getEstimates(database, { lanes: lanes.lookup, ...grouping }),
    associateEmissionsEstimate: associateEstimates(database, lanes.associate),
    readEvents: readEvents(database, environment, lanes.events),
    readSettlements: readSettlements(database, pricesUnderRules, lanes.settlements),
    acknowledgeSettlement: acknowledgeSettlements(database, lanes.settlements),
    reconcileSettlement: reconcileSettlements(database, usage),
    readEnvironmentalStatus: readEnvironmentalStatus(database, lanes.environment),
  };
}
