import type { Random } from '../harness/random.ts';
import type { Attacker } from './attacker.ts';

/** One way of taking the service away from the others. */
export interface Attack {
  /** Also the name of its file. */
  readonly name: string;
  readonly sends: string;
  /** As many as it has open at once. */
  readonly connections: number;
  /** How many settled contributions the partner has whose key it has; without it the partner has no closed settlement. */
  readonly settledContributions?: number;
  /** Ends when the attacker's signal does, at the latest. */
  run(target: Target): Promise<void>;
  /** It shows nothing in a shorter time. */
  readonly secondsMin?: number;
}

/** What an attack is given. */
export interface Target {
  readonly attacker: Attacker;
  /** As many as it may open: {@link Attack.connections}, or fewer. */
  readonly connections: number;
  /** Of a partner with the rates that a partner has by default. */
  readonly apiKey: string;
  /** The closed settlement of that partner; empty where the attack asks for none. */
  readonly settlementId: string;
  readonly operationsPort: number;
  readonly random: Random;
  revokeKey(): Promise<void>;
  /** Of that partner; its receiver has to answer the challenge. */
  addEndpoint(url: string): Promise<void>;
  /** What is wrong beside what the honest partner sees. */
  report(violation: string): void;
}
