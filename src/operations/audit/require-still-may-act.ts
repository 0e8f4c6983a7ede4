import type { Operator } from '../../domain/access/operator.ts';
import { type AuditAuthor, isAtLeast, type Role } from '../../domain/access/role.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { findLastAuditEntries } from '../../store/audit/audit.ts';
import type { Queryable } from '../../store/database.ts';

/**
 * Requires that nobody disabled the operator, or lowered the role, since the request or command began: under the lock on the end of the
 * audit that change is visible. Its entry is read and not the operator's row, which the operator's own change may just have written.
 *
 * @throws ServiceError `forbidden`
 */
export async function requireStillMayAct(db: Queryable, { operatorId, role: actsAs, isPartner }: AuditAuthor): Promise<void> {
  if (isPartner || actsAs === 'partner' || !operatorId.startsWith('opr_')) return;
  const entry = (await findLastAuditEntries(db, 'operator', [operatorId])).get(operatorId);
  if (!entry?.after) return;
  const { role, disabled_at: disabledAt } = JSON.parse(entry.after) as { role: Role; disabled_at: Operator['disabledAt'] };
  if (disabledAt === null && isAtLeast(role, actsAs)) return;
  const what = disabledAt === null ? `has the role ${role} since a moment ago` : 'was disabled a moment ago';
  throw new ServiceError('forbidden', `The operator ${operatorId} ${what}. Nothing was changed.`);
}
