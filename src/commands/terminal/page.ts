import { parseIsoTime } from '../../domain/iso-time.ts';
import { UsageError } from './options.ts';
import { printJson, printNotice, printTable, printText, type Row } from './output.ts';

/** The options of every list; `ProgramCommand.paged()` adds them. */
export interface PageOptions {
  readonly limit: number;
  /** The cursor that the previous page named. */
  readonly after?: string;
  readonly json?: boolean;
}

export interface Presentation<Item> {
  /** The cursor of an item, as `--after` takes it. */
  readonly cursorOf: (item: Item) => string;
  readonly toJson: (item: Item) => unknown;
  readonly toRow: (item: Item) => Row;
  /** The sentence for an empty list. */
  readonly ifNone: string;
}

/**
 * Prints a page as JSON or as a table, and how to continue when there is more.
 *
 * @param found One item more than the page holds, when there is more.
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

/** Standard output holds exactly one JSON value, so this line goes to standard error. */
export function printMore<Item>(
  last: Item | undefined,
  { json, option = '--after', cursorOf }: { json?: boolean | undefined; option?: string; cursorOf: (item: Item) => string },
): void {
  if (last === undefined) return;
  const sentence = `There is more: repeat the command with ${option} ${cursorOf(last)}`;
  if (json) printNotice(sentence);
  else printText(`\n${sentence}\n`);
}

/** The items of a list in memory after the cursor. */
export function listAfter<Item>(all: readonly Item[], { after }: PageOptions, cursorOf: (item: Item) => string): readonly Item[] {
  if (after === undefined) return all;
  const index = all.findIndex((item) => cursorOf(item) === after);
  if (index === -1) throw notOfThisList(after);
  return all.slice(index + 1);
}

/**
 * The value of `--after`, in the form of the list.
 *
 * @throws UsageError For the cursor of another list, and for a value that is no cursor.
 */
export function readAfter({ after }: { readonly after?: string | undefined }, form: RegExp): RegExpExecArray | undefined {
  if (after === undefined) return undefined;
  const read = form.exec(after);
  if (read === null) throw notOfThisList(after);
  return read;
}

/** As {@link readAfter}, for a form whose first part is a time, as {@link Date.toISOString} writes it. PostgreSQL has no year 0. */
export function readAfterTime(options: { readonly after?: string | undefined }, form: RegExp): RegExpExecArray | undefined {
  const read = readAfter(options, form);
  const [, time = ''] = read ?? [];
  if (read && (parseIsoTime(time)?.toISOString() !== time || time.startsWith('0000'))) throw notOfThisList(read[0]);
  return read;
}

/** The last id of the previous page. */
export function readAfterId(options: { readonly after?: string | undefined }, prefix: string): string | undefined {
  return readAfter(options, new RegExp(`^${prefix}_[\\w.]+$`))?.[0];
}

function notOfThisList(after: string): UsageError {
  return new UsageError(`--after ${after} is not a cursor of this list. Give the one at the end of the page before.`);
}
