/** The rules of `npm run mutants` name texts of files: a text that has moved is found here, and not hours later. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RULES } from '../../reliability/mutants/rules.ts';

const ROOT = join(import.meta.dirname, '../..');

test('the text that each mutant changes stands in its file exactly once, and the change is one', () => {
  const stale = RULES.map(({ rule, file, find, replace }) => ({
    rule,
    file,
    places: existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8').split(find).length - 1 : 0,
    isChange: find !== replace,
  })).filter(({ places, isChange }) => places !== 1 || !isChange);
  assert.deepEqual(stale, []);
});

test('the tests that have to notice a mutant exist, and no two mutants have one sentence', () => {
  const files = RULES.flatMap(({ tests }) => tests.map((name) => (name.startsWith('src/') ? name : `test/${name}.test.ts`)));
  assert.deepEqual(
    files.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
  assert.equal(new Set(RULES.map(({ rule }) => rule)).size, RULES.length);
});
