import { createInterface } from 'node:readline/promises';
import { showHidden } from '../../domain/single-line-text.ts';
import { UsageError } from './options.ts';

/**
 * Asks before what cannot be undone; `--yes` answers beforehand, for programs.
 *
 * @throws UsageError Without `--yes` where nobody can be asked, or when the answer is no.
 */
export async function confirmOrRefuse(question: string, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed) return;
  if (!process.stdin.isTTY)
    throw new UsageError(`${question} This cannot be undone. There is no terminal to ask on: repeat the command with --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${showHidden(question)} This cannot be undone. [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was done.');
  } finally {
    terminal.close();
  }
}
