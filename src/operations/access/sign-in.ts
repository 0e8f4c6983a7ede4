import type { CheckedSecret } from '../../domain/access/checksummed-secret.ts';
import { isSameSecret } from '../../domain/access/checksummed-secret.ts';
import type { Operator } from '../../domain/access/operator.ts';
import {
  CREDENTIAL_SECONDS,
  type CredentialKind,
  newCredential,
  parseCredential,
} from '../../domain/access/operator-credential.ts';
import type { Actor } from '../../domain/access/role.ts';
import { newId } from '../../domain/identifiers.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { lockOperator } from '../../store/access/operator.ts';
import {
  findOperatorCredential,
  type HeldCredential,
  insertOperatorCredential,
  lockOperatorCredential,
  updateOperatorCredentialEnded,
  updateOperatorCredentialUsed,
} from '../../store/access/operator-credential.ts';
import { updateCredentialsOfKindsEnded } from '../../store/access/operator-password.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { auditOperator, requireAuditedOperator, requireAuditedSignIn } from './audited-operator.ts';

export interface SignIn {
  readonly operator: Operator;
  /** Must be stored where only the operator can read it; the database stores its hash. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** Called with the new token before the COMMIT that makes it valid; when it throws, nothing is changed. */
type Store = (token: string) => void;

/**
 * Exchanges a code for a token. A code works once, within a day.
 *
 * @throws ServiceError `unauthorized`
 */
export async function signIn(database: Database, code: string, store?: Store): Promise<SignIn> {
  const parsed = parseCredential('code', code);
  if (!parsed) throw refusal('Invalid sign-in code: it must start with pi_code_ and match its checksum. Copy the whole code.');
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const held = await lockCredential(db, 'code', parsed.id);
    if (!held || !isSameSecret(parsed, held) || !held.isValid)
      throw refusal(
        'This sign-in code is not valid: it was used, has expired after a day, or belongs to another installation. An admin can create a new one: npx partner-impact operator reset-sign-in --operator ID',
      );
    return replaceCredential(db, { id: parsed.id, held, store }, 'operator.sign-in');
  });
}

/**
 * Exchanges a valid token for a new one with the full time, so that no new code is needed.
 *
 * @throws ServiceError As {@link authenticateOperator}.
 */
export async function renewSignIn(database: Database, token: string, store?: Store): Promise<SignIn> {
  await authenticateOperator(database, token);
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const parsed = parseCredential('token', token) as CheckedSecret;
    const held = await lockCredential(db, 'token', parsed.id);
    if (!held?.isValid || held.disabledAt) throw ended('The sign-in on this machine has ended.');
    return replaceCredential(db, { id: parsed.id, held, store }, 'operator.renew-sign-in');
  });
}

/** Ends the credential and creates a token. */
async function replaceCredential(
  db: Queryable,
  { id, held, store }: { readonly id: string; readonly held: HeldCredential; readonly store: Store | undefined },
  action: string,
): Promise<SignIn> {
  await requireAuditedOperator(db, held.operatorId);
  await updateOperatorCredentialEnded(db, id);
  // Whoever has signed in needs no other code.
  if (held.credential.kind === 'code') await updateCredentialsOfKindsEnded(db, held.operatorId, ['code']);
  const { text: token, id: credentialId, secretSha256 } = newCredential('token');
  store?.(token);
  const { operatorId } = held;
  const credential = { credentialId, operatorId, kind: 'token', secretSha256, seconds: CREDENTIAL_SECONDS.token } as const;
  const expiresAt = await insertOperatorCredential(db, credential);
  await auditOperator(db, actorOf(held), { operatorId, action });
  return { operator: held, token, expiresAt };
}

/** Ends a valid token. */
export async function signOut(database: Database, token: string): Promise<void> {
  const parsed = parseCredential('token', token);
  if (!parsed) return;
  await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const held = await lockCredential(db, 'token', parsed.id);
    if (!held?.isValid || !isSameSecret(parsed, held)) return;
    await requireAuditedOperator(db, held.operatorId);
    await updateOperatorCredentialEnded(db, parsed.id);
    await auditOperator(db, actorOf(held), { ...held, action: 'operator.sign-out' });
  });
}

/**
 * The operator of a token, with the current role.
 *
 * @throws ServiceError `unauthorized` for a token that has ended, `forbidden` for a disabled operator.
 * @throws UnverifiedRecordError For an operator or a token that differs from the audit.
 */
export async function authenticateOperator(
  database: Database,
  token: string,
): Promise<{ readonly actor: Actor; readonly operator: Operator; readonly expiresAt: Date }> {
  const parsed = parseCredential('token', token);
  const held = parsed && (await findOperatorCredential(database.pool, 'token', parsed.id));
  if (!parsed || !held || !isSameSecret(parsed, held))
    throw ended('This installation does not know the sign-in on this machine.');
  if (held.disabledAt)
    throw new ServiceError(
      'forbidden',
      `The operator ${held.operatorId} (${held.name}) is disabled. To sign in as another operator: npx partner-impact logout`,
    );
  if (!held.isValid) throw ended(`The sign-in of ${held.operatorId} (${held.name}) has ended.`);
  requireAuditedSignIn(database, held);
  await updateOperatorCredentialUsed(database.pool, parsed.id);
  return { actor: actorOf(held), operator: held, expiresAt: held.expiresAt };
}

/** Locks the operator first, as every change of an operator does. */
async function lockCredential(db: Queryable, kind: CredentialKind, credentialId: string): Promise<HeldCredential | undefined> {
  const found = await findOperatorCredential(db, kind, credentialId);
  if (!found) return undefined;
  await lockOperator(db, found.operatorId);
  return lockOperatorCredential(db, kind, credentialId);
}

function actorOf({ operatorId, role, credential: { credentialId } }: HeldCredential): Actor {
  return { operatorId, role, credentialId, correlationId: newId('corr') };
}

function refusal(sentence: string): ServiceError {
  return new ServiceError('unauthorized', sentence);
}

function ended(sentence: string): ServiceError {
  return refusal(
    `${sentence} Sign in again with a code from an admin: npx partner-impact login. In a sandbox you may also work without a sign-in: npx partner-impact logout`,
  );
}
