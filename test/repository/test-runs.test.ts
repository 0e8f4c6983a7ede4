/** Which files a run of tests takes, and how `scripts/testing/run-test-files.ts` counts: what goes wrong in a file fails, and fails nothing else. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { findTestFiles } from '../../scripts/testing/find-test-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const SHARED = "import './shared.mjs';\nimport { after, before, test } from 'node:test';\n";

const folder = temporaryFolder('runs');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'shared.mjs'), 'globalThis.loads = (globalThis.loads ?? 0) + 1;\n');

interface Outcome {
  readonly counts: { readonly passed: number; readonly failed: number; readonly skipped: number };
  readonly output: string;
}

/** Runs files in a single process, in their order. */
function runPlanted(files: Readonly<Record<string, string>>): Promise<Outcome> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const paths = Object.keys(files).map((name) => relative(REPOSITORY, join(folder, name)));
  const program = `import { runFiles } from ${JSON.stringify(join(REPOSITORY, 'scripts/testing/run-test-files.ts'))};
    const counts = { passed: 0, failed: 0, skipped: 0 };
    await runFiles(${JSON.stringify(paths)}, counts, { concurrency: 1 });
    console.log(JSON.stringify(counts));`;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['--input-type=module', '-e', program], (error, output, errors) => {
      if (error) return reject(new Error(`${output}\n${errors}`, { cause: error }));
      const last = output.trimEnd().split('\n').at(-1) ?? '';
      resolve({ counts: JSON.parse(last), output });
    });
  });
}

test('a folder stands for all files of tests below it, and what fits none is refused by its name', () => {
  const ofFolder = [...findTestFiles([join(REPOSITORY, 'test/commands')])];
  assert.ok(ofFolder.length > 3 && ofFolder.every((file) => /^test\/commands\/.*\.test\.ts$/.test(file)), ofFolder.join());
  assert.deepEqual([...findTestFiles([join(REPOSITORY, 'test/command?')])], ofFolder);
  assert.ok(findTestFiles([join(REPOSITORY, 'test')]).isSupersetOf(new Set(ofFolder)));
  assert.throws(
    () => findTestFiles([join(REPOSITORY, 'test/nothing.test.ts')]),
    /^Error: No test file fits .*nothing\.test\.ts\.$/,
  );
  const ofRun = spawnSync(
    process.execPath,
    [join(REPOSITORY, 'scripts/test.ts'), '--name', 'of no test', 'test/repository/none'],
    {
      cwd: REPOSITORY,
      encoding: 'utf8',
    },
  );
  assert.match(ofRun.stderr, /No test file fits test\/repository\/none\./);
});

test('a run on a cluster takes files too, and refuses one that is not of its tests', () => {
  const { CITUS_URL: _, ...env } = process.env;
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [join(REPOSITORY, 'scripts/test-distributed.ts'), ...words], {
      cwd: REPOSITORY,
      encoding: 'utf8',
      env,
    });
  const { status, stderr, stdout } = run('test/commands', 'test/store/plans.test.ts');
  assert.deepEqual([status, stderr], [1, 'No test of a cluster fits test/commands.\n']);
  assert.match(stdout, /0 passed, 1 failed, 0 skipped\n$/);
  assert.match(run('--name', 'of no test', 'test/store/plans.test.ts').stderr, /^CITUS_URL is not set/);
});

test('files share a process and its modules; what one changes of the environment, the next does not see', async () => {
  const text = (n: number) => `${SHARED}
    after(() => console.log('after ${n}'));
    test('environment ${n}', (t) => {
      t.assert.equal(globalThis.loads, 1);
      t.assert.equal(process.env.PLANTED, undefined);
      process.env.PLANTED = '${n}';
    });`;
  const { counts, output } = await runPlanted({ 'a.test.mjs': text(1), 'b.test.mjs': text(2) });
  assert.deepEqual(counts, { passed: 2, failed: 0, skipped: 0 });
  assert.match(output, /after 1[\s\S]*after 2/);
});

test('what fails is counted and explained: a test, a hook, a file that does not load, one without a test', async () => {
  const { counts, output } = await runPlanted({
    'test.test.mjs': `${SHARED} test('red', (t) => t.assert.equal(1, 2, 'one is not two')); test.skip('left out', () => {});`,
    'hook.test.mjs': `${SHARED} before(() => { throw new Error('the hook failed') }); test('never', () => {});`,
    'load.test.mjs': `${SHARED} throw new Error('the file failed');`,
    'empty.test.mjs': SHARED,
    'waits.test.mjs': `${SHARED} await new Promise(() => {}); test('never', () => {});`,
    'good.test.mjs': `${SHARED} test('green', () => {});`,
  });
  assert.deepEqual([counts.passed, counts.skipped], [1, 1], output);
  assert.ok(counts.failed >= 5, output);
  for (const reason of [
    'one is not two',
    'the hook failed',
    'the file failed',
    'empty.test.mjs holds no test',
    'waits.test.mjs holds no test',
  ])
    assert.ok(output.includes(reason), `${reason}\n${output}`);
});

test('a file whose suites are all skipped, as without a browser, is skipped and does not fail', async () => {
  const { counts, output } = await runPlanted({
    'suites.test.mjs': `${SHARED} import { describe } from 'node:test';
      describe('one', { skip: 'no browser' }, () => { test('never', () => {}); test('nor this', () => {}); });
      describe.skip('other', () => { test('never', () => {}); });`,
  });
  assert.deepEqual(counts, { passed: 0, failed: 0, skipped: 2 }, output);
});

test('what a test has begun and nobody waits for fails that test when it fails, by its title, and ends it', async () => {
  const later = {
    timer: 'setTimeout(() => { throw new Error("late"); }, 1)',
    promise: 'setImmediate(() => { Promise.reject(new Error("late")); })',
    socket: 'net.connect(1, "127.0.0.1").on("error", () => { throw new Error("late"); })',
  };
  const texts = Object.entries(later).map(([title, begin]) => {
    const text = `import net from 'node:net'; import { describe, test } from 'node:test';
      describe('of ${title}', () => {
        test('before', () => {});
        test('begins a ${title}', async () => { await 1; ${begin}; await new Promise(() => setInterval(() => {}, 1_000).unref()); });
      });
      test('after ${title}', () => {});`;
    return [`begun-${title}.test.mjs`, text];
  });
  const { counts, output } = await runPlanted(Object.fromEntries(texts));
  // The suite of each fails with it.
  assert.deepEqual(counts, { passed: 6, failed: 3, skipped: 0 }, output);
  for (const title of Object.keys(later)) assert.match(output, new RegExp(`✖ begins a ${title}`));
  assert.match(output, /late/);
});

test('what fails when its test is over fails the file, and names the test', async () => {
  const { counts, output } = await runPlanted({
    'over.test.mjs': `${SHARED} import { setTimeout as sleep } from 'node:timers/promises';
      test('ends too early', () => void sleep(20).then(() => { throw new Error('too late'); }));
      test('is still good', () => sleep(200));`,
  });
  assert.deepEqual(counts, { passed: 2, failed: 1, skipped: 0 }, output);
  assert.match(output, /Test "ends too early".*after the test ended.*too late/);
});

test('what a test asks to be done at its end, after others of its promises, is done at its end', async () => {
  const { counts, output } = await runPlanted({
    'ends.test.mjs': `import { after, beforeEach, describe, test } from 'node:test'; import { setTimeout as sleep } from 'node:timers/promises';
      const said = [];
      after(() => said.push('file'));
      describe('suite', () => {
        beforeEach(() => said.push('each'));
        test('one', async (t) => { await sleep(1); after(() => said.push('one')); await t.test('inner', () => said.push('inner')); });
        test('two', (t) => t.assert.deepEqual(said, ['each', 'each', 'inner', 'one', 'each']));
      });`,
  });
  assert.deepEqual([counts.failed, counts.skipped], [0, 0], output);
});

test('the runner follows no promise of a file one by one', async () => {
  const { counts, output } = await runPlanted({
    'promises.test.mjs': `import { AsyncResource } from 'node:async_hooks'; import { test } from 'node:test';
      const nextId = () => new AsyncResource('probe').asyncId();
      test('promises have no ids', async (t) => {
        const first = nextId();
        for (let n = 0; n < 1_000; n++) await n;
        t.assert.ok(nextId() - first < 100);
      });`,
  });
  assert.deepEqual(counts, { passed: 1, failed: 0, skipped: 0 }, output);
});

test('a file that ends its process fails, and the next ones run in another', async () => {
  const { counts, output } = await runPlanted({
    'ends.test.mjs': `${SHARED} test('ends', () => process.exit(0));`,
    'next.test.mjs': `${SHARED} test('next', (t) => t.assert.equal(globalThis.loads, 1));`,
  });
  assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 }, output);
  assert.match(output, /ends\.test\.mjs: the process ended with 0/);
});

test('what a file has started and left ends with its process, and holds up nobody', async () => {
  const pidFile = join(folder, 'pid');
  const { counts, output } = await runPlanted({
    'leaves.test.mjs': `${SHARED} import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs';
      test('leaves', () => {
        const left = spawn('sleep', ['600'], { stdio: ['ignore', 'inherit', 'inherit'] });
        writeFileSync(${JSON.stringify(pidFile)}, String(left.pid));
        process.exit(0);
      });`,
  });
  assert.equal(counts.failed, 1, output);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  assert.ok(pid > 1);
  // One that has ended may still be counted until somebody waits for it.
  const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] : 'gone';
  assert.ok(state === 'gone' || state === 'Z', state);
});
