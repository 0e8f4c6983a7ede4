import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const { scripts } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const names = Object.keys(scripts);

test('every npm run prepares a fresh clone by itself: it installs the packages, and brings Node 24', () => {
  const wanted = names.filter((name) => scripts[name] !== 'node scripts/prepare.mjs');
  assert.ok(wanted.length > 30, `${wanted.length} scripts`);
  assert.deepEqual(
    wanted.filter((name) => scripts[`pre${name}`] !== 'node scripts/prepare.mjs'),
    [],
  );
});
