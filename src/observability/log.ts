/** What the engineer on call reads: the log, the metrics, and the admin listener for them. Knows no rules and no SQL. */
import pino, { type Logger } from 'pino';
import { countRecurrences } from './throttled.ts';

export type { Logger };

/** Lines are collected up to this number, or for this time, and written at once. */
const LINES_MAX = 64;
const FLUSH_MS = 200;

export interface Log {
  readonly logger: Logger;
  /** Writes the collected lines; call it last before the process ends. */
  flush(): void;
}

/** One JSON object per line on standard output. Keys, bodies and references are never logged: the callers choose each field. */
export function openLog(level: string): Log {
  const destination = pino.destination({ fd: 1, sync: false });
  // The destination collects too, but measures its whole buffer again with every line.
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
      serializers: { err: errorDescriber() },
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
      // Nothing was opened yet, or the reader of standard output has gone.
    }
  };
  return { logger, flush };
}

/** The time as a member of the line. Under load many lines share a millisecond, and its text. */
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

type LoggedError = Error & { code?: string; constraint?: string };

/**
 * A database's `detail` contains whole rows, and with them references; the other fields are enough to find a defect. While the same error
 * recurs, as for every request of an outage, each stack is written once in ten seconds, with how often the error occurred since.
 */
function errorDescriber(): (error: LoggedError) => object {
  const timesOf = countRecurrences();
  return function describe(error: LoggedError): object {
    const { name, message, code, constraint, stack, cause } = error;
    const times = timesOf(stack);
    return {
      name,
      message,
      code,
      constraint,
      ...(times === undefined ? { stack_omitted: true } : { stack, times }),
      ...(cause instanceof Error && { cause: describe(cause) }),
    };
  };
}
