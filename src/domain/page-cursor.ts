import { createHash } from 'node:crypto';
import { ServiceError } from './service-error.ts';

/** A cursor has 9 of the 32 bytes of a SHA-256, enough that the cursor of another list is never accepted by chance. */
const DIGEST_BYTES = 9;
/** The prefix, so that digits alone, and a signed number, are never a cursor. */
const PREFIX = 'p';

/**
 * The cursor of a position in a list. A digest binds it to its list, so that a cursor of another list, another partner or another version
 * is refused. It is not secret and grants nothing: every query names the partner itself.
 *
 * @param list Identifies the list: its operation, its partner, the record that it belongs to.
 */
export function writePageCursor(list: readonly string[], place: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([list, place]))
    .digest()
    .subarray(0, DIGEST_BYTES);
  return PREFIX + Buffer.concat([digest, Buffer.from(place)]).toString('base64url');
}

/**
 * @returns `undefined` for a text that {@link writePageCursor} did not write for this list.
 */
export function readPageCursor(list: readonly string[], text: string): string | undefined {
  const place = Buffer.from(text.slice(PREFIX.length), 'base64url').subarray(DIGEST_BYTES).toString();
  return writePageCursor(list, place) === text ? place : undefined;
}

export function notOfThisList(cause?: unknown): ServiceError {
  const message = 'after must be the next_after of a page of this list; leave it out to start with the first page.';
  return new ServiceError('invalid_request', message, {
    details: [{ field: 'after', code: 'not_of_this_list', message }],
    cause,
  });
}
