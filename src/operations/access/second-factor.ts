import { hash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { ServiceError } from '../../domain/service-error.ts';
import { useSecondFactorStep, type Verifier } from '../../store/access/operator-password.ts';
import type { Queryable } from '../../store/database.ts';

/** The form of codes that every authenticator app knows. @see RFC 6238. */
const FORM = { issuer: 'Partner Impact', algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** A code of the step before and of the one after counts: clocks differ. */
const STEPS_ASIDE = 1;

/** Keeps the secret of a second factor. */
export interface Sealing {
  seal(text: string): string;
  /** @throws Error For what was sealed for somebody else. */
  open(sealed: string): string;
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

/**
 * Requires a code of the second factor that nobody has used, where the operator has one.
 *
 * @throws ServiceError `unauthorized`, with the field `totp`: missing, or not a code of now.
 */
export async function requireSecondFactor(
  db: Queryable,
  { held, code, open, nowMs }: { held: Verifier | undefined; code: string | undefined; open: Sealing['open']; nowMs: number },
): Promise<void> {
  if (!held) return;
  requireOwnVerifier(held);
  if (code === undefined) throw secondFactorMissing();
  const step = findStep(open(held.verifier), code, nowMs);
  if (step === undefined || !(await useSecondFactorStep(db, held.credentialId, step)))
    throw refusal('wrong_form', 'This code of the authenticator app is wrong or was used. Wait for the next one.');
}

export function secondFactorMissing(): ServiceError {
  return refusal('missing', 'This account has a second factor. Send the code of the authenticator app as totp.');
}

function refusal(code: 'missing' | 'wrong_form', message: string): ServiceError {
  return new ServiceError('unauthorized', message, { details: [{ field: 'totp', code, message }] });
}
