import { limitPerMinute } from './minute-limit.ts';

/**
 * The most changes of its own endpoints that a partner makes in a minute, in a process: each writes an audit entry, and all changes wait for the audit
 * chain in turn.
 */
const CHANGES_PER_MINUTE = 60;

/** @returns A function that throws `rate_limited` beyond the limit. */
export function endpointChangeLimit(): (partnerId: string) => void {
  const sentence = `A partner changes its endpoints at most ${CHANGES_PER_MINUTE} times a minute.`;
  return limitPerMinute({ perMinute: CHANGES_PER_MINUTE, limit: 'endpoint_changes', sentence });
}
