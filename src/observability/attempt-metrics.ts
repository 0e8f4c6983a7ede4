import { createRequire } from 'node:module';
import { Counter, Histogram, type Registry } from 'prom-client';

/** An `import` makes Node load its client for WebSockets as well. */
const { STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof import('node:http');

/** The figures of one attempt to deliver an event. */
export interface AttemptFigures {
  readonly isSuccess: boolean;
  readonly errorClass: string | null;
  readonly status: number | null;
  readonly milliseconds: number;
}

/** @returns What counts an attempt that has ended. */
export function measureAttempts(registry: Registry): (attempt: AttemptFigures) => void {
  const attempts = new Counter({
    name: 'partner_impact_delivery_attempts_total',
    help: 'Attempts to deliver an event, by result: delivered, the class of the error, or the status: that of HTTP, 3xx, 4xx or 5xx for others, and other beyond.',
    labelNames: ['result'],
    registers: [registry],
  });
  // An alert on no success sees this series also where there was none.
  attempts.inc({ result: 'delivered' }, 0);
  const durations = new Histogram({
    name: 'partner_impact_delivery_attempt_duration_seconds',
    help: 'Time from the beginning of an attempt to its answer.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [registry],
  });
  return ({ isSuccess, errorClass, status, milliseconds }) => {
    attempts.inc({ result: isSuccess ? 'delivered' : (errorClass ?? labelOf(status ?? 0)) });
    durations.observe(milliseconds / 1000);
  };
}

/** A receiver may answer any number of three digits, and each label is a series of its own. */
function labelOf(status: number): string {
  if (STATUS_CODES[status] !== undefined) return String(status);
  return status >= 200 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
}
