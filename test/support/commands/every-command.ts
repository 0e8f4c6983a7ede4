import { loadCommands } from '../../../src/commands/program.ts';
import type { ProgramCommand } from '../../../src/commands/terminal/program-command.ts';

/** A command that does something, and the words that it is called by. */
export interface NamedCommand {
  readonly words: readonly string[];
  readonly command: ProgramCommand;
}

/** Every command that there is, a new one included; none of those that only hold others. */
export async function everyCommand(): Promise<NamedCommand[]> {
  return (await loadCommands()).flatMap((command) => leavesOf(command));
}

function leavesOf(command: ProgramCommand, before: readonly string[] = []): NamedCommand[] {
  const words = [...before, command.name()];
  const own = command.commands as readonly ProgramCommand[];
  return own.length === 0 ? [{ words, command }] : own.flatMap((each) => leavesOf(each, words));
}

/** Whatever an option takes, so that a command gets as far as to ask who gives it. */
const VALUES: Record<string, string> = {
  '--month': '2026-11',
  '--file': 'package.json',
  '--email': 'somebody@example.org',
  '--expected': '2027-03',
  '--captured-at': '2026-01-02T03:04:05Z',
  '--country': 'SA',
  '--points': '1',
  '--trees': '1',
  '--url': 'https://example.org/',
  '--since': '2026-01-01T00:00:00Z',
};

/** What a command asks for besides. */
const EXTRA: Record<string, readonly string[]> = {
  'statement verify': ['--partner', 'x', '--settlement', 'x'],
};

/** The words of a command, with a value for each option that it needs. */
export function callOf({ words, command }: NamedCommand): string[] {
  const needed = command.options.filter(({ mandatory }) => mandatory);
  const options = needed.flatMap(({ long, argChoices }) => [long as string, argChoices?.[0] ?? VALUES[long as string] ?? 'x']);
  const given = command.registeredArguments.map(() => 'close-settlements');
  return [...words, ...given, ...options, ...(EXTRA[words.join(' ')] ?? [])];
}
