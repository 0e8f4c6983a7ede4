/** Who takes part in the experiment. */
import type { Database } from '../../src/store/database.ts';
import type { Exchange } from '../harness/exchange.ts';
import type { Installation } from '../harness/installation.ts';
import type { Intent } from '../harness/intent.ts';
import type { Partner } from '../harness/partner.ts';
import type { Violations } from '../harness/report.ts';
import type { ArrivalLog } from './arrival-log.ts';
import type { Fault } from './faults.ts';
import type { KillerOverTime } from './killer-over-time.ts';
import type { Receivers } from './receivers.ts';
import type { TestNetwork } from './test-network.ts';

export interface Experiment extends Tools {
  readonly members: readonly Member[];
  readonly arrivalLog: ArrivalLog;
  readonly killer: KillerOverTime;
  /** How long the service kept connections to receivers that give no end of their answer, by what these do. */
  readonly longestHeldMs: ReadonlyMap<string, number>;
}

export interface Tools {
  readonly installation: Installation;
  readonly database: Database;
  readonly groups: ReceiverGroups;
  readonly network: TestNetwork;
  readonly report: Violations['report'];
}

/** The receivers, in two processes: what the faulty ones hold open costs the others nothing. */
export interface ReceiverGroups {
  readonly healthy: Receivers;
  readonly faulty: Receivers;
}

export interface Member {
  readonly partnerId: string;
  readonly exchange: Exchange;
  /** The partner's server, which sends confirmations and recovers by the contract. */
  readonly server: Partner;
  readonly intents: readonly Intent[];
  /** When a contribution was begun and when it was settled, by partner event id. */
  readonly times: Map<string, { readonly begunAtMs: number; settledAtMs: number }>;
  readonly endpoints: readonly Endpoint[];
}

export interface Endpoint {
  readonly number: number;
  readonly endpointId: string;
  /** Where its receiver runs. */
  readonly receivers: Receivers;
  /** What it does in each of the stages; empty for a healthy one. */
  readonly faults: readonly Fault[];
  /** Whether it becomes healthy at the end. */
  readonly isHealed: boolean;
}

/** An endpoint that must have got every event of its partner at the end. */
export function mustHaveAll({ faults, isHealed }: Endpoint): boolean {
  return faults.length === 0 || isHealed;
}
