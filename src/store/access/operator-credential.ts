import type { Operator } from '../../domain/access/operator.ts';
import { type CredentialKind, SESSION_IDLE_SECONDS } from '../../domain/access/operator-credential.ts';
import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import { type AuditEntryJson, lastAuditEntry, readAuditEntry } from '../audit/audit-entry.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

export interface NewCredential {
  readonly credentialId: string;
  readonly operatorId: string;
  readonly kind: CredentialKind;
  readonly secretSha256: Buffer;
  readonly seconds: number;
  /** What a password, a second factor or a passkey is checked with. `secretSha256` is its hash. */
  readonly verifier?: string;
}

const INSERT: Statement = {
  name: 'insert_operator_credential',
  text: `insert into operator_credential (credential_id, operator_id, kind, secret_sha256, verifier, created_at, expires_at)
    values ($1, $2, $3, $4, $6, ${NOW}, ${NOW} + make_interval(secs => $5)) returning expires_at as "expiresAt"`,
};

/**
 * @returns Its end.
 */
export async function insertOperatorCredential(db: Queryable, credential: NewCredential): Promise<Date> {
  const { credentialId, operatorId, kind, secretSha256, seconds, verifier = null } = credential;
  const [row] = await run<{ expiresAt: Date }>(db, INSERT, [credentialId, operatorId, kind, secretSha256, seconds, verifier]);
  return (row as { expiresAt: Date }).expiresAt;
}

/** Not ended, though its time may be over. */
export interface LiveCredential {
  readonly credentialId: string;
  readonly operatorId: string;
  readonly kind: CredentialKind;
  readonly secretSha256: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A verifier that does not match its hash is no longer what the audit entry has, whichever of the two was changed. */
const AUDITED_SECRET = `case when verifier is null or sha256(convert_to(verifier, 'UTF8')) = secret_sha256 then secret_sha256
      else sha256(secret_sha256 || convert_to(verifier, 'UTF8')) end`;

/** The order makes any plan use the index of the operator: every one else's sessions would be read by another. */
const LIST_LIVE: Statement = {
  name: 'list_live_operator_credentials',
  text: `select credential_id as "credentialId", operator_id as "operatorId", kind, ${AUDITED_SECRET} as "secretSha256",
      created_at as "createdAt", expires_at as "expiresAt"
    from unnest($1::text[]) as wanted (id) cross join lateral (
      select * from operator_credential where operator_id between wanted.id and wanted.id order by operator_id
    ) c
    where ended_at is null order by credential_id`,
};

export async function listLiveCredentials(db: Queryable, operatorIds: readonly string[]): Promise<LiveCredential[]> {
  return run<LiveCredential>(db, LIST_LIVE, [operatorIds]);
}

const END_EXPIRED: Statement = {
  name: 'update_expired_credentials_ended',
  text: `update operator_credential set ended_at = ${NOW} where operator_id = $1 and ended_at is null and expires_at <= now()`,
};

/** Ends the operator's credentials whose time is over, so that the next audit entry leaves them out. */
export async function updateExpiredCredentialsEnded(db: Queryable, operatorId: string): Promise<void> {
  await run(db, END_EXPIRED, [operatorId]);
}

/** A credential, and its operator as of the same moment. */
export interface HeldCredential extends Operator {
  readonly credential: LiveCredential;
  readonly secretSha256: Buffer;
  readonly expiresAt: Date;
  /** How long ago it was created, by the database's clock. */
  readonly ageMs: number;
  /** The last audit entry about the operator. */
  readonly entry: SealedEntry | undefined;
  /** Neither ended nor expired, by the database's clock; a session not idle for too long either. */
  readonly isValid: boolean;
  /** Whether {@link updateOperatorCredentialUsed} would change nothing. */
  readonly isNotedAsUsed: boolean;
  /** What the operator can sign in with. */
  readonly verifierKinds: readonly string[];
}

/**
 * What began later than this from now was dated by a clock that was ahead: it would outlive its time by as much. So would a session that
 * was used then, whose time goes by its last use.
 */
export const AHEAD_MOST_MS = 600_000;
export const AHEAD_MOST = `interval '${AHEAD_MOST_MS} milliseconds'`;

/** SQL for the kinds of credentials that are over after hours or days. */
const BRIEF_KINDS = "array['session', 'token', 'code']";

const IS_VALID = `c.ended_at is null and c.expires_at > now()
        and (c.kind <> all (${BRIEF_KINDS}) or c.created_at < now() + ${AHEAD_MOST})
        and (c.kind <> 'session' or (coalesce(c.last_used_at, c.created_at) > now() - make_interval(secs => ${SESSION_IDLE_SECONDS})
          and coalesce(c.last_used_at, c.created_at) < now() + ${AHEAD_MOST}))`;

const USED_AT = "date_trunc('minute', now())";

/** SQL for the kinds of credentials that are kept as what they are checked with. */
const VERIFIER_KINDS = "array['password', 'totp', 'passkey']";

const FIND: Statement = {
  name: 'find_operator_credential',
  text: `select c.credential_id as "credentialId", c.kind, c.created_at as "credentialCreatedAt", c.secret_sha256 as "secretSha256",
      ${lastAuditEntry('o.operator_id', 'operator')} as entry, c.expires_at as "expiresAt", ${IS_VALID} as "isValid",
      c.last_used_at is not distinct from ${USED_AT} as "isNotedAsUsed", array(
        select v.kind from operator_credential v where v.operator_id = o.operator_id and v.ended_at is null and v.kind = any (${VERIFIER_KINDS})
      ) as "verifierKinds",
      (extract(epoch from now() - c.created_at) * 1000)::float8 as "ageMs",
      o.operator_id as "operatorId", o.name, o.email, o.role, o.created_at as "createdAt", o.disabled_at as "disabledAt"
    from operator_credential c join operator o using (operator_id) where c.credential_id = $1 and c.kind = $2`,
};
type HeldRow = Omit<HeldCredential, 'credential' | 'entry'> &
  Pick<LiveCredential, 'credentialId' | 'kind'> & {
    readonly credentialCreatedAt: Date;
    readonly entry: AuditEntryJson | null;
  };

function readHeld({ credentialId, kind, credentialCreatedAt: createdAt, entry, ...held }: HeldRow): HeldCredential {
  const { operatorId, secretSha256, expiresAt } = held;
  return {
    ...held,
    credential: { credentialId, operatorId, kind, secretSha256, createdAt, expiresAt },
    entry: readAuditEntry(entry),
  };
}

const LOCK: Statement = { name: 'lock_operator_credential', text: `${FIND.text} for update of c` };

export async function findOperatorCredential(
  db: Queryable,
  kind: CredentialKind,
  credentialId: string,
): Promise<HeldCredential | undefined> {
  const [credential] = await run<HeldRow>(db, FIND, [credentialId, kind]);
  return credential && readHeld(credential);
}

/** Finds a credential like {@link findOperatorCredential}, and locks it until the transaction ends. */
export async function lockOperatorCredential(
  db: Queryable,
  kind: CredentialKind,
  credentialId: string,
): Promise<HeldCredential | undefined> {
  const [credential] = await run<HeldRow>(db, LOCK, [credentialId, kind]);
  return credential && readHeld(credential);
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

/** All that an operator signs in with. */
export async function updateOperatorCredentialsEnded(db: Queryable, operatorId: string): Promise<void> {
  await run(db, END_ALL, [operatorId]);
}

const END_OLD_SESSIONS: Statement = {
  name: 'update_old_sessions_ended',
  text: `update operator_credential set ended_at = ${NOW} where credential_id in (
      select credential_id from operator_credential where operator_id = $1 and kind = 'session' and ended_at is null
        order by coalesce(last_used_at, created_at) desc, created_at desc, credential_id offset $2
    )`,
};

/** Ends the sessions of the operator but the latest ones by their last use. */
export async function updateOldSessionsEnded(db: Queryable, operatorId: string, kept: number): Promise<void> {
  await run(db, END_OLD_SESSIONS, [operatorId, kept]);
}

const TOUCH: Statement = {
  name: 'update_operator_credential_used',
  text: `update operator_credential set last_used_at = ${USED_AT} where credential_id = $1 and last_used_at is distinct from ${USED_AT}`,
};

export async function updateOperatorCredentialUsed(db: Queryable, credentialId: string): Promise<void> {
  await run(db, TOUCH, [credentialId]);
}
