/** What the engineer on call reads: the log, the metrics, and the admin listener for them. Knows no rules and no SQL. */
import pino, { type Logger } from 'pino';
import { LineWriter } from './line-writer.ts';
import { countRecurrences } from './throttled.ts';

export type { Logger };

/** Lines are collected up to this number, or for this time, and written at once. */
const LINES_MAX = 64;
const FLUSH_MS = 200;
/** A reader that takes nothing for this time keeps no process from its end. */
const LAST_WRITE_MS = 1_000;

export interface Log {
  readonly logger: Logger;
  /** Whether a write waits for the reader of standard output, for which the end of the process would wait too. */
  isWriting(): boolean;
  /** Lines that were dropped because nobody read standard output, or it could not be written. */
  countDropped(): number;
  /** Writes the collected lines, within a second. Call it last before the process ends. */
  flush(): Promise<void>;
  /** What can be written at once, where a process ends without a stop. */
  writeRest(): void;
}

/** One JSON object per line on standard output. Keys, bodies and references are never logged: the callers choose each field. */
export function openLog(level: string): Log {
  const timestamp = isoTime();
  const tellDropped = (lines: number) =>
    `{"level":${pino.levels.values['warn']}${timestamp()},"lines":${lines},"msg":"lines of the log were dropped here, because standard output was not read or could not be written"}\n`;
  const writer = new LineWriter(1, { tellDropped });
  let lines: string[] = [];
  const hand = () => {
    if (lines.length > 0) writer.write(lines.join(''));
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
      timestamp,
      redact: ['req', 'headers', 'body', 'apiKey', 'secret'],
    },
    gather,
  );
  const timer = setInterval(hand, FLUSH_MS);
  timer.unref();
  return {
    logger,
    isWriting: () => writer.isWriting,
    countDropped: () => writer.dropped,
    async flush() {
      hand();
      await writer.flush(LAST_WRITE_MS);
    },
    writeRest() {
      hand();
      writer.writeRest();
    },
  };
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
  const timesOf = countRecurrences(undefined, (error) => (error as LoggedError).stack);
  return function describe(error: LoggedError): object {
    const { name, message, code, constraint, stack, cause } = error;
    const times = timesOf(error);
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
