import { newId } from '../domain/identifiers.ts';
import type { Actor } from '../domain/role.ts';
import { authenticateOperator } from '../operations/sign-in.ts';
import type { Database } from '../store/database.ts';
import { openTokenFile } from './token-file.ts';

/**
 * Who gives this command: the operator who signed in on this machine, with the role of this moment, else the owner of the machine.
 * A sign-in that has ended makes nobody the owner.
 *
 * @throws ServiceError `unauthorized` for a sign-in that has ended, `forbidden` for an operator who is disabled.
 */
export async function currentActor(database: Database): Promise<Actor> {
  const token = (await openTokenFile(database)).read();
  return token === undefined ? owner() : (await authenticateOperator(database, token)).actor;
}

/** Whoever has the machine and its database needs no sign-in for what takes one person, and never counts where it takes two. */
export function owner(): Actor {
  return { operatorId: 'owner', role: 'admin', correlationId: newId('corr') };
}
