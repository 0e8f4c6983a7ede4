import { UnverifiedRecordError } from '../audit/unverified-record.ts';

/**
 * The problem of a partner whose settlements cannot be read: an edited value may be malformed.
 *
 * @throws Any other error.
 */
export function explainUnreadable(error: unknown): string {
  if (error instanceof UnverifiedRecordError) return error.message;
  if (!(error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError)) throw error;
  return `its settlements cannot be read: a column was edited, or this program has an error: ${error.message}`;
}
