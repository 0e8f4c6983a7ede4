import type { OperationId } from './openapi-operations.ts';
import type { Json } from './openapi-schemas.ts';

const CORRELATION_PARAMETER = {
  name: 'X-Correlation-ID',
  in: 'header',
  required: false,
  description: 'Non-personal; the service makes one when it is omitted. Every response returns it.',
  schema: { type: 'string', minLength: 8, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
};

const TAG_PARAMETER = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of a statement that was downloaded before: the answer is 304 without a body if it is the same.',
  schema: { type: 'string' },
};

/** A key for each of the operation's example bodies: another body under the same key would be a conflict. */
const KEY_EXAMPLES: Partial<Record<OperationId, Readonly<Record<string, string>>>> = {
  confirmContribution: { plain: 'confirm-10293-1', with_estimate: 'confirm-10294-1' },
  createDeliveryEmissionsEstimate: { car: 'estimate-10293-1' },
  associateEmissionsEstimate: { link: 'link-10293-1' },
  acknowledgeSettlement: { accept: 'acknowledge-2026-11', dispute: 'dispute-2026-11' },
  reconcileSettlement: { a_list: 'reconcile-2026-11' },
  resolveSandboxContribution: { confirm: 'resolve-10293', fail: 'fail-10293' },
  recordSandboxFailure: { refused: 'failure-10293' },
  expireSandboxEstimate: { none: 'expire-10293' },
  sendSandboxEvent: { sample: 'sample-0001', twice: 'sample-0002' },
  closeSandboxSettlement: { none: 'close-2026-11' },
  postSandboxAdjustment: { take_back: 'adjust-10293' },
  makeSandboxImpactBatch: { verified: 'batch-2026-11' },
  advanceSandboxClock: { a_month: 'clock-0001' },
  createWebhookEndpoint: { every_kind: 'endpoint-0001' },
  rotateWebhookSecret: { start: 'rotate-0001', activate: 'activate-0001' },
  resendDelivery: { none: 'resend-0001' },
  recoverDeliveries: { since: 'recover-0001' },
};

/** The values of path and required parameters, as in the other examples. */
const EXAMPLES: Readonly<Record<string, string>> = {
  partner_event_id: 'contribution-10293-1',
  transaction_id: 'txn_01KAHV5B8R2N4Q6S8V0X2Z4C6E',
  calculation_id: 'calc_01KAHV4Q6J9M3T5W7XZ2B4D6F8',
  emission_factor_version: 'factors-1',
  event_id: 'evt_01KAHV5B8R2N4Q6S8V0X2Z4C6E',
  endpoint_id: 'wep_01KBJ3Y5A7C9E1G3J5M7P9R1T3',
  delivery_id: 'dlv_01KAHV5B8R2N4Q6S8V0X2Z4C6E.M7P9R1T3',
  settlement_id: 'stl_01K8XW3D5F7H9K1N3Q5S7V9X2Z',
  reconciliation_id: 'rec_01KBC3A5C7E9G1J3L5N7P9R2T4',
  impact_batch_id: 'batch_01KBG2X4Z6B8D0F2H4K6N8Q1S3',
};

/** The parameters of an operation, each required one with an example. */
export function completeParameters(operationId: OperationId, parameters: readonly Json[]): Json[] {
  const completed = parameters.map((parameter) => complete(operationId, parameter));
  return [...completed, ...(operationId === 'getSettlementStatement' ? [TAG_PARAMETER] : []), CORRELATION_PARAMETER];
}

function complete(operationId: OperationId, parameter: Json): Json {
  if (parameter['name'] === 'idempotency-key') {
    const keys = Object.entries(KEY_EXAMPLES[operationId] ?? {});
    return {
      ...parameter,
      name: 'Idempotency-Key',
      examples: Object.fromEntries(keys.map(([name, value]) => [name, { value }])),
    };
  }
  if (parameter['name'] === 'x-sandbox-scenario') return { ...parameter, name: 'X-Sandbox-Scenario' };
  const { deprecated } = parameter['schema'] as Json;
  const example = EXAMPLES[parameter['name'] as string];
  return { ...parameter, ...(deprecated === true && { deprecated }), ...(example !== undefined && { example }) };
}
