import type { Log } from '../observability/log.ts';
import { throttled } from '../observability/throttled.ts';
import type { Answer } from '../partner-api/answer.ts';
import { TokenBucket } from '../partner-api/limits/token-bucket.ts';
import type { BegunRun, EndedRun } from '../schedule/run-job.ts';
import { workerOf } from '../store/database-problem.ts';

/** One line for what a run reports to operators. */
export function logAlert({ logger }: Log, run: BegunRun, sentence: string): void {
  logger.error(lineOf(run), sentence);
}

function lineOf({ job, runNo, trigger, correlationId }: BegunRun) {
  return { job: job.name, run: Number(runNo), trigger, correlation_id: correlationId };
}

/** One line for each run of a job. */
export function logRun({ logger }: Log, run: EndedRun): void {
  const { outcome, milliseconds, result, error, partnersLeft } = run;
  const line = { ...lineOf(run), ms: Math.round(milliseconds) };
  if (outcome === 'succeeded') logger.info({ ...line, ...result }, 'a job is done');
  else if (outcome === 'failed')
    logger.error(
      { ...line, ...(partnersLeft > 0 && { partners_left: partnersLeft }), err: error },
      'a job failed; the service runs it again',
    );
  else logger.warn({ ...line, ...result }, `a job was ${outcome}; its next run does the rest`);
}

/** One line for each answer to a partner. */
export function logAnswer({ logger }: Log, answer: Answer): void {
  const { correlationId, partnerId, keyId, endedKey, operation, status, errorCode, durationMs, failure } = answer;
  logger.info({
    correlation_id: correlationId,
    partner_id: partnerId ?? endedKey?.partnerId,
    key_id: keyId ?? endedKey?.keyId,
    operation,
    status,
    code: errorCode,
    ms: Math.round(durationMs * 10) / 10,
    cause: failure === undefined ? undefined : causeOf(failure),
  });
}

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
    if (!isOfAnybody(answer)) logAnswer(log, answer);
    else if (answer.limit === 'wrong_keys') logRest('wrong_keys', answer);
    else if (bucket.take(LINES_WITHOUT_KEY, clock()).isTaken) logAnswer(log, answer);
    else logRest('rate', answer);
  };
}

/** A client without a valid key brought it about. What failed in the service has a line, whoever asked. */
function isOfAnybody({ partnerId, status, limit }: Answer): boolean {
  return partnerId === undefined && (status < 500 || limit !== undefined);
}

/** The message of the error at the bottom: those above it say what became of the request, which `code` says too. */
function causeOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  if (failure.cause instanceof Error) return causeOf(failure.cause);
  const worker = workerOf(failure);
  return worker === undefined ? failure.message : `${failure.message} (worker ${worker})`;
}
