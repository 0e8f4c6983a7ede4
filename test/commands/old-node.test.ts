/** The command under a Node that is too old for the program, which starts the one of the packages, and under one that lacks its flag. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { AS_NOBODY, isRoot } from '../support/postgres/embedded.ts';
import { serviceEnv } from '../support/service.ts';
import { listChildren } from '../support/service-processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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
const oldMajor = oldNode && Number.parseInt(execFileSync(oldNode, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10);
const needsOldNode = { skip: oldNode ? false : `no Node before ${NODE_MAJOR} is installed` };

const run = (...words: string[]) => spawnSync(oldNode as string, [COMMAND, ...words], { encoding: 'utf8' });

test('an older Node gives the words, the output and the exit code on', needsOldNode, () => {
  const { stdout, stderr, status } = run('--version');
  assert.deepEqual({ stdout, stderr, status }, { stdout: `${version}\n`, stderr: '', status: 0 });
  const mistake = run('no-such-command');
  assert.equal(mistake.status, 2);
  assert.match(mistake.stderr, /no-such-command/);
});

/** The command with a packaged Node that every user may read, and run where its mode lets them. */
function copyCommand(mode: number): string {
  const folder = temporaryFolder('packaged-node');
  const packaged = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`);
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(packaged, 'bin'), { recursive: true });
  copyFileSync(COMMAND, join(folder, 'bin/partner-impact.mjs'));
  writeFileSync(join(packaged, 'package.json'), '{}');
  writeFileSync(join(packaged, 'bin/node'), '#!/bin/sh\nexit 7\n', { mode });
  chmodSync(folder, 0o755);
  return join(folder, 'bin/partner-impact.mjs');
}

/** The launcher may start no process: it has the threads that it needs to read its own file. */
const WITHOUT_PROCESSES = `import { execFileSync } from 'node:child_process';
  import { readFile } from 'node:fs/promises';
  await readFile('/dev/null');
  execFileSync('prlimit', ['--pid', String(process.pid), '--nproc=1:1']);`;

test('an older Node that lacks processes for a moment ends with a code after which systemd starts it again', needsOldNode, () => {
  const launch = (command: string, env: Record<string, string> = {}) => {
    const [program = '', ...words] = [...(isRoot ? AS_NOBODY : []), oldNode as string, command, 'serve'];
    return spawnSync(program, words, { encoding: 'utf8', cwd: '/', env: { ...process.env, ...env } });
  };
  const runnable = copyCommand(0o755);
  assert.equal(launch(runnable).status, 7);
  const lacking = launch(runnable, {
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(WITHOUT_PROCESSES)}`,
  });
  assert.equal(lacking.status, 1, lacking.stderr);
  assert.match(lacking.stderr, /^The packaged Node 24 could not be started now \(spawn \S+ EAGAIN\)\. Try again\.\n$/);
  const forbidden = launch(copyCommand(0o644));
  assert.equal(forbidden.status, 2, forbidden.stderr);
  assert.match(forbidden.stderr, /does not run on this machine \(spawn \S+ EACCES\)\. Run `npm ci/);
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

test('a service that was not compiled yet starts again, so that what strips types does not stay in memory', async () => {
  const { databaseUrl } = await testDatabase();
  const stripper = 'NativeModule internal/deps/amaro/dist/index';
  const tell = `process.on('exit', () =>
    console.log('of Node ' + parseInt(process.versions.node) + ', stripped: ' + process.moduleLoadList.includes('${stripper}')))`;
  for (const [node, words] of [
    [process.execPath, []],
    [process.execPath, ['--processes', '2']],
    ...(oldNode ? [[oldNode, []] as const] : []),
  ] as const) {
    const env = {
      ...process.env,
      ...serviceEnv(databaseUrl, {}),
      NODE_COMPILE_CACHE: mkdtempSync(join(tmpdir(), 'partner-impact-cache-')),
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(tell)}`,
    };
    const started = spawn(node, [COMMAND, 'serve', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    await waitFor('the service', async () => /listens on (\S+)/.exec(output));
    started.kill('SIGTERM');
    await once(started, 'close');
    const stripped = [...output.matchAll(/^of Node (\d+), stripped: (\w+)$/gm)].map(([, major, answer]) => `${major} ${answer}`);
    // The process that asked an older Node for another start, the launcher itself, and those that served.
    const served = Array.from({ length: words.length === 0 ? 1 : 3 }, () => `${NODE_MAJOR} false`);
    const before = node === process.execPath ? [] : [`${NODE_MAJOR} true`, `${oldMajor} false`];
    assert.deepEqual(stripped.sort(), [...before, ...served].sort(), output);
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
