import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

/** SQL: the columns of a {@link SealedEntry}, read from `audit_entry`. */
export const AUDIT_ENTRY_COLUMNS = `entry_no as "entryNo", recorded_at as "recordedAt", operator_id as "operatorId", role, action, partner_id as "partnerId",
    subject_id as "subjectId", before_json as before, after_json as after, correlation_id as "correlationId",
    previous_mac as "previousMac", key_id as "keyId", mac`;

const INSERT: Statement = {
  name: 'insert_audit_entry',
  text: `insert into audit_entry (entry_no, recorded_at, operator_id, role, action, partner_id, subject_id, before_json, after_json,
      correlation_id, previous_mac, key_id, mac)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
};

export async function insertAuditEntry(db: Queryable, entry: SealedEntry): Promise<void> {
  await run(db, INSERT, [
    entry.entryNo,
    entry.recordedAt,
    entry.operatorId,
    entry.role,
    entry.action,
    entry.partnerId,
    entry.subjectId,
    entry.before,
    entry.after,
    entry.correlationId,
    entry.previousMac,
    entry.keyId,
    entry.mac,
  ]);
}

const AFTER: Statement = {
  name: 'list_audit_entries_after',
  text: `select ${AUDIT_ENTRY_COLUMNS} from audit_entry where entry_no > $1 order by entry_no limit $2`,
};

/** In their order. */
export async function listAuditEntriesAfter(db: Queryable, afterNo: bigint, limit: number): Promise<SealedEntry[]> {
  return run<SealedEntry>(db, AFTER, [afterNo, limit]);
}

export interface AuditFilter {
  readonly partnerId?: string | undefined;
  readonly subjectId?: string | undefined;
  readonly since?: Date | undefined;
  /** Only entries after it: a bound that saves reading what is long before `since`. */
  readonly afterNo?: bigint | undefined;
  /** Only entries before it. */
  readonly beforeNo?: bigint | undefined;
  readonly limit: number;
}

/** The newest first. */
export async function listAuditEntries(
  db: Queryable,
  { partnerId, subjectId, since, afterNo, beforeNo, limit }: AuditFilter,
): Promise<SealedEntry[]> {
  const values: unknown[] = [limit];
  const filters = {
    partner: ['partner_id =', partnerId],
    subject: ['subject_id =', subjectId],
    since: ['recorded_at >=', since],
    after_no: ['entry_no >', afterNo],
    before_no: ['entry_no <', beforeNo],
  } as const;
  const given = Object.entries(filters).filter(([, [, value]]) => value !== undefined);
  const conditions = given.map(([, [compared, value]]) => `${compared} $${values.push(value)}`);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const name = ['list_audit_entries', ...given.map(([filter]) => filter)].join('_');
  const text = `select ${AUDIT_ENTRY_COLUMNS} from audit_entry ${where} order by entry_no desc limit $1`;
  return run<SealedEntry>(db, { name, text }, values);
}

const LAST_OF: Statement = {
  name: 'list_last_audit_entries',
  text: `select ${AUDIT_ENTRY_COLUMNS} from unnest($1::text[]) as wanted (id) cross join lateral (
      select * from audit_entry where subject_id between wanted.id and wanted.id and action like $2 || '.%'
        order by subject_id desc, entry_no desc limit 1
    ) a`,
};

/**
 * The last entry about each of these records, by its id.
 *
 * @param kind The prefix of the actions, before the dot.
 */
export async function findLastAuditEntries(
  db: Queryable,
  kind: string,
  subjectIds: readonly string[],
): Promise<Map<string, SealedEntry>> {
  const entries = subjectIds.length === 0 ? [] : await run<SealedEntry>(db, LAST_OF, [subjectIds, kind]);
  return new Map(entries.map((entry) => [entry.subjectId, entry]));
}

/**
 * SQL for the last entry about a record, to be read by {@link readAuditEntry}: it takes no round trip of its own. A range of one value,
 * as in `rowOf`: with an equation the planner might start from the last entry of all, while there are few.
 */
export function lastAuditEntry(subject: string, kind: string): string {
  return `(select to_json(a) from audit_entry a where a.subject_id between ${subject} and ${subject} and a.action like '${kind}.%'
        order by a.subject_id desc, a.entry_no desc limit 1)`;
}

export interface AuditEntryJson {
  readonly entry_no: number;
  readonly recorded_at: string;
  readonly operator_id: string;
  readonly role: string;
  readonly action: string;
  readonly partner_id: string | null;
  readonly subject_id: string;
  readonly before_json: string | null;
  readonly after_json: string | null;
  readonly correlation_id: string;
  readonly previous_mac: string;
  readonly key_id: string;
  readonly mac: string;
}

export function readAuditEntry(json: AuditEntryJson | null): SealedEntry | undefined {
  if (!json) return undefined;
  return {
    entryNo: BigInt(json.entry_no),
    recordedAt: new Date(json.recorded_at),
    operatorId: json.operator_id,
    role: json.role,
    action: json.action,
    partnerId: json.partner_id,
    subjectId: json.subject_id,
    before: json.before_json,
    after: json.after_json,
    correlationId: json.correlation_id,
    previousMac: json.previous_mac,
    keyId: json.key_id,
    mac: json.mac,
  };
}

/** Of the entries of a kind alone: those of other kinds, such as of every decided review, may be many times as many. */
const OF_KIND: Statement = {
  name: 'list_audit_entries_of_kind',
  text: `select action, entry_no as "entryNo", subject_id as "subjectId" from audit_entry
    where (action, entry_no) > ($1, $2) and action < $3 order by action, entry_no limit $4`,
};

export type EntryOfKind = Pick<SealedEntry, 'action' | 'entryNo' | 'subjectId'>;

/** The entries about records of a kind, action by action. */
export async function listAuditEntriesOfKind(
  db: Queryable,
  kind: string,
  { after, limit }: { readonly after: EntryOfKind | undefined; readonly limit: number },
): Promise<EntryOfKind[]> {
  // The actions of a kind begin with its name and a dot, after which a slash is next.
  const values = [after?.action ?? `${kind}.`, after?.entryNo ?? 0n, `${kind}/`, limit];
  return run<EntryOfKind & Record<string, unknown>>(db, OF_KIND, values);
}

const WITH_PREFIX: Statement = {
  name: 'list_audit_entries_with_prefix',
  text: `select ${AUDIT_ENTRY_COLUMNS} from audit_entry where subject_id > $1 and subject_id < $1 || '~' order by subject_id, entry_no`,
};

/** All entries about records whose ids have this prefix, in their order for each record. For kinds with few records. */
export async function listAuditEntriesWithPrefix(db: Queryable, prefix: string): Promise<SealedEntry[]> {
  return run<SealedEntry>(db, WITH_PREFIX, [prefix]);
}

const OF_RECORDS: Statement = {
  name: 'list_audit_entries_of_records',
  text: `select ${AUDIT_ENTRY_COLUMNS} from unnest($1::text[]) as wanted (id) cross join lateral (
      select * from audit_entry where subject_id between wanted.id and wanted.id order by subject_id, entry_no offset 0
    ) a`,
};

/** All entries about these records, in their order for each record. */
export async function listAuditEntriesOfRecords(db: Queryable, subjectIds: readonly string[]): Promise<SealedEntry[]> {
  return subjectIds.length === 0 ? [] : run<SealedEntry>(db, OF_RECORDS, [subjectIds]);
}

const OF_RECORD: Statement = {
  name: 'list_audit_entries_of_record',
  text: `select ${AUDIT_ENTRY_COLUMNS} from audit_entry where subject_id between $1 and $1 and action like $2 || '.%' order by subject_id, entry_no`,
};

/**
 * All entries about one record, in their order.
 *
 * @param kind The prefix of the actions, before the dot.
 */
export async function listAuditEntriesOfRecord(db: Queryable, kind: string, subjectId: string): Promise<SealedEntry[]> {
  return run<SealedEntry>(db, OF_RECORD, [subjectId, kind]);
}
