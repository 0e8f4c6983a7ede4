/** The one-time link: traded once, for a password or a passkey of the person's own. */
import { parseCredential } from '../../domain/access/operator.ts';
import { hashPassword } from '../../domain/access/password.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { lockOperator } from '../../store/access/operator.ts';
import { findOperatorCredential, type HeldCredential, lockOperatorCredential } from '../../store/access/operator-credential.ts';
import { claimPasswordAttempt, findVerifiers, updateCredentialsOfKindsEnded } from '../../store/access/operator-password.ts';
import type { Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { requireAuditedOperator } from './audit-operator.ts';
import { type BegunPasskey, beginPasskey, insertPasskey, type NewPasskey, readChallengedPasskey } from './manage-passkey.ts';
import { isSame, type OpenedSession, openSession, type RequestOfSession, type SessionTools } from './operator-session.ts';
import type { PageAddress } from './passkey.ts';
import { requireSecondFactor, secondFactorMissing } from './second-factor.ts';
import { factorOf, refusePassword, replacePassword, throttled } from './sign-in-by-password.ts';

interface Link {
  readonly code: string;
  readonly totp: string | undefined;
}

/**
 * Trades a sign-in code for a password of the person's own choice, and a session. The code works once. A second factor stays, and is asked
 * for here too; an admin's `reset-sign-in` removes it.
 *
 * @throws ServiceError `unauthorized` for a code that is not valid; `invalid_request` for a password that cannot be taken.
 */
export async function signInByCode(
  tools: SessionTools,
  { password, ...link }: Link & { readonly password: string },
  request: RequestOfSession,
): Promise<OpenedSession> {
  const known = await findLink(tools, link.code);
  refusePassword(password, known);
  await claimAttempt(tools, known);
  const verifier = await hashPassword(password, tools.passwordCosts);
  return useLink(tools, { known, totp: link.totp }, async (db, held) => {
    await replacePassword(db, held.operatorId, verifier);
    return openSession(db, held, { action: 'operator.set-password', request });
  });
}

/**
 * What the browser is asked, to trade the code for a passkey. Nothing changes before its answer.
 *
 * @throws ServiceError `unauthorized` for a code that is not valid, and for a code of the second factor that is missing.
 */
export async function beginPasskeyByCode(tools: SessionTools, { code, totp }: Link, page: PageAddress): Promise<BegunPasskey> {
  const { operatorId } = await findLink(tools, code);
  const { totp: factor } = await findVerifiers(tools.database.pool, operatorId);
  if (factor && totp === undefined) throw secondFactorMissing();
  return beginPasskey(tools, { operatorId }, page);
}

/**
 * Trades a sign-in code for a passkey, and a session. A password of before ends with all sessions, as if another one took its place.
 *
 * @throws ServiceError As {@link signInByCode}; `invalid_request` for an answer that is not to the challenge, and for the eleventh passkey.
 */
export async function addPasskeyByCode(
  tools: SessionTools,
  { code, totp, ...given }: Link & NewPasskey,
  request: RequestOfSession,
): Promise<OpenedSession> {
  const known = await findLink(tools, code);
  const passkey = await readChallengedPasskey(tools, known.operatorId, given);
  await claimAttempt(tools, known);
  return useLink(tools, { known, totp }, async (db, held) => {
    await updateCredentialsOfKindsEnded(db, held.operatorId, ['password', 'session']);
    await insertPasskey(db, held.operatorId, passkey);
    return openSession(db, held, { action: 'operator.add-passkey', request });
  });
}

async function findLink({ database }: SessionTools, code: string): Promise<HeldCredential> {
  const parsed = parseCredential('code', code);
  const known = parsed && (await findOperatorCredential(database.pool, 'code', parsed.id));
  if (!parsed || !known || !isSame(known, parsed) || !known.isValid || known.disabledAt) throw codeRefused();
  return known;
}

/** Whoever has somebody's link must not find the second factor by trying. */
async function claimAttempt({ database }: SessionTools, { credential }: HeldCredential): Promise<void> {
  const waitSeconds = await claimPasswordAttempt(database.pool, credential.credentialId);
  if (waitSeconds > 0) throw throttled(waitSeconds);
}

/** Of several at once, one; in one transaction with what takes the place of the link. */
async function useLink(
  tools: SessionTools,
  { known, totp }: { readonly known: HeldCredential; readonly totp: string | undefined },
  work: (db: Queryable, held: HeldCredential) => Promise<OpenedSession>,
): Promise<OpenedSession> {
  const { operatorId } = known;
  return inTransaction(tools.database, USUAL_LOCK_TIMEOUT, async (db) => {
    await lockOperator(db, operatorId);
    const held = await lockOperatorCredential(db, 'code', known.credential.credentialId);
    if (!held?.isValid || held.disabledAt) throw codeRefused();
    await requireAuditedOperator(db, operatorId);
    const { totp: factor } = await findVerifiers(db, operatorId);
    await requireSecondFactor(db, { held: factor, ...(await factorOf(tools, db, held, totp)) });
    await updateCredentialsOfKindsEnded(db, operatorId, ['code']);
    return work(db, held);
  });
}

function codeRefused(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'This one-time link is not valid: it was used, or has expired after a day. Ask an admin for a new one: npx partner-impact operator reset-sign-in --operator ID',
  );
}
