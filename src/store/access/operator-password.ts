import type { CredentialKind } from '../../domain/access/operator-credential.ts';
import { SIGN_IN_ATTEMPTS } from '../../domain/access/sign-in-attempts.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import type { SecretsOfKey } from '../webhooks/webhook-endpoint.ts';

/** What names an operator who signs in by password: the address in its canonical form, or the id. */
export type Login = { readonly canonicalAddress: string } | { readonly operatorId: string };

const FIND: Statement = {
  name: 'find_operator_of_login',
  text: `select operator_id as "operatorId" from operator where disabled_at is null and (email_canonical = $1 or operator_id = $2)`,
};

/** Nobody who is disabled is one. */
export async function findOperatorOfLogin(db: Queryable, login: Login): Promise<string | undefined> {
  const values = 'operatorId' in login ? [null, login.operatorId] : [login.canonicalAddress, null];
  const [row] = await run<{ operatorId: string }>(db, FIND, values);
  return row?.operatorId;
}

/** What is kept of a password, of a second factor or of a passkey; an operator has at most one of the first two. */
export interface Verifier {
  readonly credentialId: string;
  readonly verifier: string;
  /** SHA-256 of the verifier. The audit has it too. */
  readonly secretSha256: Buffer;
}

const LIST: Statement = {
  name: 'list_operator_verifiers',
  text: `select credential_id as "credentialId", kind, verifier, secret_sha256 as "secretSha256" from operator_credential
    where operator_id = $1 and kind in ('password', 'totp') and ended_at is null order by created_at desc, credential_id desc`,
};

export async function findVerifiers(
  db: Queryable,
  operatorId: string,
): Promise<{ readonly password: Verifier | undefined; readonly totp: Verifier | undefined }> {
  const rows = await run<Verifier & { readonly kind: string }>(db, LIST, [operatorId]);
  const first = (wanted: string) => rows.find(({ kind }) => kind === wanted);
  return { password: first('password'), totp: first('totp') };
}

const { free: FREE, firstWaitSeconds: FIRST_WAIT, waitSecondsMax: WAIT_MAX } = SIGN_IN_ATTEMPTS;
const WAIT_UNTIL = `attempted_at + make_interval(secs => least(${WAIT_MAX}, ${FIRST_WAIT} * power(2, least(attempts, 30) - ${FREE})))`;

/** Of an attempt that a clock dated which was ahead the wait is over: it would last until that time. */
const IS_AHEAD = "attempted_at > now() + interval '1 minute'";

const CLAIM: Statement = {
  name: 'claim_password_attempt',
  text: `update operator_credential set attempts = attempts + 1, attempted_at = ${NOW}
    where credential_id = $1 and ended_at is null and (attempts < ${FREE} or ${WAIT_UNTIL} <= now() or ${IS_AHEAD}) returning attempts`,
};
const WAIT: Statement = {
  name: 'find_password_attempt_wait',
  text: `select ceil(extract(epoch from ${WAIT_UNTIL} - now()))::int4 as seconds from operator_credential
    where credential_id = $1 and ended_at is null`,
};

/**
 * Counts an attempt before it is made, so that of many at once no more than may be are made.
 *
 * @returns 0 when it may be made, and when the credential has ended, by which nobody signs in; else after how many seconds.
 */
export async function claimPasswordAttempt(db: Queryable, credentialId: string): Promise<number> {
  if ((await run(db, CLAIM, [credentialId])).length > 0) return 0;
  const [row] = await run<{ seconds: number | null }>(db, WAIT, [credentialId]);
  return row === undefined ? 0 : Math.max(1, row.seconds ?? 1);
}

const SUCCEED: Statement = {
  name: 'update_password_attempts_succeeded',
  text: 'update operator_credential set attempts = 0, attempted_at = null where credential_id = $1',
};

export async function updatePasswordAttemptsSucceeded(db: Queryable, credentialId: string): Promise<void> {
  await run(db, SUCCEED, [credentialId]);
}

const USE_STEP: Statement = {
  name: 'update_second_factor_step',
  text: `update operator_credential set last_step = $2
    where credential_id = $1 and ended_at is null and coalesce(last_step, -1) < $2 returning last_step`,
};

/** @returns Whether nobody has used a code of this step, or of a later one, before. */
export async function useSecondFactorStep(db: Queryable, credentialId: string, step: bigint): Promise<boolean> {
  return (await run(db, USE_STEP, [credentialId, step])).length > 0;
}

const UPDATE_VERIFIER: Statement = {
  name: 'update_operator_verifier',
  text: 'update operator_credential set verifier = $2, secret_sha256 = $3 where credential_id = $1',
};

export async function updateVerifier(db: Queryable, { credentialId, verifier, secretSha256 }: Verifier): Promise<void> {
  await run(db, UPDATE_VERIFIER, [credentialId, verifier, secretSha256]);
}

/** Lists the keys of second factors. */
export async function listSecondFactorsByKey(db: Queryable): Promise<SecretsOfKey[]> {
  const { rows } = await db.query<SecretsOfKey>(
    `select distinct on (key) operator_id as "ownerId", verifier as sealed, (count(*) over (partition by key))::int as "ownerCount"
      from (select operator_id, verifier, split_part(verifier, '.', 2) as key from operator_credential where kind = 'totp' and ended_at is null) f
      order by key, operator_id`,
  );
  return rows;
}

const END_OF_KIND: Statement = {
  name: 'update_operator_credentials_of_kind_ended',
  text: `update operator_credential set ended_at = ${NOW} where operator_id = $1 and kind = any ($2::text[]) and ended_at is null`,
};

/** All of these kinds. */
export async function updateCredentialsOfKindsEnded(
  db: Queryable,
  operatorId: string,
  kinds: readonly CredentialKind[],
): Promise<void> {
  await run(db, END_OF_KIND, [operatorId, kinds]);
}
