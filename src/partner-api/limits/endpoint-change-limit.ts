import { limitPerMinute } from './minute-limit.ts';

/**
 * The most changes of its own endpoints that a partner makes at once, and then in each minute, in a process: each writes an audit entry, and
 * all changes wait for the audit chain in turn.
 */
const CHANGES_PER_MINUTE = 60;

/** @returns A function that throws `rate_limited` beyond the limit. */
export function endpointChangeLimit(): (partnerId: string) => void {
  const sentence = `A partner makes at most ${CHANGES_PER_MINUTE} changes of its endpoints at once, then ${CHANGES_PER_MINUTE} a minute.`;
  return limitPerMinute({ perMinute: CHANGES_PER_MINUTE, limit: 'endpoint_changes', sentence });
}
