/**
 * For how long a process has a delivery to itself. Longer than a delivery waits and its attempt takes: after this time another process may
 * send the deliveries of one that is dead.
 */
export const DELIVERY_LEASE_MS = 60_000;

/** A delivery claimed longer ago is released without an attempt: its lease might end before the attempt does. */
export const USABLE_MS = 40_000;
