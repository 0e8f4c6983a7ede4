/** Every statement that the commands `verify` prepare, by the store's own functions, for the rows of `verified-tables.ts`. */
import { transactionId } from '../../../bench/rows/identifiers.ts';
import { listAllApiKeys, lockApiKey } from '../../../src/store/access/api-key.ts';
import { listOperatorsOfIds, lockOperator } from '../../../src/store/access/operator.ts';
import { listLiveCredentials } from '../../../src/store/access/operator-credential.ts';
import { listPartners, lockPartner } from '../../../src/store/access/partner.ts';
import { listAdjustments, listAllAdjustments, lockAdjustment } from '../../../src/store/adjustments/adjustment.ts';
import { eachMisplacedAdjustment } from '../../../src/store/adjustments/adjustment-assignment.ts';
import {
  findLastAuditEntries,
  listAuditEntries,
  listAuditEntriesAfter,
  listAuditEntriesOfKind,
  listAuditEntriesWithPrefix,
} from '../../../src/store/audit/audit-entry.ts';
import { findAuditHead } from '../../../src/store/audit/audit-head.ts';
import { listAuditedAdjustments, listAuditSubjectsWithPrefix } from '../../../src/store/audit/audited-subject.ts';
import { listAllFailureDrafts, lockFailureDraft } from '../../../src/store/contributions/failure-draft.ts';
import type { Queryable } from '../../../src/store/database.ts';
import {
  findImpactBatch,
  listImpactBatchChanges,
  listImpactBatches,
  lockImpactBatch,
} from '../../../src/store/impact/impact-batch.ts';
import { eachBatchSettlement } from '../../../src/store/impact/impact-batch-settlement.ts';
import { listEvidence } from '../../../src/store/impact/impact-evidence.ts';
import { findProject, listProjects } from '../../../src/store/impact/project.ts';
import type { PageOfIds } from '../../../src/store/query.ts';
import { listRuleVersions } from '../../../src/store/rules/rule-version.ts';
import { eachSettlement, findSettlement } from '../../../src/store/settlements/settlement.ts';
import { listAcknowledgements } from '../../../src/store/settlements/settlement-acknowledgement.ts';
import { listSettlementLines } from '../../../src/store/settlements/settlement-line.ts';
import { findLineProofs } from '../../../src/store/settlements/settlement-line-proof.ts';
import {
  findSettlementOfAnyPartner,
  findSettlementOfContribution,
  findStatementOwner,
} from '../../../src/store/settlements/settlement-search.ts';
import { listUnreachable } from '../../../src/store/settlements/unsettled-contribution.ts';
import { listAllWebhookEndpoints, lockAnyWebhookEndpoint } from '../../../src/store/webhooks/webhook-endpoint.ts';
import type { HotCall, HotCallOptions } from './hot-calls.ts';
import { verifiedId } from './verified-tables.ts';

const PAGE = 500;

/**
 * Each for one page or one record in the middle. On a cluster those of a partner's settlements: nothing keeps a plan there, and the other
 * tables lie on one node or are short for each partner.
 */
export function verifyCalls(terms: HotCallOptions): HotCall[] {
  const lists = terms.isDistributed ? [settlementCalls] : [auditCalls, recordCalls, settlementCalls, batchCalls];
  return lists.flatMap((list) => list(terms));
}

function auditCalls({ partnerId, fewer }: HotCallOptions): HotCall[] {
  const middle = Math.floor(fewer / 2);
  const subjectId = verifiedId('adj', middle);
  const page = Array.from({ length: PAGE }, (_, index) => verifiedId('adj', middle + index));
  const after = { action: 'adjustment.post', entryNo: BigInt(middle), subjectId };
  return [
    { title: 'entries of the audit', send: (db) => listAuditEntriesAfter(db, BigInt(middle), 1_000) },
    { title: 'end of the audit', send: (db) => findAuditHead(db) },
    { title: 'last entry of a record', send: (db) => listAuditEntries(db, { subjectId, limit: 1 }) },
    { title: 'entries of a record', send: (db) => listAuditEntries(db, { subjectId, limit: 100 }) },
    { title: 'entries of no record', send: (db) => listAuditEntries(db, { subjectId: 'contribution_seals', limit: 1 }) },
    { title: 'last entries of records', send: (db) => findLastAuditEntries(db, 'adjustment', page) },
    { title: 'entries of a prefix', send: (db) => listAuditEntriesWithPrefix(db, 'tree_cost/') },
    {
      title: 'audited subjects',
      send: (db) => listAuditSubjectsWithPrefix(db, { prefix: 'adj_', afterId: subjectId, limit: PAGE }),
    },
    {
      title: 'audited adjustments',
      send: (db) => listAuditedAdjustments(db, { partnerId, afterId: subjectId, limit: PAGE }),
    },
    {
      title: 'entries of a kind',
      send: (db) => listAuditEntriesOfKind(db, 'adjustment', { after, limit: PAGE }),
    },
  ];
}

function recordCalls({ partnerId, keyId, endpointId, fewer }: HotCallOptions): HotCall[] {
  const middle = Math.floor(fewer / 2);
  const pages = (title: string, prefix: string, list: (db: Queryable, page: PageOfIds) => Promise<unknown>): HotCall[] => {
    const ids = Array.from({ length: PAGE }, (_, index) => verifiedId(prefix, middle + index + 1));
    return [
      { title: `page of ${title}`, send: (db) => list(db, { afterId: verifiedId(prefix, middle), ids: null, limit: PAGE }) },
      { title: `${title} of a list`, send: (db) => list(db, { afterId: verifiedId(prefix, middle), ids, limit: PAGE }) },
    ];
  };
  const adjustmentId = verifiedId('adj', middle);
  const operators = Array.from({ length: PAGE }, (_, index) => verifiedId('op', index + 1));
  return [
    ...pages('partners', 'ptn', listPartners),
    ...pages('keys', 'key', listAllApiKeys),
    ...pages('operators', 'op', listOperatorsOfIds),
    ...pages('endpoints', 'whe', listAllWebhookEndpoints),
    ...pages('drafts', 'fail', listAllFailureDrafts),
    ...pages('adjustments', 'adj', listAllAdjustments),
    { title: 'credentials of operators', send: (db) => listLiveCredentials(db, operators) },
    { title: 'lock a partner', send: (db) => lockPartner(db, partnerId) },
    { title: 'lock a key', send: (db) => lockApiKey(db, keyId) },
    { title: 'lock an operator', send: (db) => lockOperator(db, verifiedId('op', 1)) },
    { title: 'lock an endpoint', send: (db) => lockAnyWebhookEndpoint(db, partnerId, endpointId) },
    { title: 'lock a draft', send: (db) => lockFailureDraft(db, partnerId, verifiedId('fail', middle)) },
    { title: 'lock an adjustment', send: (db) => lockAdjustment(db, partnerId, adjustmentId) },
    { title: 'adjustments', send: (db) => listAdjustments(db, partnerId, { beforeId: adjustmentId, limit: PAGE }) },
    { title: 'partners', send: (db) => listPartners(db, { afterId: '', limit: PAGE }) },
    { title: 'versions of the rules', send: (db) => listRuleVersions(db) },
  ];
}

function settlementCalls({ partnerId, token, rows }: HotCallOptions): HotCall[] {
  const settlementId = verifiedId('set', 1);
  const afterLine = Math.floor(rows / 4);
  const settled = transactionId(token, afterLine);
  return [
    { title: 'settlements', send: (db) => eachSettlement(db, partnerId).next() },
    { title: 'settlement', send: (db) => findSettlement(db, partnerId, settlementId) },
    { title: 'lines', send: (db) => listSettlementLines(db, { partnerId, settlementId, afterLine, limit: 1_000 }) },
    { title: 'proofs of lines', send: (db) => findLineProofs(db, { partnerId, settlementId, firstLineNo: 1_001 }) },
    { title: 'acknowledgements', send: (db) => listAcknowledgements(db, { partnerId, settlementId }) },
    { title: 'misplaced adjustments', send: (db) => eachMisplacedAdjustment(db, partnerId).next() },
    {
      title: 'contributions on a line',
      send: (db) => listUnreachable(db, partnerId, { after: settled, followsEvent: BigInt(afterLine) }),
    },
    {
      title: 'contributions on no line',
      send: (db) =>
        listUnreachable(db, partnerId, { after: transactionId(token, 3 * afterLine), followsEvent: BigInt(2 * afterLine) }),
    },
    { title: 'owner of a statement', send: (db) => findStatementOwner(db, verifiedId('sha', 7)) },
    { title: 'settlement of a contribution', send: (db) => findSettlementOfContribution(db, partnerId, settled) },
    { title: 'settlement of a contribution of any partner', send: (db) => findSettlementOfAnyPartner(db, settled) },
  ];
}

function batchCalls(): HotCall[] {
  const batchId = verifiedId('batch', 1);
  return [
    { title: 'projects', send: (db) => listProjects(db) },
    { title: 'project', send: (db) => findProject(db, verifiedId('project', 7)) },
    { title: 'batches', send: (db) => listImpactBatches(db, { limit: PAGE }) },
    { title: 'lock a batch', send: (db) => lockImpactBatch(db, batchId) },
    { title: 'batch', send: (db) => findImpactBatch(db, batchId) },
    { title: 'settlements of a batch', send: (db) => eachBatchSettlement(db, batchId).next() },
    { title: 'evidence of a batch', send: (db) => listEvidence(db, batchId) },
    { title: 'changes of a batch', send: (db) => listImpactBatchChanges(db, batchId) },
  ];
}
