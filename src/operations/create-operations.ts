/**
 * This folder holds the changes of state and the look-ups: one file per operation, one transaction each. The interface, the schedule and
 * the command line call them. The wire format and the SQL are elsewhere.
 */

import type { Places } from '../concurrency/batch-queue.ts';
import type { Environment } from '../domain/access/api-key.ts';
import type { Database } from '../store/database.ts';
import type { NodeWatch } from '../store/node-watch.ts';
import { createGetPartnerAndRules, type GetPartnerAndRules } from './access/get-partner-and-rules.ts';
import { type AnswerOnce, answerOnce } from './answer-once.ts';
import { type ConfirmContribution, createConfirmContribution } from './contributions/confirm-contribution.ts';
import { createGetContribution, type GetContribution } from './contributions/get-contribution.ts';
import { createListContributions, type ListContributions } from './contributions/list-contributions.ts';
import { type AssociateEmissionsEstimate, createAssociateEmissionsEstimate } from './emissions/associate-emissions-estimate.ts';
import {
  type CreateDeliveryEmissionsEstimate,
  createCreateDeliveryEmissionsEstimate,
} from './emissions/create-delivery-emissions-estimate.ts';
import {
  createGetDeliveryEmissionsEstimate,
  type GetDeliveryEmissionsEstimate,
} from './emissions/get-delivery-emissions-estimate.ts';
import { createReadEvents, type ReadEvents } from './events/list-events.ts';
import type { RecentContributions } from './events/recent-contributions.ts';
import { createReadEnvironmentalStatus, type ReadEnvironmentalStatus } from './impact/read-environmental-status.ts';
import { type StorageUsage, UNCOUNTED } from './quotas/storage-usage.ts';
import { createReconcileSettlement, type ReconcileSettlement } from './reconciliations/reconcile-settlement.ts';
import type { RulesOf } from './rules/rule-cache.ts';
import { pricesUnderRules } from './rules/rule-prices.ts';
import { type ApplyScenario, createApplyScenario } from './sandbox/apply-scenario.ts';
import { type AcknowledgeSettlement, createAcknowledgeSettlement } from './settlements/acknowledge-settlement.ts';
import { createReadSettlements, type ReadSettlements } from './settlements/read-settlements.ts';

/** The operations that partners may call. */
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
  readonly getPartnerAndRules: GetPartnerAndRules;
  readonly listContributions: ListContributions;
  /** Called in a sandbox only. */
  readonly applyScenario: ApplyScenario;
}

/**
 * The most connections of each kind of work, so that none starves another. One batch at a time is fastest: the more requests it holds,
 * the less each costs.
 */
const CONCURRENCY = {
  confirm: { batches: 1, singles: 2, duplicates: 3 },
  confirmCapped: { batches: 2, singles: 1, duplicates: 1 },
  estimate: { batches: 1, singles: 1, duplicates: 1 },
  associate: 2,
  lookup: 1,
  events: 1,
  reports: 1,
  environment: 1,
};

/**
 * A batch of one partner uses one node. A batch of many partners uses all nodes and costs ten times as much, so batches of several
 * partners run at the same time.
 */
const DISTRIBUTED_CONCURRENCY = {
  ...CONCURRENCY,
  confirm: { ...CONCURRENCY.confirm, batches: 4 },
  lookup: 3,
};

/** Concurrent duplicates and single requests may hold a connection for seconds. The others are enough for all short work. */
export const POOL_SIZE = 20;

export interface OperationsOptions {
  readonly environment: Environment;
  readonly rulesOf: RulesOf;
  /** Counts and limits what partners store. */
  readonly usage?: StorageUsage;
  /** Gets each confirmed contribution, when this process relays events. */
  readonly recent?: RecentContributions | undefined;
  /** On a distributed database: what a request that waits is refused with while the node of its partner does not answer. */
  readonly refusalOf?: NodeWatch['refusalOf'] | undefined;
}

export function createOperations(
  database: Database,
  { environment, rulesOf, usage = UNCOUNTED, recent, refusalOf }: OperationsOptions,
): Operations {
  const concurrency = database.isDistributed ? DISTRIBUTED_CONCURRENCY : CONCURRENCY;
  const placesOf = (of: number): Places => ({ concurrency: of, refusalOf });
  const grouping = { isOfOneShare: database.isDistributed, refusalOf };
  const rehearsed = {
    confirmContribution: createConfirmContribution(database, rulesOf, { ...concurrency, ...grouping, usage, recent }),
    getContribution: createGetContribution(database, { concurrency: concurrency.lookup, ...grouping }),
    createDeliveryEmissionsEstimate: createCreateDeliveryEmissionsEstimate(database, {
      concurrency: concurrency.estimate,
      ...grouping,
      usage,
    }),
  };
  return {
    ...rehearsed,
    getPartnerAndRules: createGetPartnerAndRules(database, rulesOf),
    listContributions: createListContributions(database, placesOf(concurrency.reports)),
    answerOnce: (request, work, form) => answerOnce(database, request, work, form),
    applyScenario: createApplyScenario(database, rehearsed),
    getDeliveryEmissionsEstimate: createGetDeliveryEmissionsEstimate(database, { concurrency: concurrency.lookup, ...grouping }),
    associateEmissionsEstimate: createAssociateEmissionsEstimate(database, placesOf(concurrency.associate)),
    readEvents: createReadEvents(database, environment, placesOf(concurrency.events)),
    readSettlements: createReadSettlements(database, pricesUnderRules, placesOf(concurrency.reports)),
    acknowledgeSettlement: createAcknowledgeSettlement(database, placesOf(concurrency.reports)),
    reconcileSettlement: createReconcileSettlement(database, usage),
    readEnvironmentalStatus: createReadEnvironmentalStatus(database, placesOf(concurrency.environment)),
  };
}
