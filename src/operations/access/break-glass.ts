import { type Actor, OWNER_ID } from '../../domain/access/role.ts';
import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import { newId } from '../../domain/identifiers.ts';
import { listAuditEntries, listAuditEntriesAfter } from '../../store/audit/audit-entry.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { eachRow } from '../../store/each-page.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { requireAuditKeys } from '../audit/require-audit-keys.ts';
import { requireReason } from '../require-line.ts';

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
  return entries.filter(({ action }) => action === ACTION).map(useOf);
}

const ENTRIES_AT_ONCE = 1_000;

/**
 * Uses of `--break-glass` after this entry of the audit, the earliest first. Entries become visible in the order of their numbers.
 *
 * @returns With the number of the last entry of the audit.
 */
export async function listBreakGlassAfter(
  db: Queryable,
  afterNo: bigint,
): Promise<{ readonly uses: readonly UsedBreakGlass[]; readonly lastNo: bigint }> {
  const uses: UsedBreakGlass[] = [];
  let lastNo = afterNo;
  const read = (last: SealedEntry | undefined, limit: number) => listAuditEntriesAfter(db, last?.entryNo ?? afterNo, limit);
  for await (const entry of eachRow(ENTRIES_AT_ONCE, read)) {
    lastNo = entry.entryNo;
    if (entry.action === ACTION) uses.push(useOf(entry));
  }
  return { uses, lastNo };
}

/** The number of the entry before the first use since then; of the last entry when there is none. */
export async function findBreakGlassStart(db: Queryable, since: Date): Promise<bigint> {
  const [newest] = await listAuditEntries(db, { limit: 1 });
  const first = (await listBreakGlass(db, since)).at(-1);
  return first ? first.entryNo - 1n : (newest?.entryNo ?? 0n);
}

function useOf({ entryNo, recordedAt, correlationId, after }: SealedEntry): UsedBreakGlass {
  return { ...readRecord(after), entryNo, recordedAt, correlationId };
}

/** An edited row may be no JSON. */
function readRecord(text: string | null): Partial<BreakGlass> {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
}
