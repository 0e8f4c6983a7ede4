import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { escapeHidden } from '../../domain/single-line-text.ts';
import { UsageError } from './options.ts';
import { terminalOutput } from './output.ts';

/** The option of every command that asks for confirmation: `.option(...YES)`. */
export const YES = ['--yes', 'do not ask for confirmation'] as const;

/**
 * The option of a command that does not ask, and takes back or decides the other way what an asking command does: whoever gave that one
 * with `--yes` gives this one so too.
 */
export const YES_WITHOUT_EFFECT = ['--yes', 'without effect, because this command does not ask for confirmation'] as const;

/** Why a command asks for confirmation. */
export type Consequence = 'final' | 'final_at_start' | 'partners_are_told' | 'new_records_are_refused' | 'receiver_gets_them';

const SENTENCES: Record<Consequence, string> = {
  final: 'This cannot be undone.',
  final_at_start: 'It can be withdrawn until a minute before its start.',
  partners_are_told: 'The partners get an event.',
  new_records_are_refused: 'The service refuses its new records within 10 seconds.',
  receiver_gets_them: 'The receiver of the partner gets them all.',
};

/**
 * Asks before a change that is final or that partners notice.
 *
 * @param isConfirmed Whether `--yes` was given, for programs.
 * @throws UsageError Without `--yes` when there is no terminal, and when the answer is no. Nothing is done then.
 */
export async function confirm(question: string, consequence: Consequence, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed) return;
  const asked = `${escapeHidden(question)} ${SENTENCES[consequence]}`;
  const output = process.stdin.isTTY ? terminalOutput() : undefined;
  if (!output) throw new UsageError(`${asked} There is no terminal to ask on: repeat the command with --yes.`);
  const terminal = createInterface({ input: process.stdin, output });
  // Ctrl-C rejects the question; Ctrl-D ends it without an answer.
  const left = once(terminal, 'close').then(() => '');
  try {
    const answer = await Promise.race([terminal.question(`${asked} [y/N] `).catch(() => ''), left]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was done.');
  } finally {
    terminal.close();
  }
}

/**
 * Asks like {@link confirm}, where there is a terminal. Programs called these commands before they asked anything; for them the change is
 * made, with `--yes` or without it.
 */
export async function confirmAtTerminal(...asked: Parameters<typeof confirm>): Promise<void> {
  if (process.stdin.isTTY) await confirm(...asked);
}
