/** What the engineer on call sees: the log, the metrics, and the internal listener that shows them. Knows no rules and no SQL. */
import pino, { type Logger } from 'pino';

export type { Logger };

/** Lines are gathered up to this size, or this long, before they are written. */
const BUFFER_BYTES = 4_096;
const FLUSH_MS = 200;

export interface Log {
  readonly logger: Logger;
  /** Writes out what is gathered; the last thing before the process ends. */
  flush(): void;
}

/** One JSON object per line on standard output. Keys, bodies and references never enter it: the callers name what they log. */
export function openLog(level: string): Log {
  const destination = pino.destination({ fd: 1, sync: false, minLength: BUFFER_BYTES });
  const logger = pino(
    {
      level,
      base: null,
      serializers: { err: describeError },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['req', 'headers', 'body', 'apiKey', 'secret'],
    },
    destination,
  );
  const timer = setInterval(() => destination.flush(), FLUSH_MS);
  timer.unref();
  const flush = () => {
    try {
      destination.flushSync();
    } catch {
      // Nothing was opened yet, or the reader of standard output has gone: there is nobody to write to.
    }
  };
  return { logger, flush };
}

/** A database's `detail` shows whole rows, and with them references; what is needed to find a defect stands beside it. */
function describeError(error: Error & { code?: string; constraint?: string }): object {
  const { name, message, code, constraint, stack, cause } = error;
  return { name, message, code, constraint, stack, ...(cause instanceof Error && { cause: describeError(cause) }) };
}
