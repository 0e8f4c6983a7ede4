/** A value that a file exports is imported by another file. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['src', 'console/src', 'reliability', 'bench', 'scripts', 'test', 'sdk/src'];

/** Entries of the package, by the names that callers import. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@partner-impact/sdk': 'sdk/src/index.ts',
  '@partner-impact/sdk/testing': 'sdk/src/testing.ts',
};

/**
 * Errors that a docstring names, for whoever tells them from others; what is imported by a path that is put together; and what a release
 * of the package, whose bytes are recorded, exports within itself.
 */
const KEPT = ['WarnedError', 'NotDistributableError', 'buildConsole', 'hmac', 'RETRY_AFTER_MAX_MS'];

const files = new Map(
  globSync(
    FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx,mjs}`),
    { cwd: ROOT },
  ).map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);

/** What `path` names in an import or a re-export, relative to the root. */
function targetOf(path: string, named: string): string {
  return PACKAGES[named] ?? join(dirname(path), named);
}

/** Files that are imported as a whole: `import * as partners from './partners.ts'`, or when they are needed. */
const whole = new Set(
  [...files].flatMap(([path, source]) =>
    [...source.matchAll(/(?:[*] as \w+ from |[*] from |import\()'([^']+)'/g)].map(([, named = '']) => targetOf(path, named)),
  ),
);

/** `path name` of each value that a file imports or exports again. */
const imported = new Set(
  [...files].flatMap(([path, source]) =>
    [...source.matchAll(/(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)'/g)].flatMap(([, names = '', named = '']) =>
      names.split(',').map((name) => `${targetOf(path, named)} ${/(?:type )?(\w*)/.exec(name.trim())?.[1]}`),
    ),
  ),
);

function listValues(source: string): string[] {
  const declared = source.matchAll(/^export (?:async )?(?:const|let|function\*?|(?:abstract )?class) (\w+)/gm);
  return [...declared].map(([, name]) => name as string);
}

test('each value that a file exports is imported by another one', () => {
  const exported = [...files].flatMap(([path, source]) => listValues(source).map((name) => ({ path, name })));
  assert.ok(exported.length > 2_000, `${exported.length} values`);
  const unused = exported.filter(
    ({ path, name }) => !imported.has(`${path} ${name}`) && !whole.has(path) && !KEPT.includes(name),
  );
  assert.deepEqual(unused, []);
});
