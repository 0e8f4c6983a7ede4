import type { Operator } from '../../domain/access/operator.ts';
import type { Actor } from '../../domain/access/role.ts';
import { lockOperator } from '../../store/access/operator.ts';
import { type HeldCredential, updateExpiredCredentialsEnded } from '../../store/access/operator-credential.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { audit } from '../audit/audit.ts';
import { OPERATOR } from '../audit/audited-kinds.ts';
import { credentialRecord, type OperatorState, operatorRecord } from '../audit/authorising-records.ts';
import { compareWithEntry } from '../audit/compare-with-audit.ts';
import { findDifferences, requireAllAudited, unverifiedRecord } from '../audit/require-audited.ts';

/** The last step of a change of an operator or of a credential: the audit entry contains the whole new state. */
export async function auditOperator(
  db: Queryable,
  actor: Actor,
  {
    operatorId,
    action,
    before = null,
  }: { readonly operatorId: string; readonly action: string; readonly before?: Operator | null },
): Promise<void> {
  await updateExpiredCredentialsEnded(db, operatorId);
  const [state] = await OPERATOR.list(db, { afterId: '', ids: [operatorId], limit: 1 });
  const about = { action, partnerId: null, subjectId: operatorId };
  const kept = before && { name: before.name, email: before.email, role: before.role, disabled_at: before.disabledAt };
  await audit(db, actor, { ...about, before: kept, after: operatorRecord(state as OperatorState) });
}

/** Whether the record of an operator whom the transaction has locked is that of the last entry: another one would confirm an edit. */
export async function isAuditedOperator(db: Queryable, operatorId: string): Promise<boolean> {
  const states = await OPERATOR.list(db, { afterId: '', ids: [operatorId], limit: 1 });
  return (await findDifferences(db, OPERATOR, states)).length === 0;
}

/**
 * @throws UnverifiedRecordError For an operator who differs from the audit. An operator that does not exist passes.
 */
export async function requireAuditedOperator(db: Queryable, operatorId: string): Promise<void> {
  await requireAllAudited(db, OPERATOR, await OPERATOR.list(db, { afterId: '', ids: [operatorId], limit: 1 }));
}

/**
 * Before a change of an operator: locks the row until the transaction ends.
 *
 * @returns `undefined` for an operator that does not exist.
 * @throws UnverifiedRecordError As {@link requireAuditedOperator}.
 */
export async function lockAuditedOperator(db: Queryable, operatorId: string): Promise<Operator | undefined> {
  const operator = await lockOperator(db, operatorId);
  await requireAuditedOperator(db, operatorId);
  return operator;
}

/**
 * Before a person acts as an operator: the role and the credential are those of the last entry about the operator.
 *
 * @throws UnverifiedRecordError
 */
export function requireAuditedSignIn({ auditKeys }: Pick<Database, 'auditKeys'>, held: HeldCredential): void {
  const { operatorId, credential, entry } = held;
  const kept = listKeptCredentials(entry?.after ?? null);
  const isKept = kept.some((each) => JSON.stringify(each) === JSON.stringify(credentialRecord(credential)));
  const record = { ...operatorRecord({ ...held, credentials: [] }), credentials: isKept ? kept : [credentialRecord(credential)] };
  const difference = compareWithEntry(operatorId, record, { entry, keys: auditKeys() });
  if (difference) throw unverifiedRecord(OPERATOR, difference);
}

function listKeptCredentials(after: string | null): readonly object[] {
  return (JSON.parse(after ?? '{}') as { credentials?: readonly object[] }).credentials ?? [];
}
