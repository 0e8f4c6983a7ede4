import type { Actor, Role } from '../../src/domain/role.ts';
import { uniqueId } from './client.ts';

/** A person with this role who is signed in; another one in each call. */
export function actorOf(role: Role): Actor {
  return { operatorId: uniqueId('opr'), role, correlationId: uniqueId('corr-of-operator') };
}

/** Whoever is at the machine's command line without a sign-in. */
export const OWNER: Actor = { operatorId: 'owner', role: 'admin', correlationId: 'corr-of-the-owner' };
