/** The attempts to sign in that may fail in a row. Each further one has to wait, twice as long as the one before. */
export const SIGN_IN_ATTEMPTS = { free: 5, firstWaitSeconds: 60, waitSecondsMax: 900 } as const;

/** How long the next attempt waits after so many that failed in a row. */
export function waitSecondsAfter(attempts: number): number {
  const { free, firstWaitSeconds, waitSecondsMax } = SIGN_IN_ATTEMPTS;
  return attempts < free ? 0 : Math.min(waitSecondsMax, firstWaitSeconds * 2 ** (attempts - free));
}
