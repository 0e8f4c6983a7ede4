import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const MODULE = join(import.meta.dirname, 'open-files-limit.ts');
const PRLIMIT = '/usr/bin/prlimit';

/** What a process says that the system gives so many open files: what it may have at once, and what it may raise that to. */
function sayWith(limits: string): string {
  const script = `import { describeLowOpenFilesLimit } from ${JSON.stringify(MODULE)}; console.log(describeLowOpenFilesLimit().join('\\n'))`;
  const words = [`--nofile=${limits}`, process.execPath, '--input-type=module', '--eval', script];
  const { status, stdout, stderr } = spawnSync(PRLIMIT, words, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

test('a process that the system gives too few open files says how many, and how to give it more', {
  skip: existsSync(PRLIMIT) ? false : 'prlimit is not on this machine',
}, () => {
  assert.match(sayWith('1024:1024'), /^This process may have 1024 files and connections open\..+LimitNOFILE=8192/);
  assert.equal(sayWith('1024:8192'), '', 'Node raises the limit by itself');
});
