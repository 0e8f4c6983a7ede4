/**
 * The order in which requests are shed under overload: those of a kind are refused once so many requests of all kinds are in flight.
 *
 * @see docs/spec/decisions.md#6-rate-limits: reports are shed first, then estimates, then new confirmations; look-ups of contributions
 * last.
 */
export const IN_FLIGHT_MAX = {
  report: 400,
  estimateWrite: 480,
  estimateLookup: 560,
  confirmation: 640,
  contributionLookup: 4_096,
} as const;
