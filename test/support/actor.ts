import { newId } from '../../src/domain/identifiers.ts';
import { newNamedKey } from '../../src/domain/named-key.ts';
import type { Actor, Role } from '../../src/domain/role.ts';

/** The owner of the machine, as on its command line. */
export const OWNER: Actor = { operatorId: 'owner', role: 'admin', correlationId: 'corr_of_the_owner' };

/** Somebody who signed in, another one each time. */
export function signedIn(role: Role): Actor {
  return { operatorId: newId('opr'), role, correlationId: newId('corr') };
}

const KEY = newNamedKey('test');

/** For a connection that a test opens by itself. */
export const auditKeys = () => [KEY];
