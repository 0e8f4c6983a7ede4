import { createHmac, timingSafeEqual } from 'node:crypto';
import { isSameSecret } from '../../domain/access/checksummed-secret.ts';
import type { Operator } from '../../domain/access/operator.ts';
import {
  CREDENTIAL_SECONDS,
  type CredentialKind,
  newCredential,
  parseCredential,
  SESSIONS_MAX,
} from '../../domain/access/operator-credential.ts';
import type { PasswordCosts } from '../../domain/access/password.ts';
import type { Actor } from '../../domain/access/role.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { lockOperator } from '../../store/access/operator.ts';
import {
  findOperatorCredential,
  type HeldCredential,
  insertOperatorCredential,
  updateOldSessionsEnded,
  updateOperatorCredentialEnded,
  updateOperatorCredentialUsed,
} from '../../store/access/operator-credential.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { auditOperator, isAuditedOperator, requireAuditedSignIn } from './audited-operator.ts';
import type { SecretSealing } from './second-factor.ts';
import type { UnknownLogins } from './unknown-login-attempts.ts';

export interface SessionTools {
  readonly database: Database;
  readonly sealing: SecretSealing;
  readonly shared: { readonly unknownLogins: UnknownLogins };
  /** The costs of new passwords; the usual ones by default. */
  readonly passwordCosts?: PasswordCosts | undefined;
}

/** A session of a browser. */
export interface OpenedSession {
  /** For the cookie; the database keeps its hash. */
  readonly token: string;
  readonly session: OperatorSession;
}

export interface OperatorSession {
  readonly credentialId: string;
  readonly operator: Operator;
  /** When the password or a passkey was given: some operations need it to be of the last 10 minutes. */
  readonly signedInAt: Date;
  /** How long ago that was, by the database's clock. */
  readonly signedInForMs: number;
  readonly expiresAt: Date;
  /** What every change sends in a header of its own: a page of another site knows the cookie's browser, and not this. */
  readonly csrfToken: string;
  readonly hasSecondFactor: boolean;
  readonly hasPassword: boolean;
  readonly hasPasskey: boolean;
}

export interface RequestOfSession {
  readonly correlationId: string;
  /** The session that the browser had until now: it ends, whoever's it was. */
  readonly formerToken: string | undefined;
}

/** Ends a session, if it is one. */
export async function endSession({ database }: SessionTools, token: string, correlationId: string): Promise<void> {
  await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const operatorId = await findHolder(db, token);
    const held = operatorId === undefined ? undefined : await lockOperator(db, operatorId);
    if (held) await endAudited(db, actorOf(held, correlationId), { operatorId: held.operatorId, token });
  });
}

/**
 * Who holds a session, with the role of this moment.
 *
 * @param isActivity Whether the person did something; a page that looks for news by itself keeps no session alive.
 * @throws ServiceError `unauthorized` for a session that has ended, and for an operator who is disabled.
 * @throws UnverifiedRecordError For an operator or a session that differs from the audit.
 */
export async function findSession(
  { database }: Pick<SessionTools, 'database'>,
  token: string,
  { isActivity }: { readonly isActivity: boolean },
): Promise<OperatorSession> {
  const parsed = parseCredential('session', token);
  const held = parsed && (await findOperatorCredential(database.pool, 'session', parsed.id));
  if (!parsed || !held || !isSameSecret(parsed, held) || !held.isValid || held.disabledAt) throw sessionEnded();
  requireAuditedSignIn(database, held);
  if (isActivity && !held.isNotedAsUsed) await updateOperatorCredentialUsed(database.pool, parsed.id);
  return describe(held, token);
}

export function sessionEnded(): ServiceError {
  return new ServiceError('unauthorized', 'No operator is signed in, or the session has ended. Sign in.');
}

/**
 * Locks who signs in, and whoever's session the browser had until now, in the order of their ids: of two people who change their browsers
 * at the same time one waits for the other.
 */
export async function lockForSession(db: Queryable, operatorId: string, { formerToken }: RequestOfSession): Promise<void> {
  const formerId = formerToken === undefined ? undefined : await findHolder(db, formerToken);
  const ids = new Set([operatorId, formerId ?? operatorId]);
  for (const id of [...ids].sort()) await lockOperator(db, id);
}

/**
 * A session is never taken over: whatever the browser sent before ends, and a new one begins. In a transaction with the locks of
 * {@link lockForSession}.
 */
export async function openSession(
  db: Queryable,
  held: HeldCredential,
  { action, request }: { readonly action: string; readonly request: RequestOfSession },
): Promise<OpenedSession> {
  const { operatorId } = held;
  if (request.formerToken !== undefined) await endFormer(db, request.formerToken, actorOf(held, request.correlationId));
  await updateOldSessionsEnded(db, operatorId, SESSIONS_MAX - 1);
  const { text: token, id: credentialId, secretSha256 } = newCredential('session');
  const session = { credentialId, operatorId, kind: 'session', secretSha256, seconds: CREDENTIAL_SECONDS.session } as const;
  await insertOperatorCredential(db, session);
  await auditOperator(db, actorOf(held, request.correlationId), { operatorId, action });
  const opened = (await findOperatorCredential(db, 'session', credentialId)) as HeldCredential;
  return { token, session: describe(opened, token) };
}

/** The own one is in the entry of the sign-in; that of somebody else, who used this browser before, takes an entry about that operator. */
async function endFormer(db: Queryable, token: string, actor: Actor): Promise<void> {
  const operatorId = await findHolder(db, token);
  if (operatorId === undefined) return;
  if (operatorId === actor.operatorId) return endToken(db, token);
  await endAudited(db, actor, { operatorId, token });
}

/** @returns Whose session it is, where it is one. */
async function findHolder(db: Queryable, token: string): Promise<string | undefined> {
  const parsed = parseCredential('session', token);
  const held = parsed && (await findOperatorCredential(db, 'session', parsed.id));
  return parsed && held && isSameSecret(parsed, held) && held.isValid ? held.operatorId : undefined;
}

/** In a transaction that has locked the operator. No entry confirms an edited record, of which nobody may use any session. */
async function endAudited(
  db: Queryable,
  actor: Actor,
  { operatorId, token }: { operatorId: string; token: string },
): Promise<void> {
  const isAudited = await isAuditedOperator(db, operatorId);
  await endToken(db, token);
  if (isAudited) await auditOperator(db, actor, { operatorId, action: 'operator.sign-out' });
}

async function endToken(db: Queryable, token: string): Promise<void> {
  const parsed = parseCredential('session', token);
  if (parsed) await updateOperatorCredentialEnded(db, parsed.id);
}

function describe(held: HeldCredential, token: string): OperatorSession {
  const { operatorId, name, email, role, createdAt, disabledAt, credential, ageMs, verifierKinds } = held;
  const has = (kind: CredentialKind) => verifierKinds.includes(kind);
  return {
    credentialId: credential.credentialId,
    operator: { operatorId, name, email, role, createdAt, disabledAt },
    signedInAt: credential.createdAt,
    signedInForMs: ageMs,
    expiresAt: held.expiresAt,
    csrfToken: csrfTokenOf(token),
    hasPassword: has('password'),
    hasSecondFactor: has('totp'),
    hasPasskey: has('passkey'),
  };
}

/** It tells nothing of the session's secret, and lives as long. */
function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}

export function isCsrfTokenOf(session: OperatorSession, sent: unknown): boolean {
  const own = Buffer.from(session.csrfToken);
  const given = Buffer.from(typeof sent === 'string' ? sent : '');
  return own.length === given.length && timingSafeEqual(own, given);
}

function actorOf({ operatorId, role }: Pick<Operator, 'operatorId' | 'role'>, correlationId: string): Actor {
  return { operatorId, role, correlationId };
}
