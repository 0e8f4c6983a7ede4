import { canonicalAddress } from '../../domain/access/email-address.ts';
import type { Operator } from '../../domain/access/operator.ts';
import { findPasswordProblem, hashPassword, isPassword } from '../../domain/access/password.ts';
import { invalidRequest, problem, ServiceError } from '../../domain/service-error.ts';
import { findOperator } from '../../store/access/operator.ts';
import { lockOperatorCredential } from '../../store/access/operator-credential.ts';
import {
  claimPasswordAttempt,
  findOperatorOfLogin,
  findVerifiers,
  updateCredentialsOfKindsEnded,
  updatePasswordAttemptsSucceeded,
} from '../../store/access/operator-password.ts';
import { readClock } from '../../store/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { requireAuditedOperator, requireAuditedSignIn } from './audited-operator.ts';
import { insertVerifier } from './insert-verifier.ts';
import { lockForSession, type OpenedSession, openSession, type RequestOfSession, type SessionTools } from './operator-session.ts';
import { requireOwnVerifier, useSecondFactor } from './second-factor.ts';

export interface PasswordSignIn {
  /** The e-mail address or the id of the operator. */
  readonly login: string;
  readonly password: string;
  readonly totp: string | undefined;
}

/**
 * Signs in by password.
 *
 * @throws ServiceError in the same words for an unknown operator and for a wrong password: `unauthorized`; `rate_limited` after five wrong
 * ones in a row.
 */
export async function signInByPassword(
  tools: SessionTools,
  { login, password, totp }: PasswordSignIn,
  request: RequestOfSession,
): Promise<OpenedSession> {
  const { pool } = tools.database;
  const address = canonicalAddress(login);
  const operatorId = await findOperatorOfLogin(
    pool,
    address === undefined ? { operatorId: login } : { canonicalAddress: address },
  );
  if (operatorId === undefined) return refuseUnknown(tools, { login: address ?? login, password });
  const credentialId = await checkPassword(tools, { operatorId, password });
  return open(tools, { operatorId, credentialId, totp, action: 'operator.open-session' }, request);
}

/**
 * Requires the password again, and gives the browser another session, for an operation that needs a sign-in of the last 10 minutes.
 *
 * @throws ServiceError As {@link signInByPassword}.
 */
export async function signInAgain(
  tools: SessionTools,
  { operatorId, password, totp }: { readonly operatorId: string; readonly password: string; readonly totp: string | undefined },
  request: RequestOfSession,
): Promise<OpenedSession> {
  const credentialId = await checkPassword(tools, { operatorId, password });
  return open(tools, { operatorId, credentialId, totp, action: 'operator.sign-in-again' }, request);
}

/**
 * Takes another password. All sessions of the operator end; the one that is given takes their place.
 *
 * @throws ServiceError As {@link signInByPassword}; `invalid_request` for a password that cannot be taken.
 */
export async function changePassword(
  tools: SessionTools,
  {
    operatorId,
    password,
    newPassword,
    totp,
  }: { readonly operatorId: string; readonly password: string; readonly newPassword: string; readonly totp: string | undefined },
  request: RequestOfSession,
): Promise<OpenedSession> {
  // Before the old one is checked: a refused new one would be counted as a wrong old one.
  const operator = await findOperator(tools.database.pool, operatorId);
  if (operator) refusePassword(newPassword, operator, 'new_password');
  const credentialId = await checkPassword(tools, { operatorId, password });
  const verifier = await hashPassword(newPassword, tools.passwordCosts);
  return open(tools, { operatorId, credentialId, totp, verifier, action: 'operator.set-password' }, request);
}

/** @returns The credential of the password. */
async function checkPassword(
  tools: SessionTools,
  { operatorId, password }: { readonly operatorId: string; readonly password: string },
): Promise<string> {
  const { pool } = tools.database;
  const held = (await findVerifiers(pool, operatorId)).password;
  if (!held) return refuseUnknown(tools, { login: operatorId, password });
  const waitSeconds = await claimPasswordAttempt(pool, held.credentialId);
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
  if (!(await isPassword(password, held.verifier))) throw passwordRefused();
  return held.credentialId;
}

interface Opening {
  readonly operatorId: string;
  /** The password, which was checked just before. */
  readonly credentialId: string;
  readonly totp: string | undefined;
  readonly action: string;
  /** What a new password is checked with. It replaces the old one. */
  readonly verifier?: string;
}

async function open(tools: SessionTools, opening: Opening, request: RequestOfSession): Promise<OpenedSession> {
  const { operatorId, credentialId, totp, action, verifier } = opening;
  return inTransaction(tools.database, USUAL_LOCK_TIMEOUT, async (db) => {
    await lockForSession(db, operatorId, request);
    const held = await lockOperatorCredential(db, 'password', credentialId);
    if (!held?.isValid || held.disabledAt) throw passwordRefused();
    const verifiers = await findVerifiers(db, operatorId);
    if (verifiers.password?.credentialId !== credentialId) throw passwordRefused();
    requireOwnVerifier(verifiers.password);
    requireAuditedSignIn(tools.database, held);
    await requireAuditedOperator(db, operatorId);
    await useSecondFactor(db, { held: verifiers.totp, ...(await factorOf(tools, db, held, totp)) });
    await updatePasswordAttemptsSucceeded(db, credentialId);
    if (verifier !== undefined) await replacePassword(db, operatorId, verifier);
    return openSession(db, held, { action, request });
  });
}

/** What is needed beside the stored second factor of the operator. */
export async function factorOf(tools: SessionTools, db: Queryable, { operatorId }: Operator, code: string | undefined) {
  return { code, sealing: tools.sealing(operatorId), nowMs: (await readClock(db)).getTime() };
}

/** All sessions of the operator end. */
export async function replacePassword(db: Queryable, operatorId: string, verifier: string): Promise<void> {
  await updateCredentialsOfKindsEnded(db, operatorId, ['password', 'session']);
  await insertVerifier(db, { operatorId, kind: 'password', verifier });
}

/**
 * @param field Of the request, which holds the password.
 * @throws ServiceError `invalid_request` for a password that cannot be taken.
 */
export function refusePassword(password: string, { name, email }: Pick<Operator, 'name' | 'email'>, field = 'password'): void {
  const message = findPasswordProblem(password, [name, email, email?.split('@')[0] ?? null]);
  if (message !== undefined) throw invalidRequest([problem(field, 'unsupported_value', message)]);
}

/** It is counted, and takes as long, as a wrong password. */
async function refuseUnknown(
  { shared, passwordCosts }: SessionTools,
  { login, password }: Pick<PasswordSignIn, 'login' | 'password'>,
): Promise<never> {
  const waitSeconds = shared.unknownLogins.claimAttempt(login);
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
  await isPassword(password, undefined, passwordCosts);
  throw passwordRefused();
}

function passwordRefused(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'The operator or the password is wrong. Whoever has no password yet opens the one-time link of an admin.',
  );
}

export function tooManyAttempts(waitSeconds: number): ServiceError {
  const message = `There were too many wrong attempts to sign in as this operator. Wait ${waitSeconds} s (Retry-After), then try again; or open a new one-time link.`;
  return new ServiceError('rate_limited', message, { headers: { 'retry-after': String(waitSeconds) } });
}
