import type { Actor } from '../domain/role.ts';
import { type Database, inTransaction } from '../store/database.ts';
import { eachPartner } from '../store/partner.ts';
import { listOpenSettlements, readClock } from '../store/settlement.ts';
import { type Closing, closeSettlement } from './close-settlement.ts';
import { openFirstSettlement } from './open-settlement.ts';
import type { SettlementTools } from './settlement-tools.ts';

const LOCK_TIMEOUT_MS = 1_000;

export interface DueOptions {
  readonly signal: AbortSignal;
  /** Instead of the database's clock. */
  readonly now?: Date | undefined;
}

/**
 * Opens the first settlement of each partner that has none, and closes every settlement whose time has come, months that were missed one
 * after the other. Repeatable, and safe in several processes at once. What fails for one partner holds up no other.
 *
 * @returns How many were opened as a partner's first, and how many closed.
 * @throws AggregateError When some could not be closed, after all others were.
 */
export async function closeDueSettlements(
  database: Database,
  actor: Actor,
  tools: SettlementTools,
  { signal, now }: DueOptions,
): Promise<{ opened: number; closed: number }> {
  const failures: unknown[] = [];
  const counts = { opened: 0, closed: 0 };
  const at = now ?? (await readClock(database.pool));
  const ends = new Map((await listOpenSettlements(database.pool)).map(({ partnerId, endsAt }) => [partnerId, endsAt]));
  for await (const partner of eachPartner(database.pool)) {
    if (signal.aborted) break;
    try {
      const endsAt = ends.get(partner.partnerId);
      if (endsAt === undefined) {
        const open = () =>
          inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, (db) =>
            openFirstSettlement(db, partner, actor.correlationId),
          );
        counts.opened += Number(await open());
      }
      if (endsAt === undefined || endsAt <= at)
        counts.closed += await closeBacklog(
          database,
          actor,
          { partnerId: partner.partnerId, isEarly: false, now },
          { tools, signal },
        );
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `Settlements of ${failures.length} partners could not be closed.`);
  return counts;
}

/** @returns How many were closed. */
async function closeBacklog(
  database: Database,
  actor: Actor,
  due: Closing,
  { tools, signal }: { readonly tools: SettlementTools; readonly signal: AbortSignal },
): Promise<number> {
  for (let closed = 0; ; closed++) if (signal.aborted || !(await closeSettlement(database, actor, due, tools))) return closed;
}
