/**
 * When the circuit of an endpoint opens, and when an endpoint is disabled for its failures.
 *
 * @see docs/spec/decisions.md#7-events, Delivery.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const BREAKER_FAILURES = 20;
const BREAKER_FIRST_MS = 30 * SECOND;
/** A circuit is never open for longer. */
export const BREAKER_MAX_MS = 10 * MINUTE;

/** The health of an endpoint, by its attempts since the last success. */
export interface EndpointHealth {
  readonly failuresInRow: number;
  readonly failingSince: Date | null;
  /** How often the circuit has opened since the last success. */
  readonly breakerTrips: number;
  readonly breakerOpenUntil: Date | null;
}

/** The health after further failures in a row. A first one that a clock which was ahead has dated counts from now on. */
export function afterFailures(health: EndpointHealth, failures: number, now: Date): EndpointHealth {
  const failuresInRow = health.failuresInRow + failures;
  const { failingSince } = health;
  const failed = { ...health, failuresInRow, failingSince: failingSince && failingSince < now ? failingSince : now };
  // Attempts that were in flight when the circuit opened return one by one, and change nothing.
  if (isCircuitOpen(health, now)) return failed;
  const pauseMs = breakerPauseMs(failuresInRow, health.breakerTrips);
  return {
    ...failed,
    breakerTrips: pauseMs > 0 ? health.breakerTrips + 1 : health.breakerTrips,
    breakerOpenUntil: pauseMs > 0 ? new Date(now.getTime() + pauseMs) : null,
  };
}

export function isCircuitOpen({ breakerOpenUntil }: EndpointHealth, now: Date): boolean {
  return breakerOpenUntil !== null && breakerOpenUntil > now;
}

/**
 * How long the circuit is open after this many failures in a row: nothing below 20, then 30 s, doubled each further time, up to ten
 * minutes.
 *
 * @param trips How often the circuit has opened since the last success.
 */
export function breakerPauseMs(failuresInRow: number, trips: number): number {
  if (failuresInRow < BREAKER_FAILURES) return 0;
  return Math.min(BREAKER_FIRST_MS * 2 ** Math.min(trips, 16), BREAKER_MAX_MS);
}

const DISABLING_FAILURES = 10;
const DISABLING_MS = 5 * 24 * HOUR;
const GONE = 410;

/** Whether a receiver answers that it is gone for good. */
export function isGone(status: number | null): boolean {
  return status === GONE;
}

/** Why the service itself disables an endpoint, for whoever looks at it. */
export const DISABLED_FOR = {
  gone: 'The receiver answered 410 Gone.',
  givenUp: 'No attempt succeeded within five days.',
} as const;

/**
 * Why an endpoint is disabled: its receiver is gone, or ten attempts or more failed over five days without a success.
 *
 * @returns `undefined` while it stays active.
 */
export function disablingReason(
  { failuresInRow, failingSince }: Pick<EndpointHealth, 'failuresInRow' | 'failingSince'>,
  hasGone: boolean,
  now: Date,
): string | undefined {
  if (hasGone) return DISABLED_FOR.gone;
  const failingForMs = now.getTime() - (failingSince ?? now).getTime();
  return failuresInRow >= DISABLING_FAILURES && failingForMs >= DISABLING_MS ? DISABLED_FOR.givenUp : undefined;
}
