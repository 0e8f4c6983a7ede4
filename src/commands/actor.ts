import { newId } from '../domain/identifiers.ts';
import type { Actor } from '../domain/role.ts';
import type { Database } from '../store/database.ts';

/** Whoever runs this command: on the machine itself, its owner. */
export async function currentActor(_database: Database): Promise<Actor> {
  return { operatorId: 'owner', role: 'admin', correlationId: newId('corr') };
}
