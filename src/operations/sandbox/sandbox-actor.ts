import type { Actor } from '../../domain/access/role.ts';
import type { Database } from '../../store/database.ts';
import { findInstallation } from '../../store/installation.ts';
import type { Work } from '../access/answer-once.ts';

/** A partner's key that asks, in a sandbox, for what operators do. */
export interface SandboxCaller {
  readonly partnerId: string;
  readonly keyId: string;
  readonly correlationId: string;
  /** What the request's key stands for. */
  readonly work: Work;
}

/** As the audit names it: the key, which does an operator's work on records of its own partner. */
export function actorOf({ keyId, correlationId }: SandboxCaller): Actor {
  return { operatorId: keyId, role: 'admin', correlationId, standsForTwo: true };
}

/** The second of two people, who is nobody here. */
export function secondActorOf(caller: SandboxCaller): Actor {
  return { ...actorOf(caller), operatorId: 'sandbox' };
}

/** The routes are not there in production; this is what stands behind that. */
export async function requireSandbox({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const installation = await findInstallation(pool);
  if (installation?.environment !== 'sandbox') throw new Error('Only a sandbox does on request what operators do.');
}
