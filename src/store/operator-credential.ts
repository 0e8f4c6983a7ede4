import type { CredentialKind, Operator } from '../domain/operator.ts';
import type { Queryable } from './database.ts';
import { NOW } from './rows.ts';
import { run, type Statement } from './statement.ts';

export interface NewCredential {
  readonly credentialId: string;
  readonly operatorId: string;
  readonly kind: CredentialKind;
  readonly secretSha256: Buffer;
  readonly seconds: number;
}

const INSERT: Statement = {
  name: 'insert_operator_credential',
  text: `insert into operator_credential (credential_id, operator_id, kind, secret_sha256, created_at, expires_at)
    values ($1, $2, $3, $4, ${NOW}, ${NOW} + make_interval(secs => $5)) returning expires_at as "expiresAt"`,
};

/** @returns When it ends. */
export async function insertOperatorCredential(db: Queryable, credential: NewCredential): Promise<Date> {
  const { credentialId, operatorId, kind, secretSha256, seconds } = credential;
  const [row] = await run<{ expiresAt: Date }>(db, INSERT, [credentialId, operatorId, kind, secretSha256, seconds]);
  return (row as { expiresAt: Date }).expiresAt;
}

/** A credential, and its operator as of the same moment. */
export interface HeldCredential extends Operator {
  readonly secretSha256: Buffer;
  readonly expiresAt: Date;
  /** Neither ended nor expired, by the database's clock. */
  readonly isValid: boolean;
}

const FIND: Statement = {
  name: 'find_operator_credential',
  text: `select c.secret_sha256 as "secretSha256", c.expires_at as "expiresAt", c.ended_at is null and c.expires_at > now() as "isValid",
      o.operator_id as "operatorId", o.name, o.email, o.role, o.created_at as "createdAt", o.disabled_at as "disabledAt"
    from operator_credential c join operator o using (operator_id) where c.credential_id = $1 and c.kind = $2`,
};
const LOCK: Statement = { name: 'lock_operator_credential', text: `${FIND.text} for update of c` };

export async function findOperatorCredential(
  db: Queryable,
  kind: CredentialKind,
  credentialId: string,
): Promise<HeldCredential | undefined> {
  const [credential] = await run<HeldCredential>(db, FIND, [credentialId, kind]);
  return credential;
}

/** The same, and nobody else uses it until the transaction ends. */
export async function lockOperatorCredential(
  db: Queryable,
  kind: CredentialKind,
  credentialId: string,
): Promise<HeldCredential | undefined> {
  const [credential] = await run<HeldCredential>(db, LOCK, [credentialId, kind]);
  return credential;
}

const END: Statement = {
  name: 'update_operator_credential_ended',
  text: `update operator_credential set ended_at = ${NOW} where credential_id = $1 and ended_at is null`,
};

export async function updateOperatorCredentialEnded(db: Queryable, credentialId: string): Promise<void> {
  await run(db, END, [credentialId]);
}

const END_ALL: Statement = {
  name: 'update_operator_credentials_ended',
  text: `update operator_credential set ended_at = ${NOW} where operator_id = $1 and ended_at is null`,
};

/** All codes and tokens of an operator. */
export async function updateOperatorCredentialsEnded(db: Queryable, operatorId: string): Promise<void> {
  await run(db, END_ALL, [operatorId]);
}

const TOUCH: Statement = {
  name: 'update_operator_credential_used',
  text: `update operator_credential set last_used_at = date_trunc('minute', now())
    where credential_id = $1 and last_used_at is distinct from date_trunc('minute', now())`,
};

export async function updateOperatorCredentialUsed(db: Queryable, credentialId: string): Promise<void> {
  await run(db, TOUCH, [credentialId]);
}
