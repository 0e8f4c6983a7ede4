/** A value that a file exports is used by another file. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['src', 'console/src', 'reliability', 'bench', 'scripts', 'test', 'sdk/src'];

/** Errors that a docstring names, for whoever tells them from others; callers of the package get its base class. */
const NAMED = ['WarnedError', 'NotDistributableError', 'PartnerImpactError'];

const files = new Map(
  globSync(
    FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx,mjs}`),
    { cwd: ROOT },
  ).map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);

/** Files that are imported as a whole: `import * as partners from './partners.ts'`. */
const whole = new Set(
  [...files].flatMap(([path, source]) =>
    [...source.matchAll(/import \* as \w+ from '(\.[^']+)'/g)].map(([, target]) => join(dirname(path), target as string)),
  ),
);

function listValues(source: string): string[] {
  const declared = source.matchAll(/^export (?:async )?(?:const|let|function\*?|(?:abstract )?class) (\w+)/gm);
  return [...declared].map(([, name]) => name as string);
}

test('each value that a file exports is used by another one', () => {
  const users = new Map<string, number>();
  for (const source of files.values())
    for (const word of new Set(source.match(/\w+/g))) users.set(word, (users.get(word) ?? 0) + 1);
  const exported = [...files].flatMap(([path, source]) => listValues(source).map((name) => ({ path, name })));
  assert.ok(exported.length > 2_000, `${exported.length} values`);
  const unused = exported.filter(({ path, name }) => users.get(name) === 1 && !whole.has(path) && !NAMED.includes(name));
  assert.deepEqual(unused, []);
});
