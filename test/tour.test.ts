/** `npm run tour`: a newcomer sees everything work, or reads what is left out. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type TestService, testService } from './support/service.ts';
import { WEBHOOK_ENV } from './support/webhook-service.ts';

const TOUR = fileURLToPath(new URL('../scripts/tour.ts', import.meta.url));
const LOOPBACK = { ...WEBHOOK_ENV, WEBHOOK_ALLOW_INSECURE: 'loopback' };
const NOWHERE = { ...WEBHOOK_ENV, WEBHOOK_ALLOW_INSECURE: 'false' };

function takeTour(
  { baseUrl, databaseUrl }: TestService,
  settings: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; output: string }> {
  const env = { ...process.env, ...settings, DATABASE_URL: databaseUrl, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, [TOUR, '--base-url', baseUrl, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stripVTControlCharacters(stdout + stderr) }),
    );
  });
}

const waiting = { timeout: 60_000 };

describe('the tour', waiting, () => {
  test('shows an event that arrives and verifies, and leaves no endpoint behind', async () => {
    const service = await testService({ env: LOOPBACK });
    const { code, output } = await takeTour(service, LOOPBACK);
    assert.equal(code, 0, output);
    assert.match(output, /impact\.transaction\.confirmed {2}sequence 5 {2}evt_\w+ {2}attempt 1 {2}valid\n/);
    assert.match(output, /"sequence": 1,/);
    assert.match(output, /\nRemoved wep_\w+\.\n.*The day is over/s);
  });

  test('says what it leaves out where events may not go to this machine', async () => {
    const service = await testService({ env: NOWHERE });
    const { client, key } = await service.newPartner();
    await client.confirm();
    const cases: [tour: ReturnType<typeof takeTour>, words: RegExp][] = [
      [takeTour(service, LOOPBACK), /address_refused.*Left out: the service that runs sends no event to this machine/s],
      [takeTour(service, NOWHERE), /Left out: by these settings \(WEBHOOK_ALLOW_INSECURE\)/],
      [takeTour(service, LOOPBACK, '--api-key', key.apiKey), /Left out: only a partner that the tour makes/],
    ];
    for (const [tour, words] of cases) {
      const { code, output } = await tour;
      assert.equal(code, 0, output);
      assert.match(output, words);
      assert.match(output, /The day is over/);
    }
  });
});
