import { limitPerMinute } from './minute-limit.ts';

/**
 * The most changes that a partner of a sandbox asks for under `/v1/sandbox` at once, and then in each minute, in a process: each keeps its
 * answer, and writes an audit entry, for which all changes wait in turn.
 */
const CHANGES_PER_MINUTE = 600;

/** @returns A function that throws `rate_limited` beyond the limit. */
export function sandboxChangeLimit(): (partnerId: string) => void {
  const sentence = `A partner of a sandbox asks for at most ${CHANGES_PER_MINUTE} changes at once under /v1/sandbox, then for ${CHANGES_PER_MINUTE} a minute.`;
  return limitPerMinute({ perMinute: CHANGES_PER_MINUTE, limit: 'sandbox_changes', sentence });
}
