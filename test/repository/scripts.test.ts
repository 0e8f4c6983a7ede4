import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const { scripts } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const names = Object.keys(scripts);

test('every script of npm has scripts/prepare.mjs before it, which makes a fresh clone runnable', () => {
  const wanted = names.filter((name) => scripts[name] !== 'node scripts/prepare.mjs');
  assert.ok(wanted.length > 30, `${wanted.length} scripts`);
  assert.deepEqual(
    wanted.filter((name) => scripts[`pre${name}`] !== 'node scripts/prepare.mjs'),
    [],
  );
});
