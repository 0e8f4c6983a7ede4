import type { Actor } from '../../domain/access/role.ts';
import { contributionNotFound } from '../../domain/contributions/contribution-not-found.ts';
import type { RuleKind } from '../../domain/rules/rule-versions.ts';
import type { ContributionId } from '../../store/contributions/contribution.ts';
import { lockContribution } from '../../store/contributions/contribution.ts';
import {
  listSealedContributions,
  type StoredContribution,
  updateContributionSeal,
} from '../../store/contributions/contribution-seal.ts';
import type { Database } from '../../store/database.ts';
import { type RuleRecord, raiseRuleRevision } from '../../store/rules/rule-version.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { requireReason } from '../require-line.ts';
import { getRule } from '../rules/manage-rule.ts';
import { ruleToWire } from '../rules/rule-to-wire.ts';
import { ruleSubject } from '../rules/verified-rules.ts';
import { withRole } from '../with-role.ts';

/**
 * Seals a contribution as it is, on the word of an admin who has compared it with a backup or with the partner's own records: for a row
 * that cannot be restored, or whose key is lost. Throws `forbidden`, `contribution_not_found`, and `invalid_request` without a reason.
 */
export const attestContribution = withRole(
  'admin',
  async (database: Database, actor: Actor, id: ContributionId, reason: string): Promise<void> => {
    requireReason(reason);
    await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const { partnerId, transactionId } = id;
      await lockContribution(db, partnerId, transactionId);
      const [row] = await listSealedContributions(db, partnerId, [transactionId]);
      if (!row) throw contributionNotFound('transaction_id');
      await updateContributionSeal(db, id, database.contributionSeals.begin(row));
      const before = { seal: database.contributionSeals.check(row) };
      const after = { ...toRecord(row), reason };
      await audit(db, actor, { action: 'contribution.attest', partnerId, subjectId: transactionId, before, after });
    });
  },
);

/** The attested fields, without data of the customer. */
function toRecord({ contribution, associationOutcome }: StoredContribution): object {
  const { status, points, pointConversionVersion, createdAt, confirmedAt, failedAt } = contribution;
  return {
    status,
    points,
    point_conversion_version: pointConversionVersion,
    association: associationOutcome,
    created_at: createdAt,
    confirmed_at: confirmedAt,
    failed_at: failedAt,
  };
}

/**
 * Writes an audit entry of a version as it is, on the word of an admin: it is used from then on, whatever earlier entries say. Throws
 * `forbidden`, and `invalid_request` when there is no such version, or without a reason.
 */
export const attestRule = withRole(
  'admin',
  async (
    database: Database,
    actor: Actor,
    { kind, version, reason }: { readonly kind: RuleKind; readonly version: string; readonly reason: string },
  ): Promise<RuleRecord> => {
    requireReason(reason);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await raiseRuleRevision(db);
      const rule = await getRule(db, kind, version);
      const entry = { action: 'rule.attest', partnerId: rule.partnerId, subjectId: ruleSubject(rule) };
      await audit(db, actor, { ...entry, before: { reason }, after: ruleToWire(rule) });
      return rule;
    });
  },
);
