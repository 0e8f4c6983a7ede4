import { pluralise } from '../../domain/pluralise.ts';
import { findPartner } from '../../store/access/partner.ts';
import {
  addDayTotals,
  holdDayTotals,
  insertDayTotalPlace,
  listPartnersBehind,
  type PartnerBehind,
  sumEventsByDay,
} from '../../store/contributions/day-total.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { findNextSequence } from '../../store/events/event.ts';
import { NodeReader } from '../../store/node-reader.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { forEachPartner } from '../for-each-partner.ts';

/** Few enough to be read well within a statement's time. */
const EVENTS_AT_ONCE = 5_000n;

/**
 * On a cluster partners are added up by different nodes, and each statement has its way there. One connection of the operators' is left to
 * those who read meanwhile.
 */
const PARTNERS_AT_ONCE = 3;

/** `all`: everything that had a sequence when it began is in the totals. `by others`: the rest is being added up by another process. */
export type AddedUp = 'all' | 'by others' | 'in part';

interface AddUpOptions {
  /** Asked between parts: whether to leave the rest to the next time. */
  readonly isOver: () => boolean;
  /** Whether to wait for others who add up the same partner; then nothing is left to them. */
  readonly waits?: boolean;
}

/** The partner that was begun last: the next time begins behind it, so that everybody has a turn however short the times are. */
const lastBegun = new WeakMap<Database, string>();

/** Who asks every few seconds knows which nodes did not answer a moment ago. */
const nodesOf = new WeakMap<Database, NodeReader>();

/**
 * Adds up what was confirmed and what failed, by days, behind the confirmations: each event once, however many processes do so at once.
 *
 * @returns `in part` when it left something.
 * @throws PartnersLeftError When some partners could not be added up, after all others were, or the time was over.
 */
export async function addUpDays(database: Database, options: AddUpOptions): Promise<AddedUp> {
  const outcomes = new Set<AddedUp>();
  const failed = (count: number) => `The days of ${pluralise(count, 'partner')} could not be added up.`;
  const nodes = options.waits ? new NodeReader(database) : sharedNodesOf(database);
  const behind = inTurn(await listPartnersBehind(nodes), lastBegun.get(database) ?? '');
  await forEachPartner(nodes, behind, { failed, atOnce: database.isDistributed ? PARTNERS_AT_ONCE : 1 }, async (partner) => {
    outcomes.add(options.isOver() ? 'in part' : await addUpPartner(database, partner, options));
  });
  if (outcomes.has('in part')) return 'in part';
  return outcomes.has('by others') ? 'by others' : 'all';
}

function sharedNodesOf(database: Database): NodeReader {
  const nodes = nodesOf.get(database) ?? new NodeReader(database);
  nodesOf.set(database, nodes);
  return nodes;
}

/** From the one after a partner on, and round to it. */
function inTurn(partners: readonly PartnerBehind[], lastId: string): PartnerBehind[] {
  const sorted = partners.toSorted((one, other) => (one.partnerId < other.partnerId ? -1 : 1));
  return [...sorted.filter(({ partnerId }) => partnerId > lastId), ...sorted.filter(({ partnerId }) => partnerId <= lastId)];
}

async function addUpPartner(database: Database, partner: PartnerBehind, options: AddUpOptions): Promise<AddedUp> {
  lastBegun.set(database, partner.partnerId);
  do {
    const through = await addUp(database, partner, options);
    if (through === undefined) return 'by others';
    if (through >= partner.last) return 'all';
  } while (!options.isOver());
  return 'in part';
}

/** @returns The number up to which events are added up; `undefined` where somebody else is at it. */
async function addUp(
  database: Database,
  { partnerId, last, isNew }: PartnerBehind,
  { waits = false }: AddUpOptions,
): Promise<bigint | undefined> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db, { finalStatement }) => {
    if (isNew) await insertDayTotalPlace(db, partnerId);
    const [after, partner] = await Promise.all([holdDayTotals(db, partnerId, waits), findPartner(db, partnerId)]);
    if (after === undefined || after >= last) return after;
    const through = await findEndOfPart(db, { partnerId, after, last });
    const sums = await sumEventsByDay(db, { partnerId, after, through, timeZone: partner?.timeZone ?? 'UTC' });
    await finalStatement(() => addDayTotals(db, { partnerId, sums, through }));
    return through;
  });
}

/** After a restore a million numbers may have no event, and old events are removed: a part begins with the next event there is. */
async function findEndOfPart(
  db: Queryable,
  { partnerId, after, last }: { readonly partnerId: string; readonly after: bigint; readonly last: bigint },
): Promise<bigint> {
  if (last - after <= EVENTS_AT_ONCE) return last;
  const next = await findNextSequence(db, partnerId, after);
  if (next === undefined || last - next < EVENTS_AT_ONCE) return last;
  return next + EVENTS_AT_ONCE - 1n;
}
