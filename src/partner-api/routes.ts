import { getPartner } from './access/get-partner.ts';
import { confirmContribution } from './contributions/confirm-contribution.ts';
import { getContributionById } from './contributions/get-contribution-by-id.ts';
import { getContributionByPartnerEventId } from './contributions/get-contribution-by-partner-event-id.ts';
import { listContributions } from './contributions/list-contributions.ts';
import { associateEmissionsEstimate } from './emissions/associate-emissions-estimate.ts';
import { createDeliveryEmissionsEstimate } from './emissions/create-delivery-emissions-estimate.ts';
import { getDeliveryEmissionsEstimate } from './emissions/get-delivery-emissions-estimate.ts';
import { getEmissionFactors } from './emissions/get-emission-factors.ts';
import { getEstimateCalculation } from './emissions/get-estimate-calculation.ts';
import { listEmissionFactors } from './emissions/list-emission-factors.ts';
import { getEvent } from './events/get-event.ts';
import { listEvents } from './events/list-events.ts';
import { getEnvironmentalStatus } from './impact/get-environmental-status.ts';
import { listImpactBatchTransactions } from './impact/list-impact-batch-transactions.ts';
import { getReconciliation, listReconciliationLines } from './reconciliations/get-reconciliation.ts';
import { reconcileSettlement } from './reconciliations/reconcile-settlement.ts';
import { acknowledgeSettlement } from './settlements/acknowledge-settlement.ts';
import { getSettlement } from './settlements/get-settlement.ts';
import { getSettlementStatement } from './settlements/get-settlement-statement.ts';
import { listSettlementLines } from './settlements/list-settlement-lines.ts';
import { listSettlements } from './settlements/list-settlements.ts';
import { createWebhookEndpoint } from './webhooks/create-webhook-endpoint.ts';
import { deleteWebhookEndpoint } from './webhooks/delete-webhook-endpoint.ts';
import { getWebhookEndpoint } from './webhooks/get-webhook-endpoint.ts';
import { listDeliveries } from './webhooks/list-deliveries.ts';
import { listWebhookEndpoints } from './webhooks/list-webhook-endpoints.ts';
import { recoverDeliveries } from './webhooks/recover-deliveries.ts';
import { resendDelivery } from './webhooks/resend-delivery.ts';
import { rotateWebhookSecret } from './webhooks/rotate-webhook-secret.ts';
import { updateWebhookEndpoint } from './webhooks/update-webhook-endpoint.ts';

/** The operations under `/v1`; the sandbox has more. */
export const ROUTES = [
  confirmContribution,
  getContributionByPartnerEventId,
  getContributionById,
  createDeliveryEmissionsEstimate,
  getDeliveryEmissionsEstimate,
  associateEmissionsEstimate,
  getEstimateCalculation,
  listEmissionFactors,
  getEmissionFactors,
  listEvents,
  getEvent,
  listSettlements,
  getSettlement,
  listSettlementLines,
  getSettlementStatement,
  acknowledgeSettlement,
  reconcileSettlement,
  getReconciliation,
  listReconciliationLines,
  getEnvironmentalStatus,
  listImpactBatchTransactions,
  getPartner,
  listContributions,
  listWebhookEndpoints,
  createWebhookEndpoint,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  listDeliveries,
  resendDelivery,
  recoverDeliveries,
] as const;
