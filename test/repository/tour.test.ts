/** `npm run tour`: a newcomer sees everything work. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { testService } from '../support/service.ts';

const TOUR = fileURLToPath(new URL('../../scripts/tour.ts', import.meta.url));

test('the tour shows an event that arrives and verifies, beside a service that may not send to this machine', {
  ...HANG_LIMIT,
}, async () => {
  const { baseUrl, databaseUrl } = await testService();
  const { code, output } = await takeTour(baseUrl, databaseUrl);
  assert.equal(code, 0, output);
  assert.match(output, /impact\.transaction\.confirmed {2}sequence 2 {2}evt_\w+ {2}attempt 1 {2}valid\n/);
  assert.match(output, /delivered.*The day is over/s);
});

function takeTour(baseUrl: string, databaseUrl: string): Promise<{ code: number; output: string }> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, [TOUR, '--base-url', baseUrl], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stripVTControlCharacters(stdout + stderr) }),
    );
  });
}
