import type { Database } from '../../store/database.ts';
import type { DatabaseOf } from '../connections-per-partner.ts';
import { adjustOnRequest, closeOnRequest, expireOnRequest, failOnRequest, resolveOnRequest } from './act-as-operator.ts';
import { advanceClock, type ClockTools, type WantedAdvance } from './advance-clock.ts';
import { makeImpactBatch, type WantedBatch } from './make-impact-batch.ts';
import type { SandboxCaller } from './sandbox-actor.ts';

type Rest<Operation> = Operation extends (
  database: Database,
  caller: SandboxCaller,
  wanted: infer Wanted,
  ...rest: never
) => infer Outcome
  ? (caller: SandboxCaller, wanted: Wanted) => Outcome
  : never;

/** The work of operators and of the schedule that a partner of a sandbox may request. */
export interface SandboxOperations {
  readonly resolve: Rest<typeof resolveOnRequest>;
  readonly fail: Rest<typeof failOnRequest>;
  readonly expire: Rest<typeof expireOnRequest>;
  readonly closeSettlement: (caller: SandboxCaller) => ReturnType<typeof closeOnRequest>;
  readonly adjust: (
    caller: SandboxCaller,
    wanted: Parameters<typeof adjustOnRequest>[2]['wanted'],
  ) => ReturnType<typeof adjustOnRequest>;
  readonly makeImpactBatch: (caller: SandboxCaller, wanted: WantedBatch) => ReturnType<typeof makeImpactBatch>;
  readonly advanceClock: (caller: SandboxCaller, wanted: WantedAdvance) => ReturnType<typeof advanceClock>;
}

export function sandboxOperations(databaseOf: DatabaseOf, tools: ClockTools): SandboxOperations {
  const { settlementTools } = tools;
  return {
    resolve: (caller, wanted) => resolveOnRequest(databaseOf(caller.partnerId), caller, wanted),
    fail: (caller, wanted) => failOnRequest(databaseOf(caller.partnerId), caller, wanted),
    expire: (caller, calculationId) => expireOnRequest(databaseOf(caller.partnerId), caller, calculationId),
    closeSettlement: (caller) => closeOnRequest(databaseOf(caller.partnerId), caller, settlementTools),
    adjust: (caller, wanted) => adjustOnRequest(databaseOf(caller.partnerId), caller, { wanted, tools: settlementTools }),
    makeImpactBatch: (caller, wanted) => makeImpactBatch(databaseOf(caller.partnerId), caller, wanted),
    advanceClock: (caller, wanted) => advanceClock(databaseOf(caller.partnerId), caller, wanted, tools),
  };
}
