/** What the console asks the service for: an address of the console names a record, and never a path of the service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inLayer, ROOT } from '../support/source-files.ts';

const FOLDER = 'console/src';
const console = inLayer(FOLDER)
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, FOLDER, path), 'utf8') }));

const having = (pattern: RegExp) =>
  console
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path)
    .sort();

describe('a path of the service', () => {
  test('is asked for by the client, with a file, and by what looks whether the service answers', () => {
    assert.deepEqual(having(/\bfetch\(|XMLHttpRequest|sendBeacon|EventSource|WebSocket/), [
      'api/client.ts',
      'api/send-file.ts',
      'app/load-page.ts',
    ]);
  });

  test('has no value in it but by pathOf', () => {
    assert.deepEqual(having(/\/operator\/v1\/[^'`\n]*\$\{/), ['api/csv-address.ts', 'api/send-file.ts']);
    assert.deepEqual(having(/\bas ServicePath\b/), ['api/path-of.ts']);
  });
});
