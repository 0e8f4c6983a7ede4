import { createHash } from 'node:crypto';

/** Of 256; enough that a cursor of another list never passes by chance. */
const DIGEST_BYTES = 9;
/** Digits alone never are a cursor, nor is one a number with a sign. */
const PREFIX = 'p';

/**
 * The text that stands for a place in a list. It is bound to its list by a digest, so that one of another list, another partner
 * or another version is known as such. It is no secret and permits nothing: every statement names the partner itself.
 *
 * @param list What makes the list this one: its operation, its partner, the record that it belongs to.
 */
export function writePageCursor(list: readonly string[], place: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([list, place]))
    .digest()
    .subarray(0, DIGEST_BYTES);
  return PREFIX + Buffer.concat([digest, Buffer.from(place)]).toString('base64url');
}

/** @returns `undefined` for what {@link writePageCursor} did not write for this list. */
export function readPageCursor(list: readonly string[], text: string): string | undefined {
  const place = Buffer.from(text.slice(PREFIX.length), 'base64url').subarray(DIGEST_BYTES).toString();
  return writePageCursor(list, place) === text ? place : undefined;
}
