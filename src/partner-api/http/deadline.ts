import type { FastifyRequest } from 'fastify';
import { unavailable } from '../../domain/service-error.ts';

export const DEADLINE_MS = 5_000;

/**
 * Answers in time whatever the database does: what the checks of the key took counts as time of the request. The work continues; a look-up
 * finds its result.
 *
 * @throws ServiceError `internal_service_unavailable` when the deadline passes first.
 */
export function beforeDeadline<T>({ context }: FastifyRequest, work: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  return within(deadlineMs - (context.keyCheckMs ?? 0), work);
}

/** Fails after so many milliseconds, as {@link beforeDeadline} does. */
export function within<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(unavailable('The request took too long; its outcome is unknown.'));
    const timer = setTimeout(giveUp, deadlineMs);
    const inTime =
      <Value>(settle: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer);
        settle(value);
      };
    work.then(inTime(resolve), inTime(reject));
  });
}
