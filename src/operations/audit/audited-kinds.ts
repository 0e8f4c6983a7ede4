import type { Operator } from '../../domain/access/operator.ts';
import { type ApiKey, listAllApiKeys, lockApiKey } from '../../store/access/api-key.ts';
import { listOperatorsOfIds, lockOperator } from '../../store/access/operator.ts';
import { listLiveCredentials } from '../../store/access/operator-credential.ts';
import { listPartners, lockPartner, type Partner } from '../../store/access/partner.ts';
import { type Adjustment, listAllAdjustments, lockAdjustment } from '../../store/adjustments/adjustment.ts';
import { type FailureDraft, listAllFailureDrafts, lockFailureDraft } from '../../store/contributions/failure-draft.ts';
import type { Queryable } from '../../store/database.ts';
import type { PageOfIds } from '../../store/query.ts';
import { listAllWebhookEndpoints, lockAnyWebhookEndpoint, type WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import { adjustmentRecord } from './adjustment-record.ts';
import {
  apiKeyRecord,
  endpointRecord,
  failureRecord,
  type OperatorState,
  operatorRecord,
  partnerRecord,
} from './authorising-records.ts';

/** What a comparison of a record with its last audit entry needs. */
export interface ComparedKind<Row> {
  /** The kind, as operators read it and as its table is named. */
  readonly name: string;
  /** The prefix of the actions of its entries, before the dot. */
  readonly action: string;
  idOf(row: Row): string;
  /** The record in the form of the audit. */
  recordOf(row: Row): object;
}

interface LockedKind<Row> extends ComparedKind<Row> {
  partnerIdOf(row: Row): string | null;
  /** Nobody else changes it until the transaction ends. */
  lock(db: Queryable, row: Row): Promise<Row | undefined>;
}

/** Records that an admin may attest. */
export interface AttestedKind<Row> extends LockedKind<Row> {
  find(db: Queryable, id: string): Promise<Row | undefined>;
}

/** Records whose last audit entry contains all of their fields. */
export interface AuditedKind<Row> extends LockedKind<Row> {
  /** Whether an entry with such an action is about a record of this kind; all are where this is missing. */
  isRecordId?(subjectId: string): boolean;
  /** Fields that an earlier release, whose entries had fewer fields, may have changed without an entry. */
  unauditedBefore?(row: Row): readonly string[];
  list(db: Queryable, page: PageOfIds): Promise<Row[]>;
}

export const PARTNER: AuditedKind<Partner> = {
  name: 'partner',
  action: 'partner',
  idOf: ({ partnerId }) => partnerId,
  partnerIdOf: ({ partnerId }) => partnerId,
  // `partner.set-quota` is about the partner's quota.
  isRecordId: (subjectId) => subjectId.startsWith('ptn_'),
  recordOf: partnerRecord,
  list: listPartners,
  lock: (db, { partnerId }) => lockPartner(db, partnerId),
};

export const API_KEY: AuditedKind<ApiKey> = {
  name: 'api_key',
  action: 'key',
  idOf: ({ keyId }) => keyId,
  partnerIdOf: ({ partnerId }) => partnerId,
  recordOf: apiKeyRecord,
  list: listAllApiKeys,
  lock: (db, { keyId }) => lockApiKey(db, keyId),
};

export const ENDPOINT: AuditedKind<WebhookEndpoint> = {
  name: 'webhook_endpoint',
  action: 'endpoint',
  idOf: ({ endpointId }) => endpointId,
  partnerIdOf: ({ partnerId }) => partnerId,
  recordOf: endpointRecord,
  // Actions of the dispatcher.
  unauditedBefore: ({ status }) => (status === 'disabled' ? ['status', 'status_reason'] : []),
  list: listAllWebhookEndpoints,
  lock: (db, { partnerId, endpointId }) => lockAnyWebhookEndpoint(db, partnerId, endpointId),
};

export const OPERATOR: AuditedKind<OperatorState> = {
  name: 'operator',
  action: 'operator',
  idOf: ({ operatorId }) => operatorId,
  partnerIdOf: () => null,
  recordOf: operatorRecord,
  list: async (db, page) => withCredentials(db, await listOperatorsOfIds(db, page)),
  async lock(db, { operatorId }) {
    const locked = await lockOperator(db, operatorId);
    return locked && (await withCredentials(db, [locked]))[0];
  },
};

async function withCredentials(db: Queryable, operators: readonly Operator[]): Promise<OperatorState[]> {
  const ids = operators.map(({ operatorId }) => operatorId);
  const credentials = Map.groupBy(await listLiveCredentials(db, ids), ({ operatorId }) => operatorId);
  return operators.map((operator) => ({ ...operator, credentials: credentials.get(operator.operatorId) ?? [] }));
}

export const FAILURE_DRAFT: AuditedKind<FailureDraft> = {
  name: 'failure_draft',
  action: 'failure',
  idOf: ({ failureId }) => failureId,
  partnerIdOf: ({ partnerId }) => partnerId,
  recordOf: failureRecord,
  list: listAllFailureDrafts,
  lock: (db, { partnerId, failureId }) => lockFailureDraft(db, partnerId, failureId),
};

export const ADJUSTMENT: AuditedKind<Adjustment> = {
  name: 'adjustment',
  action: 'adjustment',
  idOf: ({ adjustmentId }) => adjustmentId,
  partnerIdOf: ({ partnerId }) => partnerId,
  recordOf: adjustmentRecord,
  list: listAllAdjustments,
  lock: (db, { partnerId, adjustmentId }) => lockAdjustment(db, partnerId, adjustmentId),
};

/** All kinds; what they share does not depend on the type of their rows. */
// biome-ignore lint/suspicious/noExplicitAny: each is asked only for what its own list gave.
export const AUDITED_KINDS: readonly AuditedKind<any>[] = [PARTNER, API_KEY, OPERATOR, ENDPOINT, FAILURE_DRAFT, ADJUSTMENT];
