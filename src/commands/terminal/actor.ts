import { hostname, userInfo } from 'node:os';
import { type Actor, OWNER_ID } from '../../domain/access/role.ts';
import { newId } from '../../domain/identifiers.ts';
import { breakGlass } from '../../operations/access/break-glass.ts';
import { requireOwnerMayAct } from '../../operations/audit/act-as-owner.ts';
import type { Database } from '../../store/database.ts';
import { breakGlassReason } from './break-glass.ts';
import { printNotice } from './output.ts';
import { findSignedIn } from './signed-in.ts';

/**
 * Who gives this command: the operator who signed in on this machine, with the current role; otherwise the owner account, while it may
 * act. After a sign-in that has ended nobody becomes the owner.
 *
 * @throws ServiceError `unauthorized` for a sign-in that has ended, `forbidden` for a disabled operator, and for the owner of a
 * production machine.
 */
export async function currentActor(database: Database): Promise<Actor> {
  const reason = breakGlassReason();
  if (reason !== undefined) return ownerByBreakGlass(database, reason);
  const signedIn = await findSignedIn(database);
  if (signedIn) return signedIn.actor;
  await requireOwnerMayAct(database.pool);
  return owner();
}

async function ownerByBreakGlass(database: Database, reason: string): Promise<Actor> {
  const actor = await breakGlass(database, { reason, user: nameOfUser(), machine: hostname() });
  printNotice(
    `BREAK-GLASS: this command acts for the owner account (${actor.correlationId}). The audit records the reason, the service logs it, doctor shows it.`,
  );
  return actor;
}

/** The system knows no name of the user whom a container was told to run as. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/**
 * The account that has the machine and its database. In a sandbox one-person commands need no sign-in. The owner account never counts as
 * one of two operators.
 */
export function owner(): Actor {
  return { operatorId: OWNER_ID, role: 'admin', correlationId: newId('corr') };
}
