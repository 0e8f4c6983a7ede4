/** The attempts to sign in that may fail in a row. Each further one has to wait, twice as long as the one before. */
export const SIGN_IN_ATTEMPTS = { free: 5, firstWaitSeconds: 60, waitSecondsMax: 900 } as const;
