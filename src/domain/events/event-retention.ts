/**
 * For how many days events are kept, with their deliveries and attempts, and rehearsals of a sandbox: by default, at least and at most.
 *
 * @see docs/spec/decisions.md#7-events.
 */
export const EVENT_RETENTION_DAYS = { usual: 90, least: 7, most: 3_650 } as const;
