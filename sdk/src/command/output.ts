/** What the command prints. Text of others is printed so that it has no effect on the terminal. */
import { type ExactJson, stringifyExactJson } from '../exact-json.ts';

const SHOWN_CHARACTERS_MAX = 200;

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** For the person beside the program that reads standard output. */
export function printProgress(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function printJson(value: ExactJson): void {
  printLine(stringifyExactJson(value, { escapeBidi: true }));
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? '').length)));
  for (const cells of lines)
    printLine(
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

/**
 * Untrusted text for a terminal: an identifier unchanged, anything else in quotation marks, cut, and with every character escaped that
 * could move the cursor, change colours or turn the direction of writing.
 */
export function escapeForTerminal(text: string): string {
  if (/^[\w.:/+=-]{1,200}$/.test(text)) return text;
  const shown = text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
  return JSON.stringify(shown).replace(/[^ -~…]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
