import type { Actor } from '../../domain/access/role.ts';
import { invalidRequest, problem, recordNotFound, ServiceError } from '../../domain/service-error.ts';
import { findOperator } from '../../store/access/operator.ts';
import { updateOperatorCredentialEnded } from '../../store/access/operator-credential.ts';
import { listPasskeys, type StoredPasskey, usePasskey } from '../../store/access/operator-passkey.ts';
import { findVerifiers } from '../../store/access/operator-password.ts';
import type { Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { auditOperator, lockAuditedOperator } from './audited-operator.ts';
import { insertVerifier } from './insert-verifier.ts';
import type { SessionTools } from './operator-session.ts';
import { type KeptPasskey, optionsToAdd, type PageAddress, readNewPasskey } from './passkey.ts';
import { openChallenge, sealChallenge } from './passkey-challenge.ts';

/** Enough for five devices of a person, and for their replacements. */
const PASSKEYS_MAX = 10;

/** What a challenge of an operator who is signed in is sealed for: it opens for no sign-in, and for nobody else. */
export const purposeOfAdding = (operatorId: string): string => `${operatorId} adds a passkey`;

export interface BegunPasskey {
  readonly optionsJson: string;
  /** It comes back with the answer of the browser, and nothing is kept until then. */
  readonly challenge: string;
}

export async function beginPasskey(
  tools: SessionTools,
  { operatorId, purpose }: { readonly operatorId: string; readonly purpose: string },
  page: PageAddress,
): Promise<BegunPasskey> {
  const { pool } = tools.database;
  const operator = await findOperator(pool, operatorId);
  const known = (await listPasskeys(pool, operatorId)).map(readPasskey);
  const owner = { operatorId, name: operator?.name ?? operatorId, email: operator?.email ?? null };
  const { challenge, optionsJson } = await optionsToAdd(owner, page, known);
  return { optionsJson, challenge: await sealChallenge(pool, tools.sealing(purpose).seal, challenge) };
}

export interface NewPasskey extends PageAddress {
  readonly name: string;
  readonly responseJson: string;
  readonly challenge: string;
}

/** A passkey that answered its challenge, and is not kept yet. */
export interface ReadPasskey {
  readonly passkey: KeptPasskey;
  readonly counter: number;
  readonly challengeAtMs: number;
}

/** @throws ServiceError `invalid_request` for an answer that is not to this challenge. */
export async function readChallengedPasskey(tools: SessionTools, purpose: string, given: NewPasskey): Promise<ReadPasskey> {
  const { challenge, atMs } = await openChallenge(tools.database.pool, tools.sealing(purpose).open, given.challenge);
  return { ...(await readAnswer({ ...given, challenge })), challengeAtMs: atMs };
}

/**
 * In the transaction that has locked the operator, before its audit entry.
 *
 * @throws ServiceError `invalid_request` for the eleventh passkey, and for one that was added already.
 */
export async function insertPasskey(
  db: Queryable,
  operatorId: string,
  { passkey, counter, challengeAtMs }: ReadPasskey,
): Promise<StoredPasskey> {
  const known = await listPasskeys(db, operatorId);
  if (known.length >= PASSKEYS_MAX) throw refusal(`There are ${PASSKEYS_MAX} passkeys already. Remove one of them first.`);
  if (known.some((each) => readPasskey(each).id === passkey.id)) throw refusal('This passkey was added already.');
  const credentialId = await insertVerifier(db, { operatorId, kind: 'passkey', verifier: JSON.stringify(passkey) });
  await usePasskey(db, credentialId, { counter, challengeAtMs });
  return (await listPasskeys(db, operatorId)).find((each) => each.credentialId === credentialId) as StoredPasskey;
}

/**
 * From now on this passkey signs in, beside the password.
 *
 * @throws ServiceError As {@link readChallengedPasskey} and {@link insertPasskey}.
 */
export async function addPasskey(tools: SessionTools, own: Actor, given: NewPasskey): Promise<StoredPasskey> {
  const { operatorId } = own;
  const read = await readChallengedPasskey(tools, purposeOfAdding(operatorId), given);
  return inTransaction(tools.database, USUAL_LOCK_TIMEOUT, async (db) => {
    await lockAuditedOperator(db, operatorId);
    const added = await insertPasskey(db, operatorId, read);
    await auditOperator(db, own, { operatorId, action: 'operator.add-passkey' });
    return added;
  });
}

/** @throws ServiceError `invalid_request`; 404 for a passkey that is not the operator's own. */
export async function removePasskey({ database }: SessionTools, own: Actor, credentialId: string): Promise<void> {
  const { operatorId } = own;
  await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    await lockAuditedOperator(db, operatorId);
    const known = await listPasskeys(db, operatorId);
    if (!known.some((each) => each.credentialId === credentialId))
      throw recordNotFound('passkey_id', 'There is no such passkey of yours. Reload the list.');
    if (known.length === 1 && !(await findVerifiers(db, operatorId)).password) throw lastOne();
    await updateOperatorCredentialEnded(db, credentialId);
    await auditOperator(db, own, { operatorId, action: 'operator.remove-passkey' });
  });
}

function lastOne(): ServiceError {
  const message =
    'You have no password, so nothing else signs you in. Add another passkey first, or set a password by a one-time link.';
  return invalidRequest([problem('passkey_id', 'unsupported_value', message)]);
}

export function readPasskey({ verifier }: Pick<StoredPasskey, 'verifier'>): KeptPasskey {
  return JSON.parse(verifier) as KeptPasskey;
}

async function readAnswer(given: NewPasskey): ReturnType<typeof readNewPasskey> {
  try {
    return await readNewPasskey(given, given.name);
  } catch (cause) {
    throw refusal('An authenticator did not answer this challenge. Begin again.', cause);
  }
}

function refusal(message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_request', message, {
    details: [{ field: 'response_json', code: 'wrong_form', message }],
    cause,
  });
}
