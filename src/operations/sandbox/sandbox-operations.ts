import type { DatabaseOf } from '../connections-per-partner.ts';
import {
  adjustOnRequest,
  closeOnRequest,
  expireOnRequest,
  failOnRequest,
  type RequestedResolution,
  resolveOnRequest,
} from './act-as-operator.ts';
import { advanceClock, type ClockTools, type WantedAdvance } from './advance-clock.ts';
import { makeImpactBatch, type WantedBatch } from './make-impact-batch.ts';
import type { SandboxCaller } from './sandbox-actor.ts';

/** The work of operators and of the schedule that a partner of a sandbox may request. */
export type SandboxOperations = ReturnType<typeof sandboxOperations>;

export function sandboxOperations(databaseOf: DatabaseOf, tools: ClockTools) {
  const { settlementTools } = tools;
  return {
    resolve: (caller: SandboxCaller, wanted: RequestedResolution) =>
      resolveOnRequest(databaseOf(caller.partnerId), caller, wanted),
    fail: (caller: SandboxCaller, wanted: Parameters<typeof failOnRequest>[2]) =>
      failOnRequest(databaseOf(caller.partnerId), caller, wanted),
    expire: (caller: SandboxCaller, calculationId: string) =>
      expireOnRequest(databaseOf(caller.partnerId), caller, calculationId),
    closeSettlement: (caller: SandboxCaller) => closeOnRequest(databaseOf(caller.partnerId), caller, settlementTools),
    adjust: (caller: SandboxCaller, wanted: Parameters<typeof adjustOnRequest>[2]['wanted']) =>
      adjustOnRequest(databaseOf(caller.partnerId), caller, { wanted, tools: settlementTools }),
    makeImpactBatch: (caller: SandboxCaller, wanted: WantedBatch) =>
      makeImpactBatch(databaseOf(caller.partnerId), caller, wanted),
    advanceClock: (caller: SandboxCaller, wanted: WantedAdvance) =>
      advanceClock(databaseOf(caller.partnerId), caller, wanted, tools),
  };
}
