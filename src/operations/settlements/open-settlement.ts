import { newId } from '../../domain/identifiers.ts';
import { calendarPeriod } from '../../domain/settlements/settlement-period.ts';
import { type SettlementTotals, totalsOfSums } from '../../domain/settlements/settlement-totals.ts';
import type { Partner } from '../../store/access/partner.ts';
import type { Queryable } from '../../store/database.ts';
import { insertEvent } from '../../store/events/event.ts';
import { findSettlement, insertSettlement, type NewSettlement, type Settlement } from '../../store/settlements/settlement.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { type SettlementView, settlementToData } from '../../wire/settlement-to-wire.ts';

const NOTHING: SettlementTotals = totalsOfSums({ contributions: [], adjustments: [] });

/**
 * Opens the first settlement of a partner, in the caller's transaction: for the calendar month in which the partner was created, so that
 * missed months are closed one after another.
 *
 * @returns Whether it was opened; otherwise the partner has one.
 */
export async function openFirstSettlement(db: Queryable, partner: Partner, correlationId: string): Promise<boolean> {
  const { partnerId, createdAt, currency } = partner;
  const period = calendarPeriod(createdAt, partner.timeZone);
  const first: NewSettlement = {
    partnerId,
    settlementId: newId('stl'),
    sequence: 1n,
    period,
    followsEvent: 0n,
    createdAt,
    seal: null,
  };
  if (!(await insertSettlement(db, first))) return false;
  await enqueueOpenedEvent(db, { settlement: asOpened(first), totals: NOTHING, currency, asOf: createdAt }, correlationId);
  return true;
}

/** A settlement as it is right after its opening. */
export function asOpened(settlement: NewSettlement): Settlement {
  const acknowledgement = { status: 'pending', acknowledgedAt: null, reference: null, note: null } as const;
  return { ...settlement, status: 'open', closedAt: null, totals: null, currency: null, statement: null, acknowledgement };
}

export async function enqueueOpenedEvent(db: Queryable, shown: SettlementView, correlationId: string): Promise<void> {
  await enqueueEvent(db, 'settlement.created', shown, correlationId);
}

export async function enqueueClosedEvent(db: Queryable, shown: SettlementView, correlationId: string): Promise<void> {
  await enqueueEvent(db, 'settlement.closed', shown, correlationId);
}

async function enqueueEvent(db: Queryable, eventType: string, shown: SettlementView, correlationId: string): Promise<void> {
  const { partnerId, settlementId } = shown.settlement;
  const data = exactJson({ settlement: settlementToData(shown) });
  await insertEvent(db, { partnerId, eventId: newId('evt'), eventType, subjectId: settlementId, correlationId, data });
}

/** The settlement as the database has it now. */
export async function reread(db: Queryable, { partnerId, settlementId }: Settlement): Promise<Settlement> {
  const found = await findSettlement(db, partnerId, settlementId);
  if (!found) throw new Error(`The settlement ${settlementId} does not exist.`);
  return found;
}
