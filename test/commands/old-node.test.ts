/** The command under a Node that is too old for the program: it starts the one that the packages bring along. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/document-blocks.ts';

const NODE_MAJOR = 24;
const COMMAND = join(ROOT, 'bin/partner-impact.mjs');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const oldNode = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find(
    (file) =>
      existsSync(file) &&
      Number(execFileSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' }).split('.')[0]) < NODE_MAJOR,
  );
const needsOldNode = { skip: oldNode ? false : `no Node before ${NODE_MAJOR} is installed` };

const run = (...words: string[]) => spawnSync(oldNode as string, [COMMAND, ...words], { encoding: 'utf8' });

test('an older Node gives the words, the output and the exit code on', needsOldNode, () => {
  const { stdout, stderr, status } = run('--version');
  assert.deepEqual({ stdout, stderr, status }, { stdout: `${version}\n`, stderr: '', status: 0 });
  const mistake = run('no-such-command');
  assert.equal(mistake.status, 2);
  assert.match(mistake.stderr, /no-such-command/);
});
