import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import { AHEAD_MOST } from './operator-credential.ts';
import type { Verifier } from './operator-password.ts';

/** A passkey that has not ended. */
export interface StoredPasskey extends Verifier {
  readonly createdAt: Date;
  /** `null` before the first sign-in with it. */
  readonly lastUsedAt: Date | null;
  /** How often the authenticator says that it was used; 0 of one that does not count. */
  readonly counter: bigint;
}

const LIST: Statement = {
  name: 'list_operator_passkeys',
  text: `select credential_id as "credentialId", verifier, secret_sha256 as "secretSha256", created_at as "createdAt",
      last_used_at as "lastUsedAt", coalesce(counter, 0) as counter
    from operator_credential where operator_id = $1 and kind = 'passkey' and ended_at is null order by created_at, credential_id`,
};

/** The oldest first. */
export async function listPasskeys(db: Queryable, operatorId: string): Promise<StoredPasskey[]> {
  return run<StoredPasskey>(db, LIST, [operatorId]);
}

/** One that answered later than this was used while the clock was ahead: it answers the challenges of now. */
const LAST_BELIEVED = `extract(epoch from now() + ${AHEAD_MOST}) * 1000`;

const USE: Statement = {
  name: 'update_operator_passkey_used',
  text: `update operator_credential set counter = $2, last_step = $3
    where credential_id = $1 and ended_at is null and (coalesce(last_step, -1) < $3 or last_step > ${LAST_BELIEVED}) returning last_step`,
};

/** @returns Whether it has answered no challenge of this moment, or of a later one, before. */
export async function usePasskey(
  db: Queryable,
  credentialId: string,
  { counter, challengeAtMs }: { readonly counter: number; readonly challengeAtMs: number },
): Promise<boolean> {
  return (await run(db, USE, [credentialId, counter, challengeAtMs])).length > 0;
}
