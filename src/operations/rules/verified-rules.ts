import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NamedKey } from '../../domain/audit/named-key.ts';
import { readAmount } from '../../domain/numbers/money.ts';
import { RULE_KINDS, type RuleKind } from '../../domain/rules/rule-versions.ts';
import { listAuditEntriesOf } from '../../store/audit/audit.ts';
import type { Queryable } from '../../store/database.ts';
import { listRuleVersions, type RuleRecord } from '../../store/rules/rule-version.ts';
import { differingFields } from '../audit/compare-with-audit.ts';
import { readSealedRecord, type SealedRecord } from '../audit/sealed-record.ts';
import { UnverifiedRecordError, WHAT_TO_DO } from '../audit/unverified-record.ts';
import { ruleToWire } from './rule-to-wire.ts';

/** The versions of all rules in the database, with the versions in their sealed audit entries. */
export interface VerifiedRules {
  readonly stored: readonly RuleRecord[];
  /** The versions that operators created, by their audit entries. */
  readonly sealed: readonly RuleRecord[];
  /** How a version differs from its entry, by `kind/version`. Empty, unless somebody edited the tables. */
  readonly doubts: ReadonlyMap<string, string>;
}

export function ruleSubject({ kind, version }: { readonly kind: RuleKind; readonly version: string }): string {
  return `${kind}/${version}`;
}

/** So many are compared in a turn of the event loop, which takes some milliseconds. */
const COMPARED_IN_TURN = 100;

/** Reads all versions and compares each with the audit, while other requests are answered. One that is made or withdrawn meanwhile is no difference. */
export async function readVerifiedRuleEntries(db: Queryable, auditKeys: () => readonly NamedKey[]): Promise<VerifiedRules> {
  const read = await compareRules(db, auditKeys);
  // Versions and entries are read one after the other, and a change may be committed between.
  return read.doubts.size === 0 ? read : compareRules(db, auditKeys);
}

async function compareRules(db: Queryable, auditKeys: () => readonly NamedKey[]): Promise<VerifiedRules> {
  const stored = await listRuleVersions(db);
  const entries = (await Promise.all(RULE_KINDS.map((kind) => listAuditEntriesOf(db, `${kind}/`)))).flat();
  const keys = entries.length > 0 ? auditKeys() : [];
  const entriesBy = Map.groupBy(entries, ({ subjectId }) => subjectId);
  const storedBy = new Map(stored.map((rule) => [ruleSubject(rule), rule]));
  const sealed: RuleRecord[] = [];
  const doubts = new Map<string, string>();
  let compared = 0;
  for (const subject of new Set([...storedBy.keys(), ...entriesBy.keys()])) {
    if (++compared % COMPARED_IN_TURN === 0) await nextTurn();
    const { last, doubt } = readSealedRecord(entriesBy.get(subject) ?? [], keys);
    const after = last?.after ?? null;
    if (after !== null) sealed.push(readRule(after));
    const found = doubt ?? describeDifference(storedBy.get(subject), last);
    if (found !== undefined) doubts.set(subject, found);
  }
  return { stored, sealed, doubts };
}

/** How a version differs from its last entry; `undefined` when it is the same. */
function describeDifference(rule: RuleRecord | undefined, last: SealedRecord['last']): string | undefined {
  if (!rule) return 'it was removed, but the audit has it';
  const fields = last && last.after !== null ? differingFields(ruleToWire(rule), last.after) : [];
  return fields.length > 0 ? `${fields.join(', ')} differs from audit entry ${last?.entryNo}` : undefined;
}

/**
 * The versions that are or were in force for a partner; none differs from its entry.
 *
 * @throws UnverifiedRecordError With the first that differs, or that the audit does not have.
 */
export async function readVerifiedRules(
  db: Queryable,
  auditKeys: () => readonly NamedKey[],
  partnerId: string,
): Promise<RuleRecord[]> {
  const { stored, sealed, doubts } = await readVerifiedRuleEntries(db, auditKeys);
  const concerns = (rule: RuleRecord) => rule.partnerId === null || rule.partnerId === partnerId;
  const subjects = new Set([...stored, ...sealed].filter(concerns).map(ruleSubject));
  const known = new Set([...stored, ...sealed].map(ruleSubject));
  for (const [subject, doubt] of doubts)
    if (subjects.has(subject) || !known.has(subject))
      throw new UnverifiedRecordError(`The rule ${subject} differs from the audit: ${doubt}. ${WHAT_TO_DO}`);
  return sealed.filter((rule) => concerns(rule) && rule.withdrawnAt === null);
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
