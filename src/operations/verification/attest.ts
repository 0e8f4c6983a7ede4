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
import type { Database, Queryable } from '../../store/database.ts';
import { type RuleRecord, raiseRuleRevision } from '../../store/rules/rule-version.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { requireReason } from '../require-line.ts';
import { getRule } from '../rules/manage-rule.ts';
import { ruleToWire } from '../rules/rule-to-wire.ts';
import { ruleSubject } from '../rules/verified-rules.ts';
import { withRole } from '../with-role.ts';
import { requireAsShown, type ShownRecord } from './require-as-shown.ts';

/**
 * Everything of a contribution that its seal covers, for the admin who attests it.
 *
 * @throws ServiceError `contribution_not_found`
 */
export async function getSealedRecord(db: Queryable, { partnerId, transactionId }: ContributionId): Promise<object> {
  return sealedRecord(await readSealed(db, { partnerId, transactionId }));
}

async function readSealed(db: Queryable, { partnerId, transactionId }: ContributionId): Promise<StoredContribution> {
  const [row] = await listSealedContributions(db, partnerId, [transactionId]);
  if (!row) throw contributionNotFound('transaction_id');
  return row;
}

/**
 * Seals a contribution as it is, on the word of an admin who has compared it with a backup or with the partner's own records: for a row
 * that cannot be restored, or whose key is lost. Throws `forbidden`, `contribution_not_found`, and `invalid_request` without a reason, or
 * when it is not as it was shown.
 *
 * @returns The contribution that was sealed, as {@link getSealedRecord}.
 */
export const attestContribution = withRole(
  'admin',
  async (database: Database, actor: Actor, id: ContributionId, asked: ShownRecord): Promise<object> => {
    const { reason } = asked;
    requireReason(reason);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const { partnerId, transactionId } = id;
      await lockContribution(db, partnerId, transactionId);
      const row = await readSealed(db, id);
      const sealed = sealedRecord(row);
      requireAsShown(sealed, asked, ['transaction_id', `contribution ${transactionId}`]);
      await updateContributionSeal(db, id, database.contributionSeals.begin(row));
      const before = { seal: database.contributionSeals.check(row) };
      const after = { ...toRecord(row), reason };
      await audit(db, actor, { action: 'contribution.attest', partnerId, subjectId: transactionId, before, after });
      return sealed;
    });
  },
);

function sealedRecord({ contribution, ...stored }: StoredContribution): object {
  const { summaryEn, summaryAr } = contribution.expectedEnvironmentalSupport;
  return {
    transaction_id: contribution.transactionId,
    partner_event_id: contribution.partnerEventId,
    partner_order_ref: contribution.partnerOrderRef,
    status: contribution.status,
    first_status: stored.firstStatus,
    points: contribution.points,
    opaque_customer_ref: contribution.opaqueCustomerRef,
    contribution_rule_version: contribution.contributionRuleVersion,
    point_conversion_version: contribution.pointConversionVersion,
    tree_cost_version: contribution.treeCostVersion,
    created_at: contribution.createdAt,
    confirmed_at: contribution.confirmedAt,
    failed_at: contribution.failedAt,
    failure_reason: stored.failure?.reason ?? null,
    failure_drafted_by: stored.failure?.draftedBy ?? null,
    failure_approved_by: stored.failure?.approvedBy ?? null,
    calculation_id: stored.calculationId,
    association_outcome: stored.associationOutcome,
    rejection_code: stored.rejectionCode,
    summary_en: summaryEn,
    summary_ar: summaryAr,
    idempotency_key: stored.idempotencyKey,
    fingerprint: stored.fingerprint.toString('hex'),
    correlation_id: stored.correlationId,
  };
}

/** The attested fields in the audit, without data of the customer. */
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
 * `forbidden`, and `invalid_request` when there is no such version, when it is not as it was shown in the form of {@link ruleToWire}, or
 * without a reason.
 */
export const attestRule = withRole(
  'admin',
  async (
    database: Database,
    actor: Actor,
    { kind, version, ...asked }: ShownRecord & { readonly kind: RuleKind; readonly version: string },
  ): Promise<RuleRecord> => {
    const { reason } = asked;
    requireReason(reason);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await raiseRuleRevision(db);
      const rule = await getRule(db, kind, version);
      const record = ruleToWire(rule);
      requireAsShown(record, asked, ['version', `${kind} ${version}`]);
      const entry = { action: 'rule.attest', partnerId: rule.partnerId, subjectId: ruleSubject(rule) };
      await audit(db, actor, { ...entry, before: { reason }, after: record });
      return rule;
    });
  },
);
