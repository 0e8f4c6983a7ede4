import { Secret, TOTP } from 'otpauth';

/**
 * The code that an authenticator app shows now, or one step of 30 s later. The service accepts the step
 * before and the step after as well: each of both is accepted for 30 s at least, though a new step begins meanwhile.
 */
export function codeOf(secret: string, which: 'now' | 'next' = 'now'): string {
  const timestamp = Date.now() + (which === 'next' ? 30_000 : 0);
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}
