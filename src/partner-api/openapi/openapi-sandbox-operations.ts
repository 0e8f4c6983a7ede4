import { ownContributionNotFound } from '../../operations/sandbox/act-as-operator.ts';
import { ownSettlementNotFound } from '../../operations/sandbox/make-impact-batch.ts';
import { endpointNotFound } from '../../webhooks/endpoints/endpoint-context.ts';
import type { OperationText } from './openapi-operations.ts';

const tag = 'Sandbox';
const errors = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'partner_suspended',
  'idempotency_conflict',
  'rate_limited',
  'internal_service_unavailable',
] as const;

/** The text of the sandbox paths in the reference. */
export const SANDBOX_OPERATIONS = {
  resolveSandboxContribution: {
    tag,
    summary: 'End a pending contribution',
    description: 'Confirms or fails a pending contribution permanently, as an operator does in production, and sends its event.',
    errors: [...errors, 'contribution_not_found'],
  },
  recordSandboxFailure: {
    tag,
    summary: 'Record an event as failed',
    description:
      'Records an event that the service never stored as failed, as two operators do in production for an event that was refused for good, and sends its event. From then on its confirmation is `contribution_final_failure`.',
    errors: [...errors, 'invalid_point_amount'],
  },
  expireSandboxEstimate: {
    tag,
    summary: 'Let an estimate expire',
    description:
      'Expires an estimate as if its 24 hours were over: from then on its look-up is `estimate_expired`. Its `expires_at` stays as it was computed. A linked estimate no longer expires. The request has no body.',
    errors: [...errors, 'estimate_not_found'],
  },
  sendSandboxEvent: {
    tag,
    summary: 'Send a sample of an event',
    description:
      'Signs a sample and sends it at once to your endpoints, with one attempt each and with a fault on request. The sample has `sample: true` in `data` and no sequence. You may send 60 samples a minute.',
    errors,
    notFound: endpointNotFound(),
  },
  closeSandboxSettlement: {
    tag,
    summary: 'Close the open settlement',
    description:
      'Closes the open settlement at the time of your clock, opens the next one, and sends both events. The request has no body.',
    errors,
  },
  postSandboxAdjustment: {
    tag,
    summary: 'Post an adjustment',
    description:
      'Drafts, approves and posts an adjustment at once, without a second person. An adjustment never allows the partner to restore points.',
    errors,
    notFound: ownContributionNotFound(),
  },
  makeSandboxImpactBatch: {
    tag,
    summary: 'Make or advance an impact batch',
    description:
      'Pools closed settlements of yours in a new impact batch, or takes one that you made, and advances it to `status` with an event for every step.',
    errors,
    notFound: ownSettlementNotFound(),
  },
  getSandboxReadiness: {
    tag,
    summary: 'Check whether you are ready for production',
    description:
      'Shows what your requests in the sandbox have proved, with the evidence, and what to do for the rest. With `since`, only by what began at that time or later.',
    errors: ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited', 'internal_service_unavailable'],
  },
  advanceSandboxClock: {
    tag,
    summary: 'Advance your clock',
    description:
      'Advances the clock for you alone: estimates and pending contributions expire, and settlements close. The clock may be five years ahead in all.',
    errors,
  },
} as const satisfies Record<string, OperationText>;
