import type { Actor } from '../../domain/access/role.ts';
import type { Database } from '../../store/database.ts';
import { findInstallation } from '../../store/installation.ts';
import type { Work } from '../answer-once.ts';

/** A partner's key that requests, in a sandbox, what operators do. */
export interface SandboxCaller {
  readonly partnerId: string;
  readonly keyId: string;
  readonly correlationId: string;
  /** The piece of work of the request's key. */
  readonly work: Work;
}

/** The actor in the audit: the key, which does an operator's work on records of its own partner. */
export function actorOf({ keyId, correlationId }: SandboxCaller): Actor {
  return { operatorId: keyId, role: 'admin', isPartner: true, correlationId, standsForTwo: true };
}

/** The second operator, whom a sandbox does not need. */
export function secondActorOf({ correlationId }: SandboxCaller): Actor {
  return { operatorId: 'sandbox', role: 'admin', correlationId, standsForTwo: true };
}

/** The routes do not exist in production; this check is a second barrier. */
export async function requireSandbox({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const installation = await findInstallation(pool);
  if (installation?.environment !== 'sandbox') throw new Error('Only a sandbox does on request what operators do.');
}
