import { hash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { ServiceError, unavailable } from '../../domain/service-error.ts';
import { updateVerifier, useSecondFactorStep, type Verifier } from '../../store/access/operator-password.ts';
import type { Queryable } from '../../store/database.ts';

/** The form of codes that every authenticator app knows. @see RFC 6238. */
const FORM = { issuer: 'Partner Impact', algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** A code of the step before and of the one after counts: clocks differ. */
const STEPS_ASIDE = 1;

/** Keeps the secret of a second factor. */
export interface Sealing {
  seal(text: string): string;
  /** @throws SecretUnreadableError Also for what was sealed for somebody else. */
  open(sealed: string): string;
  /** Whether it needs no other key than {@link seal} uses now. */
  isOfFirstKey(sealed: string): boolean;
}

/** That of an operator: what it seals opens for nobody else. */
export type SecretSealing = (operatorId: string) => Sealing;

export interface NewSecondFactor {
  /** In base 32, for who types it. */
  readonly secret: string;
  /** `otpauth://totp/…`, for the picture that an app reads. */
  readonly uri: string;
}

export function newSecondFactor(label: string): NewSecondFactor {
  const secret = new Secret({ size: 20 });
  return { secret: secret.base32, uri: new TOTP({ ...FORM, label, secret }).toString() };
}

/** The step of the code, where it is one of now. */
export function findStep(secret: string, code: string, nowMs: number): bigint | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ ...FORM, secret: Secret.fromBase32(secret) });
  const aside = totp.validate({ token: code, timestamp: nowMs, window: STEPS_ASIDE });
  return aside === null ? undefined : BigInt(Math.floor(nowMs / 1_000 / FORM.period) + aside);
}

/** What the database keeps beside the sealed secret, and the audit tells it by. */
export function hashOfVerifier(verifier: string): Buffer {
  return hash('sha256', verifier, 'buffer');
}

/** @throws Error Where somebody exchanged what is checked, and left its hash, which the audit has. */
export function requireOwnVerifier({ credentialId, verifier, secretSha256 }: Verifier): void {
  if (!hashOfVerifier(verifier).equals(secretSha256))
    throw new Error(`The verifier of the credential ${credentialId} does not match its hash.`);
}

export interface GivenSecondFactor {
  readonly held: Verifier | undefined;
  readonly code: string | undefined;
  readonly sealing: Sealing;
  readonly nowMs: number;
}

/**
 * Requires a code of the second factor that nobody has used, where the operator has one.
 *
 * @throws ServiceError `unauthorized`, with the field `totp`: missing, or not a code of now; `internal_service_unavailable` when the key
 * that sealed the second factor is gone, or another one of that name is there.
 */
export async function requireSecondFactor(db: Queryable, { held, code, sealing, nowMs }: GivenSecondFactor): Promise<void> {
  if (!held) return;
  requireOwnVerifier(held);
  if (code === undefined) throw secondFactorMissing();
  const step = findStep(openSecret(sealing, held), code, nowMs);
  if (step === undefined || !(await useSecondFactorStep(db, held.credentialId, step)))
    throw refusal('wrong_form', 'This code of the authenticator app is wrong or was used. Wait for the next one.');
}

/**
 * {@link requireSecondFactor}; then seals the second factor under the first key, so that an older key is no longer needed. The transaction
 * has locked the operator, and ends with the audit of the operator.
 */
export async function useSecondFactor(db: Queryable, given: GivenSecondFactor): Promise<void> {
  const { held, sealing } = given;
  await requireSecondFactor(db, given);
  if (!held || sealing.isOfFirstKey(held.verifier)) return;
  const verifier = sealing.seal(sealing.open(held.verifier));
  await updateVerifier(db, { credentialId: held.credentialId, verifier, secretSha256: hashOfVerifier(verifier) });
}

function openSecret({ open }: Sealing, { verifier }: Verifier): string {
  try {
    return open(verifier);
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== 'SecretUnreadableError') throw cause;
    const message =
      'The codes of this authenticator app cannot be checked, because no key in SECRETS_KEY opens their secret. Sign in with a passkey, or tell the owner of the machine: npx partner-impact doctor names the key and the next step.';
    throw unavailable(message, { details: [{ field: 'totp', code: 'unreadable', message }], cause });
  }
}

export function secondFactorMissing(): ServiceError {
  return refusal('missing', 'This account has a second factor. Send the code of the authenticator app as totp.');
}

function refusal(code: 'missing' | 'wrong_form', message: string): ServiceError {
  return new ServiceError('unauthorized', message, { details: [{ field: 'totp', code, message }] });
}
