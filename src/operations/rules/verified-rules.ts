import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import type { NamedKey } from '../../domain/audit/named-key.ts';
import { readAmount } from '../../domain/numbers/money.ts';
import { RULE_KINDS, type RuleKind } from '../../domain/rules/rule-versions.ts';
import { listAuditEntriesOfRecords, listAuditEntriesWithPrefix } from '../../store/audit/audit-entry.ts';
import { listAuditedRules } from '../../store/audit/audited-subject.ts';
import type { Queryable } from '../../store/database.ts';
import {
  findRuleVersions,
  listRuleVersions,
  listRuleVersionsOf,
  type RuleName,
  type RuleRecord,
} from '../../store/rules/rule-version.ts';
import { differingFields } from '../audit/compare-with-audit.ts';
import { readSealedRecord, type SealedRecord } from '../audit/sealed-record.ts';
import { RecordDiffersError, type UnverifiedRecordError } from '../audit/unverified-record.ts';
import { ruleToWire } from './rule-to-wire.ts';

/** Versions in the database, with the versions in their sealed audit entries. */
export interface VerifiedRules {
  readonly stored: readonly RuleRecord[];
  /** The versions that operators created, by their audit entries. */
  readonly sealed: readonly RuleRecord[];
  /** How a version differs from its entry, by `kind/version`. Empty, unless somebody edited the tables. */
  readonly doubts: ReadonlyMap<string, string>;
}

export function ruleSubject({ kind, version }: RuleName): string {
  return `${kind}/${version}`;
}

/** The name that {@link ruleSubject} gives: no kind has a slash. */
export function ruleNameOf(subject: string): RuleName {
  const slash = subject.indexOf('/');
  return { kind: subject.slice(0, slash) as RuleKind, version: subject.slice(slash + 1) };
}

/** @param doubt How the version differs from its entry, as {@link VerifiedRules.doubts} says it. */
export function unverifiedRule(subject: string, doubt: string): UnverifiedRecordError {
  return new RecordDiffersError('rule', subject, doubt);
}

/** So many are compared in a turn of the event loop, which takes some milliseconds. */
const COMPARED_IN_TURN = 100;

/**
 * Reads all versions and compares each with the audit, while other requests are answered: not in a transaction, which would hold its locks
 * meanwhile. One that is made or withdrawn meanwhile is no difference.
 */
export async function readVerifiedRuleEntries(db: Queryable, auditKeys: () => readonly NamedKey[]): Promise<VerifiedRules> {
  return unlessBetween(async () => {
    const stored = await listRuleVersions(db);
    const entries = (await Promise.all(RULE_KINDS.map((kind) => listAuditEntriesWithPrefix(db, `${kind}/`)))).flat();
    const { subjects, compare, verified } = comparisonOf(stored, entries, auditKeys);
    for (const [index, subject] of subjects.entries()) {
      if ((index + 1) % COMPARED_IN_TURN === 0) await nextTurn();
      compare(subject);
    }
    return verified;
  });
}

/** Reads these versions and compares each with the audit, in one turn of the event loop: for a transaction. */
export async function readVerifiedRulesNamed(
  db: Queryable,
  auditKeys: () => readonly NamedKey[],
  names: readonly RuleName[],
): Promise<VerifiedRules> {
  return unlessBetween(async () => {
    const stored = await findRuleVersions(db, names);
    const entries = await listAuditEntriesOfRecords(db, names.map(ruleSubject));
    const { subjects, compare, verified } = comparisonOf(stored, entries, auditKeys);
    subjects.forEach(compare);
    return verified;
  });
}

/** Versions and entries are read one after the other, and a change may be committed between. */
async function unlessBetween(read: () => Promise<VerifiedRules>): Promise<VerifiedRules> {
  const first = await read();
  return first.doubts.size === 0 ? first : read();
}

/** Every version is compared by itself, so that whoever compares many can pause between them. */
function comparisonOf(stored: readonly RuleRecord[], entries: readonly SealedEntry[], auditKeys: () => readonly NamedKey[]) {
  const keys = entries.length > 0 ? auditKeys() : [];
  const entriesBy = Map.groupBy(entries, ({ subjectId }) => subjectId);
  const storedBy = new Map(stored.map((rule) => [ruleSubject(rule), rule]));
  const sealed: RuleRecord[] = [];
  const doubts = new Map<string, string>();
  const compare = (subject: string): void => {
    const { last, doubt } = readSealedRecord(entriesBy.get(subject) ?? [], keys);
    const after = last?.after ?? null;
    if (after !== null) sealed.push(readRule(after));
    const found = doubt ?? describeDifference(storedBy.get(subject), last);
    if (found !== undefined) doubts.set(subject, found);
  };
  return { subjects: [...new Set([...storedBy.keys(), ...entriesBy.keys()])], compare, verified: { stored, sealed, doubts } };
}

/** How a version differs from its last entry; `undefined` when it is the same. */
function describeDifference(rule: RuleRecord | undefined, last: SealedRecord['last']): string | undefined {
  if (!rule) return 'it was removed, but the audit has it';
  const fields = last && last.after !== null ? differingFields(ruleToWire(rule), last.after) : [];
  return fields.length > 0 ? `${fields.join(', ')} differs from audit entry ${last?.entryNo}` : undefined;
}

/**
 * The versions that are or were in force for a partner; none differs from its entry. Only these are read: those that the database has for
 * the partner, and those that the audit has for it.
 *
 * @throws UnverifiedRecordError With the first that differs, or that the audit does not have.
 */
export async function readVerifiedRules(
  db: Queryable,
  auditKeys: () => readonly NamedKey[],
  partnerId: string,
): Promise<RuleRecord[]> {
  const stored = await listRuleVersionsOf(db, partnerId, RULE_KINDS);
  const subjects = new Set([...stored.map(ruleSubject), ...(await listAuditedRules(db, partnerId))]);
  const { sealed, doubts } = await readVerifiedRulesNamed(db, auditKeys, [...subjects].map(ruleNameOf));
  for (const [subject, doubt] of doubts) throw unverifiedRule(subject, doubt);
  return sealed.filter((rule) => (rule.partnerId === null || rule.partnerId === partnerId) && rule.withdrawnAt === null);
}

/** Reads what `ruleToWire` wrote, from the text in the audit. */
function readRule(text: string): RuleRecord {
  const wire = JSON.parse(text, (_name, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' ? BigInt(source ?? '') : value,
  );
  const price = (amount: string | null) => (amount === null ? null : (readAmount(amount) ?? null));
  const date = (at: string | null) => (at === null ? null : new Date(at));
  const head = {
    kind: wire.kind,
    version: wire.version,
    partnerId: wire.partner_id,
    startsAt: new Date(wire.starts_at),
    createdAt: new Date(wire.created_at),
    withdrawnAt: date(wire.withdrawn_at),
  };
  switch (wire.kind as RuleKind) {
    case 'contribution_rule':
      return {
        ...head,
        pointsMin: wire.points_min,
        pointsMax: wire.points_max,
        reviewsEverything: wire.reviews_everything,
        reviewThreshold: wire.review_threshold,
        dailyPointsCap: wire.daily_points_cap,
        dailyCountCap: wire.daily_count_cap,
      };
    case 'point_conversion':
      return { ...head, pointValue: price(wire.point_value), currency: wire.currency };
    case 'tree_cost':
      return { ...head, treeCost: price(wire.tree_cost), currency: wire.currency };
  }
}
