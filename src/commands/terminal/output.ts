/** All output to the terminal: text of persons and receivers is printed so that it has no effect there. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { escapeHidden, escapeHiddenInLines } from '../../domain/single-line-text.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { layOutFields, layOutTable, type Row } from './table.ts';

export type { Row } from './table.ts';

/** Prints sentences on standard output; the text contains its line ends. */
export function printText(text: string): void {
  process.stdout.write(escapeHiddenInLines(text));
}

/**
 * Prints exactly one JSON value on standard output, in one line; a `bigint` is an integer with all its digits. Hidden characters in
 * strings are escaped, so that a program reads the same value.
 */
export function printJson(value: unknown): void {
  printText(`${exactJson(value)}\n`);
}

/** Prints bytes that programs read unchanged. */
export function printBytes(text: string): void {
  process.stdout.write(text);
}

/** Prints a table of at most 120 columns, or a sentence when there are no rows. */
export function printTable(rows: readonly Row[], ifEmpty: string): void {
  printText(`${rows.length === 0 ? ifEmpty : layOutTable(rows.map(inOneLine)).join('\n')}\n`);
}

/** Prints one record, a line for each field. */
export function printFields(fields: Row): void {
  printText(`${layOutFields(inOneLine(fields)).join('\n')}\n`);
}

/** Each value on one line, whatever it contains. */
function inOneLine(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, escapeHidden(value)]));
}

/** Prints a stream at the speed of its reader; ends when the reader leaves. */
export async function printStream(bytes: Readable): Promise<void> {
  let isUnread = false;
  process.stdout.once('error', () => (isUnread = true));
  await pipeline(bytes, process.stdout, { end: false }).catch((error: unknown) => {
    // `main.ts` turns a closed pipe into the exit code. The command handles any other failure.
    if (!isUnread) throw error;
  });
}

/** Where a person sees a question; `undefined` where both outputs go elsewhere, such as into files. */
export function terminalOutput(): NodeJS.WriteStream | undefined {
  return [process.stderr, process.stdout].find(({ isTTY }) => isTTY);
}

/** Prints on such an output; the text contains its line ends. */
export function printOn(terminal: NodeJS.WriteStream, text: string): void {
  terminal.write(escapeHiddenInLines(text));
}

/** Prints an error; the text contains its line ends. */
export function printError(text: string): void {
  process.stderr.write(escapeHiddenInLines(text));
}

/** Prints an error for programs: one JSON value in one line, on standard error. */
export function printErrorJson(value: object): void {
  printError(`${exactJson(value)}\n`);
}

/** Whether the running command has `--json`: whoever reads its standard error may be a program, which expects the JSON of an error. */
let isForProgram = false;

export function setForProgram(given: boolean): void {
  isForProgram = given;
}

/** Prints progress for a person who waits, on standard error; with `--json` only on a terminal. */
export function printProgress(sentence: string): void {
  if (!isForProgram || process.stderr.isTTY) printNotice(sentence);
}

/** Prints what has to be known besides the output, on standard error. */
export function printNotice(sentence: string): void {
  printError(`${sentence}\n`);
}

export function formatTime(time: Date | null): string {
  return time === null ? '-' : time.toISOString().replace(/\.\d+Z$/, 'Z');
}
