import { createInterface } from 'node:readline/promises';
import { showHidden } from '../../domain/single-line-text.ts';
import { UsageError } from './options.ts';

/** Of every command that asks first: `.option(...YES)`. */
export const YES = ['--yes', 'do not ask for confirmation'] as const;

/** Why a command asks first. */
export type Consequence = 'final' | 'partners_are_told' | 'new_records_are_refused';

const SENTENCES: Record<Consequence, string> = {
  final: 'This cannot be undone.',
  partners_are_told: 'The partners get an event.',
  new_records_are_refused: 'The service refuses its new records within 10 seconds.',
};

/**
 * Asks before what is final, and before what partners notice.
 *
 * @param isConfirmed Whether `--yes` was given, for programs.
 * @throws UsageError Without `--yes` where there is no terminal to ask on, and when the answer is no. Nothing is done then.
 */
export async function confirm(question: string, consequence: Consequence, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed) return;
  const asked = `${showHidden(question)} ${SENTENCES[consequence]}`;
  if (!process.stdin.isTTY) throw new UsageError(`${asked} There is no terminal to ask on: repeat the command with --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${asked} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was done.');
  } finally {
    terminal.close();
  }
}
