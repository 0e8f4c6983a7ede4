import type { Actor } from '../../domain/access/role.ts';
import { checkNewRule, earliestStart, toRuleVersion } from '../../domain/rules/new-rule.ts';
import { type RuleRequest, readRuleRequest } from '../../domain/rules/rule-request.ts';
import { findVersionInForce, RULE_KINDS, type RuleKind } from '../../domain/rules/rule-versions.ts';
import { recordNotFound, ServiceError } from '../../domain/service-error.ts';
import { eachPartner } from '../../store/access/partner.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { isRestricted } from '../../store/database-errors.ts';
import {
  findRuleVersion,
  findRuleVersionConflicts,
  insertRuleVersion,
  listRuleVersions,
  type RuleRecord,
  raiseRuleRevision,
  readRuleRevision,
  updateRuleVersionWithdrawn,
} from '../../store/rules/rule-version.ts';
import { databaseOf, inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { lockKnownPartner } from '../access/manage-partner.ts';
import { audit } from '../audit/audit.ts';
import { withRole } from '../with-role.ts';
import { ruleToWire } from './rule-to-wire.ts';
import { readVerifiedRulesNamed, ruleSubject, unverifiedRule } from './verified-rules.ts';

/**
 * Stores a new version of a rule. It takes effect at its start in every process; the default start is the earliest time at which all
 * processes know it. Throws `forbidden`, and `invalid_request` with all problems.
 *
 * @see docs/spec/settlements.md#1-contribution-rules-the-version-labels.
 */
export const createRule = withRole(
  'admin',
  async (database: Database, actor: Actor, request: RuleRequest): Promise<RuleRecord> => {
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const now = await raiseRuleRevision(db);
      const { rule, problems } = readRuleRequest(request, earliestStart(now));
      // Locked, so that nobody gives the partner another currency meanwhile.
      const partnerCurrency = rule.partnerId === null ? undefined : (await lockKnownPartner(db, rule.partnerId)).currency;
      const existing = await findRuleVersionConflicts(db, rule);
      const all = [...problems, ...checkNewRule(rule, { now, partnerCurrency, existing })];
      if (all.length > 0) {
        const sentences = all.map(({ message }) => `  - ${message}`).join('\n');
        throw new ServiceError('invalid_request', `Invalid rule:\n${sentences}`, { details: all });
      }
      const kept = await insertRuleVersion(db, toRuleVersion(rule));
      await auditRule(db, actor, { action: 'rule.create', before: null, after: kept });
      return kept;
    });
  },
);

/**
 * Withdraws a version that has not started. Its label stays taken. Throws `forbidden`, and `invalid_request` when it has started, starts
 * within a minute, or was withdrawn.
 */
export const withdrawRule = withRole(
  'admin',
  async (
    database: Database,
    actor: Actor,
    { kind, version }: { readonly kind: RuleKind; readonly version: string },
  ): Promise<RuleRecord> => {
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await raiseRuleRevision(db);
      const standing = await getRule(db, kind, version);
      await requireVerifiedRule(db, standing);
      const withdrawn = await updateRuleVersionWithdrawn(db, kind, version).catch((cause: unknown) => {
        if (!isRestricted(cause)) throw cause;
        const why = standing.withdrawnAt
          ? 'is already withdrawn. Nothing was changed.'
          : 'has started, or starts within a minute, so it cannot be withdrawn. Create a new version instead.';
        throw new ServiceError('invalid_request', `The ${kind} ${version} ${why}`, { cause });
      });
      await auditRule(db, actor, { action: 'rule.withdraw', before: standing, after: withdrawn });
      return withdrawn;
    });
  },
);

/**
 * @throws ServiceError `invalid_request`, 404, when there is no such version.
 */
export async function getRule(db: Queryable, kind: RuleKind, version: string): Promise<RuleRecord> {
  const found = await findRuleVersion(db, kind, version);
  if (!found) throw recordNotFound('version', `There is no ${kind} ${version}. \`rule list\` shows all.`);
  return found;
}

/** Partners without any version of a kind of rule in force, with these kinds. */
export async function listPartnersUnderDefaults(
  db: Queryable,
): Promise<{ readonly partnerId: string; readonly kinds: readonly RuleKind[] }[]> {
  const { now: at } = await readRuleRevision(db);
  const versions = (await listRuleVersions(db)).filter(({ withdrawnAt }) => withdrawnAt === null);
  const partners = await Array.fromAsync(eachPartner(db));
  return partners.flatMap((partner) => {
    const kinds = RULE_KINDS.filter((kind) => !findVersionInForce(kind, versions, { partner, at }));
    return kinds.length > 0 ? [{ partnerId: partner.partnerId, kinds }] : [];
  });
}

/** The entry of a change contains the version as it is: it would confirm an edit. */
async function requireVerifiedRule(db: Queryable, rule: RuleRecord): Promise<void> {
  const doubt = (await readVerifiedRulesNamed(db, databaseOf(db).auditKeys, [rule])).doubts.get(ruleSubject(rule));
  if (doubt !== undefined) throw unverifiedRule(ruleSubject(rule), doubt);
}

async function auditRule(
  db: Queryable,
  actor: Actor,
  { action, before, after }: { readonly action: string; readonly before: RuleRecord | null; readonly after: RuleRecord },
): Promise<void> {
  const subjectId = ruleSubject(after);
  await audit(db, actor, {
    action,
    partnerId: after.partnerId,
    subjectId,
    before: before && ruleToWire(before),
    after: ruleToWire(after),
  });
}
