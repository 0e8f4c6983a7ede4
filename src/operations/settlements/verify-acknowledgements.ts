import { formatValue } from '../../domain/settlements/compare-with-line.ts';
import type { Queryable } from '../../store/database.ts';
import type { Settlement } from '../../store/settlements/settlement.ts';
import { type AcknowledgementRecord, listAcknowledgements } from '../../store/settlements/settlement-acknowledgement.ts';
import { ACKNOWLEDGE, acknowledgementRecord } from './acknowledge-settlement.ts';
import { listSettlementEntries } from './list-settlement-entries.ts';

/** An acknowledgement that is not as the service recorded it. */
export interface AcknowledgementProblem {
  readonly code: 'acknowledgement_changed' | 'acknowledgement_removed' | 'acknowledgement_unrecorded';
  readonly message: string;
}

type Kept = ReturnType<typeof acknowledgementRecord>;

/**
 * Compares the acknowledgements of a settlement with their audit entries. The audit chain verifies the entries themselves. A partner may
 * acknowledge meanwhile: record and entry are committed together and never change, so no lock is needed.
 */
export async function verifyAcknowledgements(db: Queryable, settlement: Settlement): Promise<AcknowledgementProblem[]> {
  const before = await listAcknowledgements(db, settlement);
  const kept = await listKept(db, settlement);
  const after = kept.length > before.length ? await listAcknowledgements(db, settlement) : before;
  return [
    ...kept.flatMap((entry) => compare(entry, after)),
    ...before.filter(({ status }) => !kept.some((entry) => entry.status === status)).map(unrecorded),
  ];
}

async function listKept(db: Queryable, { settlementId }: Settlement): Promise<Kept[]> {
  const entries = await listSettlementEntries(db, settlementId);
  return entries
    .filter(({ action }) => action === ACKNOWLEDGE)
    .map(({ after }) => JSON.parse(after ?? '{}') as Kept)
    .reverse();
}

function compare(kept: Kept, recorded: readonly AcknowledgementRecord[]): AcknowledgementProblem[] {
  const subject = `The acknowledgement ${formatValue(kept.status)}`;
  const record = recorded.find(({ status }) => status === kept.status);
  if (!record) return [{ code: 'acknowledgement_removed', message: `${subject} was recorded, but the row was removed.` }];
  const now = acknowledgementRecord(record);
  const differing = (Object.keys(now) as (keyof Kept)[]).filter((field) => now[field] !== kept[field]);
  if (differing.length === 0) return [];
  const reported = differing.map(
    (field) => `${field} is ${formatValue(now[field])}, but ${formatValue(kept[field] ?? null)} was recorded`,
  );
  return [{ code: 'acknowledgement_changed', message: `${subject}: ${reported.join('; ')}.` }];
}

function unrecorded({ status }: AcknowledgementRecord): AcknowledgementProblem {
  const message = `The acknowledgement ${formatValue(status)} is not in the audit: it was inserted in the database, or an older release recorded it without an audit entry.`;
  return { code: 'acknowledgement_unrecorded', message };
}
