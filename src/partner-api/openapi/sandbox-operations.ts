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

/** What the reference says of the paths of the sandbox. */
export const SANDBOX_OPERATIONS = {
  resolveSandboxContribution: {
    tag,
    summary: 'End a pending contribution',
    description: 'As an operator does in production: confirmed or failed, for good, with its event.',
    errors: [...errors, 'contribution_not_found'],
  },
  expireSandboxEstimate: {
    tag,
    summary: 'Let an estimate expire',
    description: 'As if its 24 hours were over. A linked estimate no longer expires. Takes no body.',
    errors: [...errors, 'estimate_not_found'],
  },
  sendSandboxEvent: {
    tag,
    summary: 'Send a sample of an event',
    description:
      'Signed and sent at once to your endpoints, one attempt each, with a fault on request. It carries `sample: true` in `data` and no sequence. At most 60 samples a minute.',
    errors,
  },
  closeSandboxSettlement: {
    tag,
    summary: 'Close the open settlement',
    description: 'Early, at the time of your clock; the next one opens. Both events are sent. Takes no body.',
    errors,
  },
  postSandboxAdjustment: {
    tag,
    summary: 'Post an adjustment',
    description: 'Drafted, approved and posted at once, without a second person. It never authorises a restoration of points.',
    errors,
  },
  makeSandboxImpactBatch: {
    tag,
    summary: 'Make or advance an impact batch',
    description:
      'Pools closed settlements of yours in a batch of your own and takes it as far as `status` says, with an event for every step, or does so with a batch that you made.',
    errors,
  },
  getSandboxReadiness: {
    tag,
    summary: 'Check whether you are ready for production',
    description: 'What your own traffic in the sandbox has shown, each with its evidence, and what to do for the rest.',
    errors: ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited', 'internal_service_unavailable'],
  },
  advanceSandboxClock: {
    tag,
    summary: 'Advance your clock',
    description:
      'Moves what is due by time for you alone: estimates and pending contributions expire, settlements close. Five years in all.',
    errors,
  },
} as const satisfies Record<string, OperationText>;
