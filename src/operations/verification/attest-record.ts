import type { Actor } from '../../domain/access/role.ts';
import { recordNotFound, type ServiceError } from '../../domain/service-error.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { type AttestedKind, AUDITED_KINDS } from '../audit/audited-kinds.ts';
import { IMPACT_BATCH } from '../impact/require-audited-batch.ts';
import { requireReason } from '../require-line.ts';
import { withRole } from '../with-role.ts';
import { requireAsShown, type ShownRecord } from './require-as-shown.ts';

// biome-ignore lint/suspicious/noExplicitAny: each is asked only for what it found itself.
export const ATTESTED_KINDS: readonly AttestedKind<any>[] = [
  ...AUDITED_KINDS.map((kind) => ({
    ...kind,
    find: async (db: Queryable, id: string) => (await kind.list(db, { afterId: '', ids: [id], limit: 1 }))[0],
  })),
  IMPACT_BATCH,
];

export interface RecordName {
  /** A name of {@link ATTESTED_KINDS}. */
  readonly kind: string;
  readonly id: string;
}

/**
 * A record in the form of the audit, verified or not.
 *
 * @throws ServiceError `invalid_request`, 404, when there is no such record.
 */
export async function getRecord(db: Queryable, { kind: name, id }: RecordName): Promise<object> {
  const kind = ATTESTED_KINDS.find((each) => each.name === name);
  const row = await kind?.find(db, id);
  if (!kind || !row) throw noSuchRecord({ kind: name, id });
  return kind.recordOf(row);
}

function noSuchRecord({ kind, id }: RecordName): ServiceError {
  return recordNotFound('id', `There is no ${kind} ${id} in the database.`);
}

/**
 * Writes an audit entry of a record as it is, on the word of an admin who has compared it with a backup: it is valid from then on,
 * whatever earlier entries say. Throws `forbidden`, and `invalid_request` when there is no such record, when it is not as it was shown, or
 * without a reason.
 *
 * @returns The record that was attested, as {@link getRecord}.
 */
export const attestRecord = withRole(
  'admin',
  async (database: Database, actor: Actor, { kind: name, id, ...asked }: RecordName & ShownRecord): Promise<object> => {
    const { reason } = asked;
    requireReason(reason);
    const kind = ATTESTED_KINDS.find((each) => each.name === name);
    const found = await kind?.find(database.pool, id);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const row = found && (await kind?.lock(db, found));
      if (!kind || !row) throw noSuchRecord({ kind: name, id });
      const about = { action: `${kind.action}.attest`, partnerId: kind.partnerIdOf(row), subjectId: id };
      const record = kind.recordOf(row);
      requireAsShown(record, asked, ['id', `${name} ${id}`]);
      await audit(db, actor, { ...about, before: { reason }, after: record });
      return record;
    });
  },
);
