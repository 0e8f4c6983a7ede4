import { notOfThisList, readPageCursor, writePageCursor } from '../domain/page-cursor.ts';
import { invalidRequest, problem, type ServiceError } from '../domain/service-error.ts';
import { Type } from './schema-type.ts';

/**
 * The paging of every list of the interface: the query has `limit` and `after`, the answer `next_after` and `has_more`.
 *
 * @see docs/spec/decisions.md#9-self-service-and-pages. `GET /v1/events` has names of its own.
 */

export interface PageSizes {
  readonly default: number;
  readonly max: number;
  /** The longest `after`. */
  readonly afterLength?: number;
}

/** The `next_after` of an example. */
export const EXAMPLE_NEXT_AFTER = writePageCursor(['an example'], '42');

const PLACE_LENGTH_MAX = 256;

/** The members of a list's query. */
export const pageQuery = ({ default: usual, max, afterLength = PLACE_LENGTH_MAX }: PageSizes) => ({
  limit: Type.Optional(
    Type.Unsafe<string>({
      type: 'integer',
      minimum: 1,
      maximum: max,
      default: usual,
      description: 'The largest number of records of a page.',
    }),
  ),
  after: Type.Optional(
    Type.String({
      format: 'page-cursor',
      minLength: 1,
      maxLength: afterLength,
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
      description: 'The `next_after` of the previous page. Without it the service answers with the first page.',
    }),
  ),
});

/** The members of a list's answer, beside the records. */
export const pageAnswer = {
  next_after: Type.String({
    description:
      'The value of `after` for the next page. Do not interpret it. The last page has it too; do not use it to look for new records later, because some may sort before it.',
  }),
  has_more: Type.Boolean({ description: 'Whether there are more records now.' }),
};

/** The former name of `after` in a query; it works as long as `/v1` does. */
export const olderAfter = (source: string) => ({
  deprecated: true,
  description: `Deprecated, use \`after\`: \`${source}\` of the page before.`,
});

/** The former name of `next_after` in an answer. */
export const olderNextAfter = (target: string) => ({
  deprecated: true,
  description: `Deprecated, use \`next_after\`: what to send as \`${target}\` for the next page.`,
});

export interface PagedList {
  /** Identifies the list: its operation, its partner, the record that it belongs to. */
  readonly name: readonly string[];
  /** The position before the first record. */
  readonly first: string;
  readonly isPlace: (text: string) => boolean;
}

/** A position under its former name; its form is checked already. */
export interface OlderPlace {
  readonly name: string;
  readonly place: string | undefined;
}

/** The position that a page begins after. */
export function placeOf(list: PagedList, after: string | undefined, older?: OlderPlace): string {
  if (after === undefined) return older?.place ?? list.first;
  if (older?.place !== undefined) throw notTogether(older.name);
  const place = readPageCursor(list.name, after);
  if (place !== undefined && list.isPlace(place)) return place;
  throw notOfThisList();
}

/**
 * @param last The position of the last record of the page; for an empty page the position that it began after.
 */
export function pageMembers(list: PagedList, last: string, hasMore: boolean): { next_after: string; has_more: boolean } {
  return { next_after: writePageCursor(list.name, last), has_more: hasMore };
}

function notTogether(older: string): ServiceError {
  const message = `Send after or ${older}, not both.`;
  return invalidRequest([problem(older, 'not_together', message)]);
}
