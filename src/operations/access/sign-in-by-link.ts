/** The one-time link: traded once, for a password or a passkey of the person's own. */
import { isSameSecret } from '../../domain/access/checksummed-secret.ts';
import { parseCredential } from '../../domain/access/operator-credential.ts';
import { hashPassword } from '../../domain/access/password.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { findOperatorCredential, type HeldCredential, lockOperatorCredential } from '../../store/access/operator-credential.ts';
import {
  claimPasswordAttempt,
  findVerifiers,
  updateCredentialsOfKindsEnded,
  type Verifier,
} from '../../store/access/operator-password.ts';
import type { Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { lockAuditedOperator, requireAuditedOperator } from './audited-operator.ts';
import { type BegunPasskey, beginPasskey, insertPasskey, type NewPasskey, readChallengedPasskey } from './manage-passkey.ts';
import { lockForSession, type OpenedSession, openSession, type RequestOfSession, type SessionTools } from './operator-session.ts';
import type { PageAddress } from './passkey.ts';
import { requireSecondFactor, secondFactorMissing, useSecondFactor } from './second-factor.ts';
import { factorOf, refusePassword, replacePassword, tooManyAttempts } from './sign-in-by-password.ts';

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
  return useLink(tools, { known, request }, async (db, held, factor) => {
    await useSecondFactor(db, { held: factor, ...(await factorOf(tools, db, held, link.totp)) });
    await replacePassword(db, held.operatorId, verifier);
    return openSession(db, held, { action: 'operator.set-password', request });
  });
}

/**
 * What the browser is asked, to trade the code for a passkey. A code of the second factor is used here, so that no device keeps a passkey
 * that is refused for it; the link itself is not used yet.
 *
 * @throws ServiceError `unauthorized` for a code that is not valid, and for a code of the second factor that is missing or wrong.
 */
export async function beginPasskeyByCode(tools: SessionTools, { code, totp }: Link, page: PageAddress): Promise<BegunPasskey> {
  const known = await findLink(tools, code);
  const { operatorId } = known;
  const { totp: factor } = await findVerifiers(tools.database.pool, operatorId);
  if (factor) {
    if (totp === undefined) throw secondFactorMissing();
    await claimAttempt(tools, known);
    await inTransaction(tools.database, USUAL_LOCK_TIMEOUT, async (db) => {
      await lockAuditedOperator(db, operatorId);
      await requireSecondFactor(db, { held: factor, ...(await factorOf(tools, db, known, totp)) });
    });
  }
  return beginPasskey(tools, { operatorId, purpose: purposeOf(known, factor) }, page);
}

/**
 * Trades a sign-in code for a passkey, and a session. A password of before ends with all sessions, as if another one took its place.
 *
 * @throws ServiceError `unauthorized` for a code that is not valid; `invalid_request` for an answer that is not to the challenge of this
 * link and this second factor, and for the eleventh passkey.
 */
export async function addPasskeyByCode(
  tools: SessionTools,
  { code, ...given }: Pick<Link, 'code'> & NewPasskey,
  request: RequestOfSession,
): Promise<OpenedSession> {
  const known = await findLink(tools, code);
  const { totp: factor } = await findVerifiers(tools.database.pool, known.operatorId);
  // The challenge opens only if the second factor was given.
  const purpose = purposeOf(known, factor);
  const passkey = await readChallengedPasskey(tools, purpose, given);
  return useLink(tools, { known, request }, async (db, held, factorNow) => {
    if (purposeOf(held, factorNow) !== purpose) throw secondFactorMissing();
    await updateCredentialsOfKindsEnded(db, held.operatorId, ['password', 'session']);
    await insertPasskey(db, held.operatorId, passkey);
    return openSession(db, held, { action: 'operator.add-passkey', request });
  });
}

/** What a challenge is sealed for: it opens with this link alone, and only while the operator has the second factor that was given. */
function purposeOf({ operatorId, credential }: HeldCredential, factor: Verifier | undefined): string {
  return `${operatorId} trades ${credential.credentialId} for a passkey, with ${factor?.credentialId ?? 'no second factor'}`;
}

async function findLink({ database }: SessionTools, code: string): Promise<HeldCredential> {
  const parsed = parseCredential('code', code);
  const known = parsed && (await findOperatorCredential(database.pool, 'code', parsed.id));
  if (!parsed || !known || !isSameSecret(parsed, known) || !known.isValid || known.disabledAt) throw codeRefused();
  return known;
}

/** Whoever has somebody's link must not find the second factor by trying. */
async function claimAttempt({ database }: SessionTools, { credential }: HeldCredential): Promise<void> {
  const waitSeconds = await claimPasswordAttempt(database.pool, credential.credentialId);
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
}

/** Ends the link and does the work, in one transaction. Of several requests at once, one succeeds. */
async function useLink(
  { database }: SessionTools,
  { known, request }: { readonly known: HeldCredential; readonly request: RequestOfSession },
  work: (db: Queryable, held: HeldCredential, factor: Verifier | undefined) => Promise<OpenedSession>,
): Promise<OpenedSession> {
  const { operatorId } = known;
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    await lockForSession(db, operatorId, request);
    const held = await lockOperatorCredential(db, 'code', known.credential.credentialId);
    if (!held?.isValid || held.disabledAt) throw codeRefused();
    await requireAuditedOperator(db, operatorId);
    const { totp: factor } = await findVerifiers(db, operatorId);
    await updateCredentialsOfKindsEnded(db, operatorId, ['code']);
    return work(db, held, factor);
  });
}

function codeRefused(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'This one-time link is not valid: it was used, or has expired after a day. Ask an admin for a new one: npx partner-impact operator reset-sign-in --operator ID',
  );
}
