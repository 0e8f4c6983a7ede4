import type { Actor } from '../../domain/access/role.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { closesAt } from '../../domain/settlements/closing-delay.ts';
import { eachPartner } from '../../store/access/partner.ts';
import { readClock } from '../../store/clock.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { NodeReader } from '../../store/node-reader.ts';
import { listOpenSettlements } from '../../store/settlements/settlement.ts';
import { inTransaction } from '../../store/transaction.ts';
import { forEachPartner } from '../for-each-partner.ts';
import { type ClosingRequest, closeSettlement } from './close-settlement.ts';
import { openFirstSettlement } from './open-settlement.ts';
import { RefusedClosings } from './refused-closings.ts';
import type { SettlementTools } from './settlement-tools.ts';

const LOCK_TIMEOUT_MS = 1_000;

export interface DueOptions {
  readonly signal: AbortSignal;
  /** Replaces the database's clock in tests. */
  readonly now?: Date | undefined;
  /** What earlier calls with it met is left alone for a while; without it, nothing is. */
  readonly refused?: RefusedClosings | undefined;
}

/**
 * Opens the first settlement of each partner that has none, and closes every settlement that is due, missed months one after another.
 * Repeatable, and safe in several processes at once. A failure for one partner does not stop the others.
 *
 * @returns How many first settlements were opened, and how many were closed.
 * @throws PartnersLeftError When some could not be closed, after all others were.
 */
export async function closeDueSettlements(
  database: Database,
  actor: Actor,
  tools: SettlementTools,
  { signal, now, refused = new RefusedClosings() }: DueOptions,
): Promise<{ opened: number; closed: number }> {
  const counts = { opened: 0, closed: 0 };
  const at = now ?? (await readClock(database.pool));
  const nodes = new NodeReader(database);
  const found = new Map((await listOpenSettlements(nodes)).map((open) => [open.partnerId, open]));
  const failed = (count: number) => `Settlements of ${pluralise(count, 'partner')} could not be closed.`;
  await forEachPartner(nodes, eachPartner(database.pool), { signal, failed }, async (partner) => {
    const { partnerId } = partner;
    const close = () => closeBacklog(database, actor, { partnerId, isEarly: false, now }, { tools, signal });
    const open = found.get(partnerId);
    if (!open) {
      const openFirst = (db: Queryable) => openFirstSettlement(db, partner, actor.correlationId);
      counts.opened += Number(await inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, openFirst));
      counts.closed += await close();
    } else if (closesAt(open) <= at) counts.closed += await refused.attempt(open, close);
  });
  return counts;
}

/** @returns How many were closed. */
async function closeBacklog(
  database: Database,
  actor: Actor,
  due: ClosingRequest,
  { tools, signal }: { readonly tools: SettlementTools; readonly signal: AbortSignal },
): Promise<number> {
  for (let closed = 0; ; closed++) if (signal.aborted || !(await closeSettlement(database, actor, due, tools))) return closed;
}
