import { createInterface } from 'node:readline/promises';
import { showHidden } from '../../domain/single-line-text.ts';
import { UsageError } from './options.ts';

/**
 * Asks before what cannot be undone.
 *
 * @throws UsageError Without `--yes` where there is no terminal to ask on, and when the answer is not yes.
 */
export async function askFirst(question: string, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed) return;
  if (!process.stdin.isTTY) throw new UsageError(`${question} This cannot be undone. Repeat the command with --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${showHidden(question)} This cannot be undone. Type yes to continue: `);
  terminal.close();
  if (answer.trim().toLowerCase() !== 'yes') throw new UsageError('Nothing was changed.');
}
