import { advanceSandboxClock } from './advance-clock.ts';
import { closeSandboxSettlement } from './close-settlement.ts';
import { expireSandboxEstimate } from './expire-estimate.ts';
import { getSandboxReadiness } from './get-readiness.ts';
import { makeSandboxImpactBatch } from './make-impact-batch.ts';
import { postSandboxAdjustment } from './post-adjustment.ts';
import { recordSandboxFailure } from './record-failure.ts';
import { resolveSandboxContribution } from './resolve-contribution.ts';
import { sendSandboxEvent } from './send-sample-event.ts';

/** Production has none of these routes. */
export const SANDBOX_ROUTES = [
  resolveSandboxContribution,
  recordSandboxFailure,
  expireSandboxEstimate,
  sendSandboxEvent,
  closeSandboxSettlement,
  postSandboxAdjustment,
  makeSandboxImpactBatch,
  advanceSandboxClock,
  getSandboxReadiness,
] as const;
