import type { Log } from '../observability/log.ts';
import type { Answer } from '../partner-api/app.ts';
import type { EndedRun } from '../schedule/run-job.ts';
import { workerOf } from '../store/database-problem.ts';

/** One line for each run of a job. */
export function logRun({ logger }: Log, run: EndedRun): void {
  const { job, runNo, trigger, outcome, correlationId, milliseconds, result, error, alerts, partnersLeft } = run;
  const line = { job: job.name, run: Number(runNo), trigger, correlation_id: correlationId, ms: Math.round(milliseconds) };
  for (const alert of alerts) logger.error(line, alert);
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
  const { correlationId, partnerId, operation, status, errorCode, durationMs, failure } = answer;
  logger.info({
    correlation_id: correlationId,
    partner_id: partnerId,
    operation,
    status,
    code: errorCode,
    ms: Math.round(durationMs * 10) / 10,
    cause: failure === undefined ? undefined : causeOf(failure),
  });
}

/** The message of the error at the bottom: those above it say what became of the request, which `code` says too. */
function causeOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  if (failure.cause instanceof Error) return causeOf(failure.cause);
  const worker = workerOf(failure);
  return worker === undefined ? failure.message : `${failure.message} (worker ${worker})`;
}
