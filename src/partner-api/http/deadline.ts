import { unavailable } from '../../domain/service-error.ts';

const DEADLINE_MS = 5_000;

/**
 * Answers in time whatever the database does. The work continues; a look-up finds its result.
 *
 * @throws ServiceError `internal_service_unavailable` when the deadline passes first.
 */
export function beforeDeadline<T>(work: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
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
