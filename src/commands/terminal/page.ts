import { UsageError } from './options.ts';
import { printJson, printProgress, printTable, printText, type Row } from './output.ts';

/** The options of every list: `ProgramCommand.paged()` adds them. */
export interface PageOptions {
  readonly limit: number;
  /** What the page before named: where this one begins. */
  readonly after?: string;
  readonly json?: boolean;
}

export interface Presentation<Item> {
  /** The place of an item in its list, as `--after` takes it. */
  readonly cursorOf: (item: Item) => string;
  readonly toJson: (item: Item) => unknown;
  readonly toRow: (item: Item) => Row;
  /** A sentence where there is none. */
  readonly ifNone: string;
}

/**
 * A page as JSON or as a table, and how to go on when there is more.
 *
 * @param found One more than the page holds, where there is more.
 */
export function printPage<Item>(
  found: readonly Item[],
  { limit, json }: PageOptions,
  { cursorOf, toJson, toRow, ifNone }: Presentation<Item>,
): void {
  const page = found.slice(0, limit);
  if (json) printJson(page.map(toJson));
  else printTable(page.map(toRow), ifNone);
  printMore(found.length > limit ? page.at(-1) : undefined, { json, cursorOf });
}

/** Standard output holds exactly one JSON value, so that a program is told on standard error. */
export function printMore<Item>(
  last: Item | undefined,
  { json, option = '--after', cursorOf }: { json?: boolean | undefined; option?: string; cursorOf: (item: Item) => string },
): void {
  if (last === undefined) return;
  const sentence = `There is more: repeat the command with ${option} ${cursorOf(last)}`;
  if (json) printProgress(sentence);
  else printText(`\n${sentence}\n`);
}

/** The part of a short list that a page begins with; all of it is in memory. */
export function listAfter<Item>(all: readonly Item[], { after }: PageOptions, cursorOf: (item: Item) => string): readonly Item[] {
  if (after === undefined) return all;
  const index = all.findIndex((item) => cursorOf(item) === after);
  if (index === -1) throw notOfThisList(after);
  return all.slice(index + 1);
}

/**
 * What `--after` says, in the form that the list has.
 *
 * @throws UsageError For a cursor of another list, and for what is none.
 */
export function readAfter({ after }: { readonly after?: string | undefined }, form: RegExp): RegExpExecArray | undefined {
  if (after === undefined) return undefined;
  const read = form.exec(after);
  if (read === null) throw notOfThisList(after);
  return read;
}

/** The id that the page before ended with. */
export function readAfterId(options: { readonly after?: string | undefined }, prefix: string): string | undefined {
  return readAfter(options, new RegExp(`^${prefix}_[\\w.]+$`))?.[0];
}

function notOfThisList(after: string): UsageError {
  return new UsageError(`--after ${after} is not of this list. Give what the page before named.`);
}
