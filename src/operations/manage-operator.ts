import { newId } from '../domain/identifiers.ts';
import { newCredential, type Operator } from '../domain/operator.ts';
import type { Actor, Role } from '../domain/role.ts';
import { ServiceError } from '../domain/service-error.ts';
import type { Database, Queryable } from '../store/database.ts';
import { insertOperator, lockOperator, updateOperatorDisabled, updateOperatorRole } from '../store/operator.ts';
import { insertOperatorCredential, updateOperatorCredentialsEnded } from '../store/operator-credential.ts';
import { inTransaction } from '../store/transaction.ts';
import { audit, requireRole } from './audit.ts';

const LOCK_TIMEOUT_MS = 4_000;
const CODE_SECONDS = 24 * 60 * 60;

export interface NewOperator {
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
}

/** What a person needs to sign in for the first time, shown this once. */
export interface SignInCode {
  readonly operator: Operator;
  readonly signInCode: string;
  readonly expiresAt: Date;
}

/** @throws ServiceError `forbidden`; `invalid_request` for an address that another operator has. */
export async function createOperator(database: Database, actor: Actor, wanted: NewOperator): Promise<SignInCode> {
  requireRole(actor, 'admin');
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    const operator = await insertOperator(db, { ...wanted, operatorId: newId('opr') });
    if (!operator) throw new ServiceError('invalid_request', `Another operator has the address ${wanted.email}.`);
    const code = await makeCode(db, operator);
    await audit(db, actor, about(operator, { action: 'operator.create', before: null, after: toRecord(operator) }));
    return code;
  });
}

/** Holds from the operator's next command on. */
export async function changeOperatorRole(database: Database, actor: Actor, operatorId: string, role: Role): Promise<Operator> {
  return change(database, actor, operatorId, async (db, operator) => {
    const changed = await updateOperatorRole(db, operatorId, role);
    const [before, after] = [toRecord(operator), toRecord(changed)];
    await audit(db, actor, about(operator, { action: 'operator.change-role', before, after }));
    return changed;
  });
}

/** For good: the operator is signed out everywhere, and cannot sign in again. */
export async function disableOperator(database: Database, actor: Actor, operatorId: string): Promise<Operator> {
  return change(database, actor, operatorId, async (db, operator) => {
    const disabled = await updateOperatorDisabled(db, operatorId);
    await updateOperatorCredentialsEnded(db, operatorId);
    const [before, after] = [toRecord(operator), toRecord(disabled)];
    await audit(db, actor, about(operator, { action: 'operator.disable', before, after }));
    return disabled;
  });
}

/** Signs the operator out everywhere, and makes a new code to sign in with. */
export async function resetSignIn(database: Database, actor: Actor, operatorId: string): Promise<SignInCode> {
  return change(database, actor, operatorId, async (db, operator) => {
    if (operator.disabledAt)
      throw new ServiceError('invalid_request', `The operator ${operatorId} is disabled. \`operator create\` makes a new one.`);
    await updateOperatorCredentialsEnded(db, operatorId);
    const code = await makeCode(db, operator);
    await audit(db, actor, about(operator, { action: 'operator.reset-sign-in', before: null, after: null }));
    return code;
  });
}

async function change<Result>(
  database: Database,
  actor: Actor,
  operatorId: string,
  make: (db: Queryable, operator: Operator) => Promise<Result>,
): Promise<Result> {
  requireRole(actor, 'admin');
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    const operator = await lockOperator(db, operatorId);
    if (!operator) throw new ServiceError('invalid_request', `There is no operator ${operatorId}. \`operator list\` shows all.`);
    return make(db, operator);
  });
}

async function makeCode(db: Queryable, operator: Operator): Promise<SignInCode> {
  const { text, id: credentialId, secretSha256 } = newCredential('code');
  const { operatorId } = operator;
  const code = { credentialId, operatorId, kind: 'code', secretSha256, seconds: CODE_SECONDS } as const;
  return { operator, signInCode: text, expiresAt: await insertOperatorCredential(db, code) };
}

function about({ operatorId }: Operator, entry: { action: string; before: object | null; after: object | null }) {
  return { ...entry, partnerId: null, subjectId: operatorId };
}

function toRecord({ name, email, role, disabledAt }: Operator): object {
  return { name, email, role, disabled_at: disabledAt };
}
