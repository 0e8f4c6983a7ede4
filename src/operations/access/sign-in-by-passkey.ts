import { ServiceError } from '../../domain/service-error.ts';
import { lockOperatorCredential, updateOperatorCredentialUsed } from '../../store/access/operator-credential.ts';
import { listPasskeys, usePasskey } from '../../store/access/operator-passkey.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { requireAuditedOperator, requireAuditedSignIn } from './audited-operator.ts';
import { type BegunPasskey, readPasskey } from './manage-passkey.ts';
import { lockForSession, type OpenedSession, openSession, type RequestOfSession, type SessionTools } from './operator-session.ts';
import { checkPasskey, nameOfAnswer, optionsToUse, type PageAddress } from './passkey.ts';
import { openChallenge, sealChallenge } from './passkey-challenge.ts';
import { requireOwnVerifier, type Sealing } from './second-factor.ts';

/** Before a sign-in nobody is known: the same for all. */
function sealingOf({ sealing }: SessionTools): Sealing {
  return sealing('a sign-in with a passkey');
}

/** @param operatorId Who signs in again; `undefined` where the authenticator says who it is. */
export async function beginPasskeySignIn(tools: SessionTools, page: PageAddress, operatorId?: string): Promise<BegunPasskey> {
  const { pool } = tools.database;
  const known = operatorId === undefined ? [] : (await listPasskeys(pool, operatorId)).map(readPasskey);
  const { challenge, optionsJson } = await optionsToUse(page, known);
  return { optionsJson, challenge: await sealChallenge(pool, sealingOf(tools).seal, challenge) };
}

export interface PasskeySignIn extends PageAddress {
  readonly responseJson: string;
  readonly challenge: string;
}

/**
 * Signs in by passkey: the device and the PIN, finger or face that opens it are two factors, so that no code of an app is asked for.
 *
 * @param again Who is signed in already, where the passkey is asked for before an operation that needs a sign-in of the last 10 minutes.
 * @throws ServiceError `unauthorized`, in the same words for a passkey that is unknown, removed, of somebody else, and for an answer that
 * is wrong or was given before; `invalid_request` for a challenge that is too old.
 * @throws UnverifiedRecordError For an operator or a passkey that differs from the audit.
 */
export async function signInByPasskey(
  tools: SessionTools,
  { challenge: sealed, ...given }: PasskeySignIn,
  { request, again }: { readonly request: RequestOfSession; readonly again?: string },
): Promise<OpenedSession> {
  const { challenge, atMs } = await openChallenge(tools.database.pool, sealingOf(tools).open, sealed);
  const { operatorId, id } = readName(given.responseJson);
  if (again !== undefined && again !== operatorId) throw refused();
  const passkey = (await listPasskeys(tools.database.pool, operatorId)).find((each) => {
    const kept = readPasskey(each);
    return kept.id === id && kept.rp_id === given.rpId;
  });
  if (!passkey) throw refused();
  const { credentialId } = passkey;
  requireOwnVerifier(passkey);
  const counter = await check({ ...given, challenge }, passkey);
  return inTransaction(tools.database, USUAL_LOCK_TIMEOUT, async (db) => {
    await lockForSession(db, operatorId, request);
    const held = await lockOperatorCredential(db, 'passkey', credentialId);
    if (!held?.isValid || held.disabledAt || !held.secretSha256.equals(passkey.secretSha256)) throw refused();
    requireAuditedSignIn(tools.database, held);
    await requireAuditedOperator(db, operatorId);
    if (!(await usePasskey(db, credentialId, { counter, challengeAtMs: atMs }))) throw refused();
    await updateOperatorCredentialUsed(db, credentialId);
    const action = again === undefined ? 'operator.open-session' : 'operator.sign-in-again';
    return openSession(db, held, { action, request });
  });
}

async function check(
  given: Omit<PasskeySignIn, 'challenge'> & { readonly challenge: string },
  passkey: { readonly verifier: string; readonly counter: bigint },
): Promise<number> {
  try {
    return await checkPasskey(given, readPasskey(passkey), Number(passkey.counter));
  } catch (cause) {
    throw refused(cause);
  }
}

function readName(responseJson: string): ReturnType<typeof nameOfAnswer> {
  try {
    return nameOfAnswer(responseJson);
  } catch (cause) {
    throw refused(cause);
  }
}

function refused(cause?: unknown): ServiceError {
  const message =
    'This passkey does not sign in here: its answer was used before, it was removed, or it is of another service. Try it once more, sign in with the password, or ask an admin for a one-time link.';
  return new ServiceError('unauthorized', message, { cause });
}
