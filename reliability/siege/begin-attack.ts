import type { Random } from '../harness/random.ts';
import type { Attack } from './attack.ts';
import { Attacker } from './attacker.ts';
import type { Partners } from './partners.ts';

export interface AttackOptions {
  readonly partners: Partners;
  readonly port: number;
  readonly operationsPort: number;
  readonly random: Random;
  /** As many as the attack wants, when left out. */
  readonly connectionsMax?: number;
  /** As many as the attack wants, when left out. */
  readonly contributionsMax?: number;
}

export interface RunningAttack {
  readonly attacker: Attacker;
  /** What is wrong beside what the honest partner sees. */
  readonly findings: readonly string[];
  /** Resolves when all its connections are gone. */
  end(): Promise<void>;
}

/** Prepares what the attack needs. @returns What starts it. */
export async function prepareAttack(attack: Attack, options: AttackOptions): Promise<() => RunningAttack> {
  const { partners, port, operationsPort, random, connectionsMax, contributionsMax } = options;
  const { settledContributions: wanted } = attack;
  const partner = await partners.make(wanted === undefined ? undefined : Math.min(wanted, contributionsMax ?? wanted));
  return () => {
    const attacker = new Attacker(port);
    const findings: string[] = [];
    const running = attack.run({
      attacker,
      operationsPort,
      random,
      connections: Math.min(attack.connections, connectionsMax ?? attack.connections),
      apiKey: partner.apiKey,
      settlementId: partner.settlementId,
      revokeKey: () => partners.revokeKey(partner),
      addEndpoint: (url) => partners.addEndpoint(partner, url),
      report: (finding) => findings.push(finding),
    });
    // Its failure is told by whoever ends it.
    running.catch(() => {});
    const end = async () => {
      attacker.end();
      await running;
    };
    return { attacker, findings, end };
  };
}
