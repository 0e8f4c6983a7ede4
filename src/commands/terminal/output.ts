/** The one way to the terminal: whatever a person or a receiver wrote is shown so that it does nothing there. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { showHidden, showHiddenInLines } from '../../domain/single-line-text.ts';
import { exactJson } from '../../wire/exact-json.ts';

/** A row for people: column headings to values. */
export type Row = Readonly<Record<string, string>>;

/** Sentences on standard output, with their ends of lines. */
export function printText(text: string): void {
  process.stdout.write(showHiddenInLines(text));
}

/**
 * Exactly one JSON value on standard output, in one line; a `bigint` is an integer with all its digits. What is hidden in its strings is
 * escaped, so that a program reads the same value.
 */
export function printJson(value: unknown): void {
  printText(`${exactJson(value)}\n`);
}

/** What programs take byte for byte. */
export function printBytes(text: string): void {
  process.stdout.write(text);
}

/** Columns as wide as their widest value; a sentence where there is nothing to show. */
export function printTable(rows: readonly Row[], ifEmpty: string): void {
  const [first] = rows;
  if (!first) return void printText(`${ifEmpty}\n`);
  const names = Object.keys(first);
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => cellOf(row, name).length)));
  const line = (cells: readonly string[]) =>
    `${cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()}\n`;
  printText(line(names.map((name) => name.toUpperCase())));
  for (const row of rows) printText(line(names.map((name) => cellOf(row, name))));
}

/** In one line, whatever is in it. */
function cellOf(row: Row, name: string): string {
  return showHidden(row[name] ?? '');
}

/** One thing, a line for each of its fields. */
export function printFields(fields: Row): void {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  for (const [name, value] of Object.entries(fields)) printText(`${name.padEnd(width)}  ${showHidden(value)}\n`);
}

/** As fast as it is read; a reader that leaves before the end stops it. */
export async function printStream(bytes: Readable): Promise<void> {
  let isUnread = false;
  process.stdout.once('error', () => (isUnread = true));
  await pipeline(bytes, process.stdout, { end: false }).catch((error: unknown) => {
    // `main.ts` turns a closed pipe into the exit code; any other failure is the command's own.
    if (!isUnread) throw error;
  });
}

/** What is wrong, with its ends of lines. */
export function printError(text: string): void {
  process.stderr.write(showHiddenInLines(text));
}

/** What is wrong, for programs: one JSON value in one line, on standard error. */
export function printErrorJson(value: object): void {
  printError(`${exactJson(value)}\n`);
}

/** What is under way, for the person who waits; never on standard output. */
export function printProgress(sentence: string): void {
  printError(`${sentence}\n`);
}

export function showTime(time: Date | null): string {
  return time === null ? '-' : time.toISOString().replace(/\.\d+Z$/, 'Z');
}
