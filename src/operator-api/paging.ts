import type { TSchema } from 'typebox';
import { type PagedList, pageAnswer, pageMembers, pageQuery, placeOf } from '../partner-api/paging.ts';
import { listOf, shape } from './schema-parts.ts';

/** Every list of the interface: 50 records of a page unless told, 200 at most. */
const SIZES = { default: 50, max: 200 } as const;

export const pageMembersOfQuery = pageQuery(SIZES);

/** The answer of a list: its records under their name, and how to go on. */
export const pageOf = <Name extends string, Item extends TSchema>(title: string, name: Name, item: Item, description: string) =>
  shape(title, { [name]: listOf(item, description), ...pageAnswer });

export interface SentPage {
  readonly limit?: string;
  readonly after?: string;
}

export function limitOf({ limit = String(SIZES.default) }: SentPage): number {
  return Number(limit);
}

/** A list with its filters: the place of one is no place of another. */
export function listNamed(operation: string, filters: readonly (string | undefined)[] = []): PagedList {
  return { name: [operation, ...filters.map((filter) => filter ?? '-')], first: '', isPlace: () => true };
}

/** The place that the page begins after; empty for the first page. */
export function placeIn(list: PagedList, { after }: SentPage): string {
  return placeOf(list, after);
}

export { pageMembers };
