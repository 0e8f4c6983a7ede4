import { newId } from '../domain/identifiers.ts';
import type { Actor } from '../domain/role.ts';
import type { Database } from '../store/database.ts';

/** Whoever runs the command: the owner of the machine, who may do everything that takes one person. */
export async function currentActor(_database: Database): Promise<Actor> {
  return { operatorId: 'owner', role: 'admin', correlationId: newId('corr') };
}
