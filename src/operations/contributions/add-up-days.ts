import { findPartner } from '../../store/access/partner.ts';
import { addDayTotals, holdDayTotals, listPartnersBehind, sumEventsByDay } from '../../store/contributions/day-total.ts';
import type { Database } from '../../store/database.ts';
import { findLastSequence } from '../../store/events/event.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';

/** More partners than there are: one reading lists all that have events to add up. */
const PARTNERS_MAX = 1_000_000;
/** Few enough to be read well within a statement's time. */
const EVENTS_AT_ONCE = 5_000n;

/** `all`: everything that had a number when it began is in the totals. `by others`: the rest is being added up by another process. */
export type AddedUp = 'all' | 'by others' | 'in part';

interface AddUpTerms {
  /** Asked between parts: whether to leave the rest to the next time. */
  readonly isOver: () => boolean;
  /** Whether to wait for others who add up the same partner; then nothing is left to them. */
  readonly waits?: boolean;
}

/**
 * Adds up what was confirmed and what failed, by days, behind the confirmations: each event once, however many processes do so at once.
 *
 * @returns `in part` when it left something.
 */
export async function addUpDays(database: Database, terms: AddUpTerms): Promise<AddedUp> {
  let addedUp: AddedUp = 'all';
  for (const partnerId of await listPartnersBehind(database.pool, PARTNERS_MAX)) {
    const ofPartner = await addUpPartner(database, partnerId, terms);
    if (ofPartner === 'in part') return ofPartner;
    if (ofPartner === 'by others') addedUp = ofPartner;
  }
  return addedUp;
}

async function addUpPartner(database: Database, partnerId: string, { isOver, waits = false }: AddUpTerms): Promise<AddedUp> {
  const last = await findLastSequence(database.pool, partnerId);
  const partner = await findPartner(database.pool, partnerId);
  while (!isOver()) {
    const through = await addUp(database, { partnerId, timeZone: partner?.timeZone ?? 'UTC', waits });
    if (through === undefined) return 'by others';
    if (through >= last) return 'all';
  }
  return 'in part';
}

/** @returns The number up to which events are added up; `undefined` where somebody else is at it. */
async function addUp(
  database: Database,
  { partnerId, timeZone, waits }: { readonly partnerId: string; readonly timeZone: string; readonly waits: boolean },
): Promise<bigint | undefined> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const after = await holdDayTotals(db, partnerId, waits);
    if (after === undefined) return undefined;
    const last = await findLastSequence(db, partnerId);
    if (last <= after) return after;
    const through = last - after > EVENTS_AT_ONCE ? after + EVENTS_AT_ONCE : last;
    const sums = await sumEventsByDay(db, { partnerId, after, through, timeZone });
    await addDayTotals(db, { partnerId, sums, through });
    return through;
  });
}
