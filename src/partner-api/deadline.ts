import { unavailable } from '../domain/service-error.ts';

const DEADLINE_MS = 5_000;

/**
 * Answers in time whatever the database does. The work goes on; what becomes of it is found by a look-up.
 *
 * @throws ServiceError `internal_service_unavailable` when the deadline passes first.
 */
export async function beforeDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(unavailable('The request took too long; its outcome is unknown.')), DEADLINE_MS);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
