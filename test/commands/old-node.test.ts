/** The command under a Node that is too old for the program, which starts the one of the packages, and under one that lacks its flag. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { serviceEnv } from '../support/service.ts';
import { listChildren } from '../support/service-processes.ts';

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

test('the service gets its flag from Node 24 and from an older one, in the process that was started and in its workers', async () => {
  const { databaseUrl } = await testDatabase();
  const wordsOf = (pid: number | string) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const node of [process.execPath, ...(oldNode ? [oldNode] : [])]) {
    const env = { ...process.env, ...serviceEnv(databaseUrl, {}) };
    const started = spawn(node, [COMMAND, 'serve', '--processes', '2'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    started.stdout.on('data', (chunk: Buffer) => (output += chunk));
    await waitFor('the service', async () => /listens on (\S+)/.exec(output));
    const pid = node === process.execPath ? Number(started.pid) : Number(childrenOf(Number(started.pid))[0]);
    const processes = [pid, ...childrenOf(pid)];
    assert.equal(processes.length, 3);
    for (const each of processes) assert.equal(wordsOf(each).filter((word) => word === '--no-async-context-frame').length, 1);
    started.kill('SIGTERM');
    const [code] = await once(started, 'exit');
    assert.equal(code, 0);
  }
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

const canBeFirst = oldNode !== undefined && spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;

test('an older Node that is the first process of a container says that the service was killed', {
  skip: canBeFirst ? false : `no Node before ${NODE_MAJOR} is installed, or unshare is not allowed`,
}, async () => {
  const { databaseUrl } = await testDatabase();
  const env = { ...process.env, ...serviceEnv(databaseUrl, {}) };
  const words = ['--pid', '--fork', '--kill-child', oldNode as string, COMMAND, 'serve'];
  const container = spawn('unshare', words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  container.stdout.on('data', (chunk: Buffer) => (output += chunk));
  await waitFor('the service', async () => /listens on (\S+)/.exec(output));
  const [launcher] = await listChildren(Number(container.pid));
  const [service] = await listChildren(Number(launcher));
  process.kill(Number(service), 'SIGKILL');
  const [code] = await once(container, 'exit');
  assert.equal(code, 128 + constants.signals.SIGKILL);
});
