/** The one way to the terminal: whatever a person or a receiver wrote is shown so that it does nothing there. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { showHidden, showHiddenInLines } from '../../domain/single-line-text.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { layOutFields, layOutTable, type Row } from './table.ts';

export type { Row } from './table.ts';

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

/** A table of at most 120 columns; a sentence where there is nothing to show. */
export function printTable(rows: readonly Row[], ifEmpty: string): void {
  printText(`${rows.length === 0 ? ifEmpty : layOutTable(rows.map(inOneLine)).join('\n')}\n`);
}

/** One thing, a line for each of its fields. */
export function printFields(fields: Row): void {
  printText(`${layOutFields(inOneLine(fields)).join('\n')}\n`);
}

/** Each value in one line, whatever is in it. */
function inOneLine(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, showHidden(value)]));
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
