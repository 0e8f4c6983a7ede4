/** How a job stands: one that fails and runs again is both, and one that has never run is not as planned. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const FAILING = 'verify';
const PLANNED = 'close-settlements';

before(async () => {
  if (!scene) return;
  const text = `insert into job (job_name, pattern, due_at, last_run_no, lease_until, failures_in_row, last_success_at)
    values ($1, '* * * * *', now() + interval '1 day', 4, now() + interval '1 hour', 3, now()),
      ($2, '* * * * *', now() + interval '1 day', 1, null, 0, now()), ($3, '* * * * *', now() + interval '1 day', 0, null, 0, null)`;
  await service.database.pool.query(text, [FAILING, PLANNED, 'expire-pending']);
});

const rowOf = (page: Page, name: string) => page.getByRole('table', { name: 'Jobs' }).getByRole('row').filter({ hasText: name });

describe('a job', needsBrowser, () => {
  test('that fails and runs again is listed under both states by the interface, and one that has never run under its own', async () => {
    const viewer = await signedInOperator(service, 'viewer');
    const listed = async (state: string): Promise<string[]> => {
      const { status, body, text } = await viewer.get(`/operator/v1/jobs?state=${state}`);
      assert.equal(status, 200, text);
      return body.jobs.map(({ job }: { job: string }) => job);
    };
    assert.deepEqual(await listed('running'), [FAILING]);
    assert.deepEqual(await listed('failing'), [FAILING]);
    assert.deepEqual(await listed('healthy'), [PLANNED]);
    const notRun = await listed('not_run');
    assert.deepEqual(
      [notRun.includes('expire-pending'), notRun.includes(PLANNED), notRun.includes(FAILING)],
      [true, false, false],
    );
  });

  for (const path of ['/jobs', '/'] as const)
    test(`that fails and runs again is said to do both, and one that has never run to be so, on ${path}`, async () => {
      const page = await browser.signedIn('viewer');
      await page.goto(browser.baseUrl + path);
      const failing = rowOf(page, 'Verify all records');
      await failing.getByText('Running', { exact: true }).waitFor();
      await failing.getByText('3 failures in a row', { exact: true }).waitFor();
      await rowOf(page, 'Close settlements').getByText('As planned', { exact: true }).waitFor();
      await rowOf(page, 'Fail undecided contributions').getByText('Not run yet', { exact: true }).waitFor();
    });

  test('that has never run is found by the filter of the page', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/jobs?state=not_run`);
    await rowOf(page, 'Fail undecided contributions').getByText('Not run yet', { exact: true }).waitFor();
    assert.equal(await rowOf(page, 'Close settlements').count(), 0);
    await page.goto(`${browser.baseUrl}/jobs?state=failing`);
    await rowOf(page, 'Verify all records').getByText('3 failures in a row', { exact: true }).waitFor();
  });
});
