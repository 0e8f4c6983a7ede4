/** Every command that there is, a new one included: its help, and its end when nobody reads what it prints. */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import type { Command } from 'commander';
import { loadCommands } from '../../src/commands/program.ts';
import { commandLine } from '../support/command-line.ts';

const { run, runApart, runUnread, runUnreadApart } = commandLine({});
/** What a shell says of a program that writes into a closed pipe: 128 and SIGPIPE. */
const CLOSED_PIPE = 141;

interface Named {
  readonly words: readonly string[];
  readonly command: Command;
}

const top = await loadCommands();
const all = top.flatMap((command) => walk(command));

function walk(command: Command, before: readonly string[] = []): Named[] {
  const words = [...before, command.name()];
  return [{ words, command }, ...command.commands.flatMap((each) => walk(each, words))];
}

/** As many at once as there are processors. */
async function eachOf(items: readonly (readonly string[])[], use: (words: readonly string[]) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const words of waiting) await use(words);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

test('there are commands within commands, and each has a description and its help', () => {
  assert.ok(all.length > 100);
  for (const { words, command } of all) {
    const help = command.helpInformation();
    assert.ok(command.description(), words.join(' '));
    assert.match(help, new RegExp(`^Usage: .*${command.name()}.*\n\n`));
  }
});

test('--help prints the help and nothing else, exit code 0', async () => {
  await eachOf([[], ...top.map((command) => [command.name()])], async (words) => {
    const { code, stdout, stderr } = await run([...words, '--help']);
    assert.deepEqual([code, stderr], [0, ''], words.join(' '));
    assert.match(stdout, /^Usage: partner-impact/);
  });
  const { code, stdout, stderr } = await runApart(['--help']);
  assert.deepEqual({ code, stdout, stderr }, await run(['--help']));
});

test('into a closed pipe: no stack, and the exit code of a program that SIGPIPE ended', async () => {
  await eachOf([[], ...all.map(({ words }) => words)], async (words) => {
    const { code, stderr } = await runUnread([...words, '--help']);
    assert.deepEqual([code, stderr], [CLOSED_PIPE, ''], words.join(' '));
  });
  assert.deepEqual(await runUnreadApart(['--help']), { code: CLOSED_PIPE, stderr: '' });
});

test('what a command found wrong stays its exit code when nobody reads it', async () => {
  assert.equal((await runUnread(['fly'])).code, 2);
  assert.equal((await runUnreadApart(['fly'])).code, 2);
});
