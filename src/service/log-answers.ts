import type { Log } from '../observability/log.ts';
import { throttled } from '../observability/throttled.ts';
import type { Answer } from '../partner-api/app.ts';
import { TokenBucket } from '../partner-api/limits/token-bucket.ts';
import { logAnswer } from './log-lines.ts';

/** Lines of answers to clients without a valid key: those of a minute at once. */
const LINES_WITHOUT_KEY = { perSecond: 20, capacity: 1_200 };

/**
 * Logs a line for each answer to a partner, and to clients without a valid key only so many, because such a client chooses how many
 * answers there are: none beyond the limit of wrong keys, and twenty a second of the others. One line in ten seconds has the number of
 * the rest. The metrics count all of them.
 *
 * @param clock Milliseconds from any beginning.
 */
export function openAnswerLog(log: Log, clock: () => number = () => performance.now()): (answer: Answer) => void {
  const bucket = new TokenBucket();
  const logRest = throttled(
    (reason, times, { correlationId: correlation_id, status, errorCode: code }: Answer) =>
      log.logger.warn(
        { correlation_id, status, code, reason, times },
        'answers to clients without a valid key have no line of their own',
      ),
    clock,
  );
  return (answer) => {
    if (!isWithoutKey(answer)) logAnswer(log, answer);
    else if (answer.limit === 'wrong_keys') logRest('wrong_keys', answer);
    else if (bucket.take(LINES_WITHOUT_KEY, clock()).isTaken) logAnswer(log, answer);
    else logRest('rate', answer);
  };
}

/** What the service could not answer has a line, whoever asked. */
function isWithoutKey({ partnerId, status }: Answer): boolean {
  return partnerId === undefined && status < 500;
}
