import { type Actor, type AuditAuthor, isAtLeast, type Role } from '../../domain/access/role.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { findLastAuditEntries } from '../../store/audit/audit-entry.ts';
import type { Queryable } from '../../store/database.ts';

/**
 * Requires that nobody disabled the operator, lowered the role, or ended the session or token, since the request or command began; for a
 * partner's request, that its key is still valid. Some requests wait for a partner's server, or do their work a part at a time. Under the
 * lock on the end of the audit such a change is visible. Its entry is read and not the row, which the operator's own change may just have
 * written.
 *
 * @param now The time of the transaction.
 * @throws ServiceError `forbidden`; `unauthorized` for a session, a token or a key.
 */
export async function requireStillMayAct(db: Queryable, author: AuditAuthor, now: Date): Promise<void> {
  const { operatorId, role, isPartner, credentialId } = author;
  if (isPartner || role === 'partner') return requireKeyStillValid(db, operatorId, now);
  if (operatorId.startsWith('opr_')) await requireOperatorStillMayAct(db, { operatorId, role, credentialId });
}

/** What the last entry about an operator says of it. */
interface AuditedOperator {
  readonly role: Role;
  readonly disabled_at: string | null;
  readonly credentials: readonly { readonly credential_id: string }[];
}

async function requireOperatorStillMayAct(
  db: Queryable,
  { operatorId, role: actsAs, credentialId }: Pick<Actor, 'operatorId' | 'role'> & { readonly credentialId: string | undefined },
): Promise<void> {
  const last = await readLast<AuditedOperator>(db, 'operator', operatorId);
  if (!last) return;
  const { role, disabled_at: disabledAt, credentials } = last;
  if (disabledAt !== null) throw refusal('forbidden', `The operator ${operatorId} was disabled a moment ago.`);
  if (!isAtLeast(role, actsAs)) throw refusal('forbidden', `The operator ${operatorId} has the role ${role} since a moment ago.`);
  if (credentialId !== undefined && !credentials.some((each) => each.credential_id === credentialId))
    throw refusal('unauthorized', `The sign-in of the operator ${operatorId} ended a moment ago.`);
}

function refusal(code: 'forbidden' | 'unauthorized', what: string): ServiceError {
  return new ServiceError(code, `${what} Nothing more was changed.`);
}

async function requireKeyStillValid(db: Queryable, keyId: string, now: Date): Promise<void> {
  const last = await readLast<{ revoked_at: string | null; expires_at: string | null }>(db, 'key', keyId);
  if (!last) return;
  const { revoked_at: revokedAt, expires_at: expiresAt } = last;
  if (revokedAt === null && (expiresAt === null || new Date(expiresAt) > now)) return;
  throw new ServiceError('unauthorized', 'The API key was revoked or expired a moment ago. Nothing more was changed.', {
    headers: { 'www-authenticate': 'ApiKey realm="partner-impact"' },
  });
}

/** What the last entry of a record says of it. */
async function readLast<Record>(db: Queryable, kind: string, id: string): Promise<Record | undefined> {
  const after = (await findLastAuditEntries(db, kind, [id])).get(id)?.after;
  return after ? JSON.parse(after) : undefined;
}
