import { type Actor, OWNER_ID } from '../../domain/access/role.ts';
import { newId } from '../../domain/identifiers.ts';
import { listAuditEntries } from '../../store/audit/audit.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { requireAuditKeys } from '../audit/require-audit-keys.ts';
import { requireReason } from '../require-reason.ts';

const ACTION = 'owner.break-glass';

/** Who acted as the owner of the machine although there is an admin, and why, as far as it is known. */
export interface BreakGlass {
  readonly reason: string;
  /** The account of the machine, whose name its administrator may have chosen. */
  readonly user: string;
  readonly machine: string;
}

/**
 * The owner account for one command, whoever is signed in: the way back when no admin can help. The audit entry is written before
 * anything else, and stays when the command fails. `audit/act-as-owner.ts` says when the owner account may act without it.
 *
 * @throws ServiceError `invalid_request` without a reason.
 */
export async function breakGlass(database: Database, why: BreakGlass): Promise<Actor> {
  requireReason(why.reason);
  await requireAuditKeys(database);
  const actor: Actor = { operatorId: OWNER_ID, role: 'admin', breaksGlass: true, correlationId: newId('corr') };
  const entry = { action: ACTION, partnerId: null, subjectId: OWNER_ID, before: null, after: { ...why } };
  await inTransaction(database, USUAL_LOCK_TIMEOUT, (db) => audit(db, actor, entry));
  return actor;
}

export interface UsedBreakGlass extends Partial<BreakGlass> {
  readonly entryNo: bigint;
  readonly recordedAt: Date;
  readonly correlationId: string;
}

/** A sentence about one use of `--break-glass`. */
export function explainBreakGlass({ entryNo, recordedAt, user, machine, reason }: UsedBreakGlass): string {
  const when = `entry ${entryNo} of the audit, ${recordedAt.toISOString()}`;
  return `--break-glass (${when}): ${user} on ${machine} acted for the owner account, because "${reason}"`;
}

/** Uses of `--break-glass` since a time, the latest first. */
export async function listBreakGlass(db: Queryable, since: Date): Promise<UsedBreakGlass[]> {
  const entries = await listAuditEntries(db, { subjectId: OWNER_ID, since, limit: 1_000 });
  return entries
    .filter(({ action }) => action === ACTION)
    .map(({ entryNo, recordedAt, correlationId, after }) => ({ ...readRecord(after), entryNo, recordedAt, correlationId }));
}

/** An edited row may be no JSON. */
function readRecord(text: string | null): Partial<BreakGlass> {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
}
