import { newId } from '../domain/identifiers.ts';
import type { Actor } from '../domain/role.ts';
import type { Database } from '../store/database.ts';

/** Whoever has the machine and its database needs no sign-in for what takes one person. */
export async function currentActor(_database: Database): Promise<Actor> {
  return owner();
}

/** The owner of the machine, on its command line. */
export function owner(): Actor {
  return { operatorId: 'owner', role: 'admin', correlationId: newId('corr') };
}
