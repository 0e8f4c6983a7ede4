/** The shortest run of `bench/main.ts`: it measures, prints its tables, and writes its file and its picture. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Results } from '../../bench/results.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROGRAM = join(import.meta.dirname, '../../bench/main.ts');
const SHORTEST = '--scenarios lookup-by-event --connections 2 --seconds 1 --rounds 1 --partners 0 --deliveries 0'.split(' ');

test('the bench ends with its tables, and with what they say in a file and in a picture', async () => {
  const { databaseUrl } = await testDatabase();
  const folder = temporaryFolder('bench');
  const words = [PROGRAM, ...SHORTEST, '--database-url', databaseUrl, '--output', folder];
  const { stdout } = await promisify(execFile)(process.execPath, words);

  const { startedAt, cells, problems } = JSON.parse(readFileSync(join(folder, 'latest.json'), 'utf8')) as Results;
  assert.deepEqual(problems, []);
  assert.match(startedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(cells.length, 1);
  const perSecond = Math.round(cells[0]?.figures.perSecond ?? 0).toLocaleString('en');
  assert.match(stdout, new RegExp(`^Revision \\w+\\+?, ${startedAt}`, 'm'));
  assert.match(stdout, new RegExp(`lookup by event id +2 +${perSecond} `));
  assert.match(
    readFileSync(join(folder, 'latest.svg'), 'utf8'),
    new RegExp(`^<svg [^]*>${perSecond}[^]*${startedAt.slice(0, 10)}`),
  );
});
