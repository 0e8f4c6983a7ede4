/** What the engineer on call sees: the log, the metrics, and the internal listener that shows them. Knows no rules and no SQL. */
import pino, { type Logger } from 'pino';

export type { Logger };

/** So many lines are gathered, or as many as come in this time, before they are written at once. */
const LINES_MAX = 64;
const FLUSH_MS = 200;

export interface Log {
  readonly logger: Logger;
  /** Writes out what is gathered; the last thing before the process ends. */
  flush(): void;
}

/** One JSON object per line on standard output. Keys, bodies and references never enter it: the callers name what they log. */
export function openLog(level: string): Log {
  const destination = pino.destination({ fd: 1, sync: false });
  // The destination gathers too, but measures all that it holds anew with every line.
  let lines: string[] = [];
  const hand = () => {
    if (lines.length > 0) destination.write(lines.join(''));
    lines = [];
  };
  const gather = {
    write(line: string) {
      if (lines.push(line) >= LINES_MAX) hand();
    },
  };
  const logger = pino(
    {
      level,
      base: null,
      serializers: { err: describeError },
      timestamp: isoTime(),
      redact: ['req', 'headers', 'body', 'apiKey', 'secret'],
    },
    gather,
  );
  const timer = setInterval(hand, FLUSH_MS);
  timer.unref();
  const flush = () => {
    try {
      hand();
      destination.flushSync();
    } catch {
      // Nothing was opened yet, or the reader of standard output has gone: there is nobody to write to.
    }
  };
  return { logger, flush };
}

/** The time as a member of the line. Under load many lines fall into one millisecond, and share its text. */
function isoTime(): () => string {
  let writtenAtMs = 0;
  let member = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== writtenAtMs) member = `,"time":"${new Date(nowMs).toISOString()}"`;
    writtenAtMs = nowMs;
    return member;
  };
}

/** A database's `detail` shows whole rows, and with them references; what is needed to find a defect stands beside it. */
function describeError(error: Error & { code?: string; constraint?: string }): object {
  const { name, message, code, constraint, stack, cause } = error;
  return { name, message, code, constraint, stack, ...(cause instanceof Error && { cause: describeError(cause) }) };
}
