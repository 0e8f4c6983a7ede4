import { forEachSettled } from '../../concurrency/for-each-settled.ts';
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
import type { Database } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';

/** Few enough to be read well within a statement's time. */
const EVENTS_AT_ONCE = 5_000n;

/**
 * On a cluster partners are added up by different nodes, and each statement has its way there. One connection of the operators' is left to
 * those who read meanwhile.
 */
const PARTNERS_AT_ONCE = 3;

/** `all`: everything that had a number when it began is in the totals. `by others`: the rest is being added up by another process. */
export type AddedUp = 'all' | 'by others' | 'in part';

interface AddUpTerms {
  /** Asked between parts: whether to leave the rest to the next time. */
  readonly isOver: () => boolean;
  /** Whether to wait for others who add up the same partner; then nothing is left to them. */
  readonly waits?: boolean;
}

/** The partner that was begun last: the next time begins behind it, so that everybody has a turn however short the times are. */
const lastBegun = new WeakMap<Database, string>();

/**
 * Adds up what was confirmed and what failed, by days, behind the confirmations: each event once, however many processes do so at once.
 *
 * @returns `in part` when it left something.
 * @throws AggregateError When some partners could not be added up, after all others were, or the time was over.
 */
export async function addUpDays(database: Database, terms: AddUpTerms): Promise<AddedUp> {
  const outcomes = new Set<AddedUp>();
  const failed = (count: number) => `The days of ${pluralise(count, 'partner')} could not be added up.`;
  const behind = inTurn(await listPartnersBehind(database.pool), lastBegun.get(database) ?? '');
  await forEachSettled(behind, { failed, atOnce: database.isDistributed ? PARTNERS_AT_ONCE : 1 }, async (partner) => {
    outcomes.add(terms.isOver() ? 'in part' : await addUpPartner(database, partner, terms));
  });
  if (outcomes.has('in part')) return 'in part';
  return outcomes.has('by others') ? 'by others' : 'all';
}

/** From the one after a partner on, and round to it. */
function inTurn(partners: readonly PartnerBehind[], lastId: string): PartnerBehind[] {
  return [...partners.filter(({ partnerId }) => partnerId > lastId), ...partners.filter(({ partnerId }) => partnerId <= lastId)];
}

async function addUpPartner(database: Database, partner: PartnerBehind, terms: AddUpTerms): Promise<AddedUp> {
  lastBegun.set(database, partner.partnerId);
  do {
    const through = await addUp(database, partner, terms);
    if (through === undefined) return 'by others';
    if (through >= partner.last) return 'all';
  } while (!terms.isOver());
  return 'in part';
}

/** @returns The number up to which events are added up; `undefined` where somebody else is at it. */
async function addUp(
  database: Database,
  { partnerId, last, isNew }: PartnerBehind,
  { waits = false }: AddUpTerms,
): Promise<bigint | undefined> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db, { finalStatement }) => {
    if (isNew) await insertDayTotalPlace(db, partnerId);
    const [after, partner] = await Promise.all([holdDayTotals(db, partnerId, waits), findPartner(db, partnerId)]);
    if (after === undefined || after >= last) return after;
    const through = last - after > EVENTS_AT_ONCE ? after + EVENTS_AT_ONCE : last;
    const sums = await sumEventsByDay(db, { partnerId, after, through, timeZone: partner?.timeZone ?? 'UTC' });
    await finalStatement(() => addDayTotals(db, { partnerId, sums, through }));
    return through;
  });
}
