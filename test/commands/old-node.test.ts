/** The command under a Node that is too old for the program: it starts the one that the packages bring along. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { serviceEnv } from '../support/service.ts';

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

test('whoever kills an older Node kills the service that it started', needsOldNode, async () => {
  const { databaseUrl } = await testDatabase();
  for (const words of [[], ['--processes', '2']]) {
    const env = { ...process.env, ...serviceEnv(databaseUrl, {}) };
    const launcher = spawn(oldNode as string, [COMMAND, 'serve', ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    launcher.stdout.on('data', (chunk: Buffer) => (output += chunk));
    const [, baseUrl = ''] = await waitFor('the service', async () => /listens on (\S+)/.exec(output));
    launcher.kill('SIGKILL');
    await waitFor('the end of the service', () =>
      fetch(`${baseUrl}/v1/partner`).then(
        () => false,
        () => true,
      ),
    );
  }
});
