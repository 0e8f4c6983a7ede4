import { hash } from 'node:crypto';
import type { Operator } from '../../domain/access/operator.ts';
import type { ApiKey } from '../../store/access/api-key.ts';
import type { LiveCredential } from '../../store/access/operator-credential.ts';
import type { Partner } from '../../store/access/partner.ts';
import type { FailureDraft } from '../../store/contributions/failure-draft.ts';
import type { WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';

/* Records that permit and authorise, in the form of the audit: all fields that a use depends on, and of secrets only a digest. */

/** A digest that shows whether a secret is the stored one; it cannot be used to sign in or to decrypt. */
function secretCheck(stored: Buffer | string): string {
  return hash('sha256', stored, 'hex');
}

export function partnerRecord(partner: Partner): object {
  return {
    name: partner.name,
    writes_per_second: partner.writesPerSecond,
    lookups_per_second: partner.lookupsPerSecond,
    reports_per_second: partner.reportsPerSecond,
    currency: partner.currency,
    time_zone: partner.timeZone,
    created_at: partner.createdAt,
    suspended_at: partner.suspendedAt,
  };
}

/** Without the time of its last use. */
export function apiKeyRecord(key: ApiKey): object {
  return {
    partner_id: key.partnerId,
    name: key.name,
    permission: key.permission,
    allowed_addresses: key.allowedAddresses,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    secret_check: secretCheck(key.secretSha256),
  };
}

/** An operator with all credentials. */
export interface OperatorState extends Operator {
  readonly credentials: readonly LiveCredential[];
}

export function operatorRecord(operator: OperatorState): object {
  return {
    name: operator.name,
    email: operator.email,
    role: operator.role,
    created_at: operator.createdAt,
    disabled_at: operator.disabledAt,
    credentials: operator.credentials.map(credentialRecord),
  };
}

/** Without the time of its last use. */
export function credentialRecord(credential: LiveCredential): object {
  return {
    credential_id: credential.credentialId,
    kind: credential.kind,
    created_at: credential.createdAt,
    expires_at: credential.expiresAt,
    secret_check: secretCheck(credential.secretSha256),
  };
}

export function endpointRecord(endpoint: WebhookEndpoint): object {
  return {
    partner_id: endpoint.partnerId,
    url: endpoint.url,
    event_types: endpoint.eventTypes,
    status: endpoint.status,
    status_reason: endpoint.statusReason,
    created_at: endpoint.createdAt,
    secret_check: secretCheck(endpoint.secretSealed),
    next_secret_check: endpoint.nextSecretSealed === null ? null : secretCheck(endpoint.nextSecretSealed),
    secret_rotates_at: endpoint.nextSecretFrom,
  };
}

export function failureRecord(draft: FailureDraft): object {
  return {
    partner_id: draft.partnerId,
    partner_event_id: draft.partnerEventId,
    partner_order_ref: draft.partnerOrderRef,
    points: draft.points,
    reason: draft.reason,
    status: draft.status,
    drafted_by: draft.draftedBy,
    drafted_at: draft.draftedAt,
    decided_by: draft.decidedBy,
    decided_at: draft.decidedAt,
    transaction_id: draft.transactionId,
  };
}
