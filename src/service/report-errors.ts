import type { Log } from '../observability/log.ts';
import { throttled } from '../observability/throttled.ts';

/** Makes what reports the errors of one kind of work. */
export type ReportErrors = (level: 'warn' | 'error', sentence: string) => (error: unknown, fields?: object) => void;

/**
 * Reports an error in the log when it occurs, and the same one again after ten seconds at the earliest, with how often it occurred: an outage
 * fails the work of every second and every request. The `fields` of the line are those of the error that is written.
 *
 * @param onTrouble Called for every error.
 */
export function errorReports({ logger }: Log, onTrouble: (error: unknown) => void): ReportErrors {
  return (level, sentence) => {
    const write = throttled((err, times, fields: object) => logger[level]({ ...fields, err, times }, sentence));
    return (error, fields = {}) => {
      onTrouble(error);
      write(error, fields);
    };
  };
}
