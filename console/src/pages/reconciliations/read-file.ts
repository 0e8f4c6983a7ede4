/** What can be said about a file before it is sent. */
import type { RECONCILIATION } from './reconciliation-texts.ts';

/** What the service takes at most. */
const BYTES_MAX = 100 * 1024 * 1024;
const SPREADSHEET = /\.(?:xlsx?|xlsm|ods|numbers)$/i;

export const ACCEPTED = '.csv,.json,.txt,text/csv,application/json';

/** Why a file cannot be a list; `undefined` when it may be one. */
export function refusalOf({ name, size }: Pick<File, 'name' | 'size'>): keyof typeof RECONCILIATION | undefined {
  if (SPREADSHEET.test(name)) return 'spreadsheet';
  if (size === 0) return 'emptyFile';
  return size > BYTES_MAX ? 'tooLarge' : undefined;
}

export function mediaTypeOf({ name }: Pick<File, 'name'>): string {
  return /\.json$/i.test(name) ? 'application/json' : 'text/csv';
}
