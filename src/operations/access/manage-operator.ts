import { readAddress } from '../../domain/access/email-address.ts';
import type { Operator } from '../../domain/access/operator.ts';
import { CREDENTIAL_SECONDS, newCredential } from '../../domain/access/operator-credential.ts';
import { type Actor, isAtLeast, type Role } from '../../domain/access/role.ts';
import type { DetailCode } from '../../domain/detail-codes.ts';
import { newId } from '../../domain/identifiers.ts';
import { invalidRequest, problem, recordNotFound, ServiceError } from '../../domain/service-error.ts';
import {
  insertOperator,
  listOperators,
  updateOperatorDisabled,
  updateOperatorEmail,
  updateOperatorRole,
} from '../../store/access/operator.ts';
import {
  insertOperatorCredential,
  listLiveCredentials,
  updateOperatorCredentialsEnded,
} from '../../store/access/operator-credential.ts';
import { updateCredentialsOfKindsEnded } from '../../store/access/operator-password.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { updateFirstAdmin } from '../../store/installation.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { requireName } from '../require-line.ts';
import { withRole } from '../with-role.ts';
import { auditOperator, lockAuditedOperator } from './audited-operator.ts';
import { requireSignedIn } from './four-eyes.ts';

export interface NewOperator {
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
}

/** The one-time code of a new operator, shown once. */
export interface SignInCode {
  readonly operator: Operator;
  readonly signInCode: string;
  readonly expiresAt: Date;
}

/**
 * @throws ServiceError `forbidden`; `invalid_request` for an invalid name or address, for an address that another operator has, and for
 * an approver or an admin without one.
 */
export const createOperator = withRole(
  'admin',
  async (database: Database, actor: Actor, wanted: NewOperator): Promise<SignInCode> => {
    requireName(wanted.name);
    if (wanted.email !== null) requireAddress(wanted.email);
    requireAddressFor(wanted);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const operator = await insertOperator(db, { ...wanted, operatorId: newId('opr') });
      if (!operator) throw addressIsTaken(wanted.email);
      const code = await makeCode(db, operator);
      await auditOperator(db, actor, { ...operator, action: 'operator.create' });
      await recordFirstAdmin(db, operator);
      return code;
    });
  },
);

/**
 * Sets the address of an operator who has none. An address never changes, because it tells two operators apart.
 *
 * @throws ServiceError `forbidden`; `invalid_request` as {@link createOperator}, and for an operator who has one.
 */
export const enterAddress = withRole(
  'admin',
  async (database: Database, actor: Actor, operatorId: string, email: string): Promise<Operator> => {
    requireAddress(email);
    return withLockedOperator(database, operatorId, async (db, operator) => {
      if (operator.email !== null)
        throw new ServiceError(
          'invalid_request',
          `The operator ${operatorId} already has the address ${operator.email}, which cannot change. For another address disable the operator and create a new one.`,
        );
      const changed = await updateOperatorEmail(db, operatorId, email);
      if (!changed) throw addressIsTaken(email);
      await auditOperator(db, actor, { operatorId, action: 'operator.set-email', before: operator });
      return changed;
    });
  },
);

/** Takes effect at once: also for what the operator has begun and the audit does not have yet. */
export const changeOperatorRole = withRole(
  'admin',
  async (database: Database, actor: Actor, operatorId: string, role: Role): Promise<Operator> => {
    return withLockedOperator(database, operatorId, async (db, operator) => {
      requireAddressFor({ ...operator, role });
      const changed = await updateOperatorRole(db, operatorId, role);
      await auditOperator(db, actor, { operatorId, action: 'operator.change-role', before: operator });
      await recordFirstAdmin(db, changed);
      return changed;
    });
  },
);

/** Final: the operator is signed out everywhere, and cannot sign in again. */
export const disableOperator = withRole(
  'admin',
  async (database: Database, actor: Actor, operatorId: string): Promise<Operator> => {
    return withLockedOperator(database, operatorId, async (db, operator) => {
      const disabled = await updateOperatorDisabled(db, operatorId);
      await updateOperatorCredentialsEnded(db, operatorId);
      await auditOperator(db, actor, { operatorId, action: 'operator.disable', before: operator });
      return disabled;
    });
  },
);

/** Signs the operator out everywhere, and creates a new one-time code. */
export const resetSignIn = withRole(
  'admin',
  async (database: Database, actor: Actor, operatorId: string): Promise<SignInCode> => {
    return withLockedOperator(database, operatorId, async (db, operator) => {
      if (operator.disabledAt)
        throw new ServiceError(
          'invalid_request',
          `The operator ${operatorId} is disabled. Create a new one with \`operator create\`.`,
        );
      await updateOperatorCredentialsEnded(db, operatorId);
      const code = await makeCode(db, operator);
      await auditOperator(db, actor, { operatorId, action: 'operator.reset-sign-in', before: operator });
      return code;
    });
  },
);

/**
 * A code for the one operator of an installation that has no other, as long as that one signs in with nothing else: so whoever starts a
 * sandbox for the first time has a way into it.
 *
 * @param sampleIds Operators of sample data, who do not count.
 * @returns `undefined` where there is another operator, or this one is disabled, has another address than `first`, or has a password, a
 * passkey, a token or a session that has not ended.
 */
export async function createFirstCode(
  database: Database,
  owner: Actor,
  first: NewOperator,
  sampleIds: readonly string[] = [],
): Promise<string | undefined> {
  const people = (await listOperators(database.pool)).filter(({ operatorId }) => !sampleIds.includes(operatorId));
  const [operator, ...others] = people;
  if (!operator) return (await createOperator(database, owner, first).catch(noneIfMadeMeanwhile))?.signInCode;
  if (others.length > 0 || operator.email !== first.email || operator.disabledAt !== null) return undefined;
  const live = await listLiveCredentials(database.pool, [operator.operatorId]);
  return live.some(({ kind }) => kind !== 'code') ? undefined : addCode(database, owner, operator.operatorId);
}

/** Beside those that were not used: each works until one of them has. */
async function addCode(database: Database, actor: Actor, operatorId: string): Promise<string> {
  const { signInCode } = await withLockedOperator(database, operatorId, async (db, operator) => {
    const code = await makeCode(db, operator);
    await auditOperator(db, actor, { operatorId, action: 'operator.create-code' });
    return code;
  });
  return signInCode;
}

/** Another service of the same database started at the same moment, and shows the link. */
function noneIfMadeMeanwhile(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}

/**
 * A code for somebody's own browser, beside the sign-in that the person has. It takes the place of codes that were not used.
 *
 * @throws ServiceError `forbidden` for the owner account, which is no person.
 */
export async function createOwnCode(database: Database, own: Actor): Promise<SignInCode> {
  const { operatorId } = own;
  requireSignedIn({ operatorId });
  return withLockedOperator(database, operatorId, async (db, operator) => {
    await updateCredentialsOfKindsEnded(db, operatorId, ['code']);
    const code = await makeCode(db, operator);
    await auditOperator(db, own, { operatorId, action: 'operator.create-own-code' });
    return code;
  });
}

/** The work on an operator that agrees with the audit writes the audit entry itself. */
async function withLockedOperator<Result>(
  database: Database,
  operatorId: string,
  make: (db: Queryable, operator: Operator) => Promise<Result>,
): Promise<Result> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const operator = await lockAuditedOperator(db, operatorId);
    if (!operator) throw recordNotFound('operator_id', `There is no operator ${operatorId}. \`operator list\` shows all.`);
    return make(db, operator);
  });
}

/** After the audit entry, whose lock is held: when the owner account creates two first admins at once, one is refused. */
async function recordFirstAdmin(db: Queryable, { role }: Operator): Promise<void> {
  if (role === 'admin') await updateFirstAdmin(db);
}

function requireAddress(email: string): void {
  const read = readAddress(email);
  if ('problem' in read) throw refusal('wrong_form', `email: ${read.problem}`);
}

/** The address identifies the person behind an approver's account. */
function requireAddressFor({ email, role }: Pick<NewOperator, 'email' | 'role'>): void {
  if (email === null && isAtLeast(role, 'approver'))
    throw refusal(
      'missing',
      `The role ${role} needs an e-mail address, which identifies the person. Add it (on the command line by --email ADDRESS); an operator that exists gets one by npx partner-impact operator set-email.`,
    );
}

function addressIsTaken(email: string | null): ServiceError {
  return refusal(
    'duplicate',
    `Another operator has the address ${email}. Addresses are compared without case and without the part after a plus sign.`,
  );
}

function refusal(code: DetailCode, message: string): ServiceError {
  return invalidRequest([problem('email', code, message)]);
}

async function makeCode(db: Queryable, operator: Operator): Promise<SignInCode> {
  const { text, id: credentialId, secretSha256 } = newCredential('code');
  const { operatorId } = operator;
  const code = { credentialId, operatorId, kind: 'code', secretSha256, seconds: CREDENTIAL_SECONDS.code } as const;
  return { operator, signInCode: text, expiresAt: await insertOperatorCredential(db, code) };
}
