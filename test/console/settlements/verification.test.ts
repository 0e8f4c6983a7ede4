/** What the page of an open settlement says of a verification that is long ago. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { setServiceTime } from '../../support/console/service-time.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { newSettledPartner } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const DAY_MS = 86_400_000;

test('a verification of a day ago and longer is told, and counts as a warning', needsBrowser, async () => {
  const { partnerId, open } = await newSettledPartner(service);
  const viewer = await signedInOperator(service, 'viewer');
  const path = `/operator/v1/partners/${partnerId}/verification`;
  await viewer.post(path, undefined);
  await waitFor('the verification', async () => (await viewer.get(path)).body.status === 'done');
  const told = async (later: number) => {
    const page = await browser.signedIn('approver');
    await setServiceTime(page, Date.now() + later);
    await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${open.settlementId}`);
    const state = page.locator('#checklist').getByText(/^Nothing is modified: /);
    await state.waitFor();
    await page.getByText('Pending contributions').waitFor();
    const warnings = await page.getByRole('link', { name: '1 warning', exact: true }).count();
    return { isOutdated: (await state.innerText()).endsWith('That is more than a day ago. Verify again.'), warnings };
  };
  assert.deepEqual(await told(DAY_MS / 2), { isOutdated: false, warnings: 0 });
  assert.deepEqual(await told(2 * DAY_MS), { isOutdated: true, warnings: 1 });
});

test('a daily verification that has not run for two days is told where it is shown', needsBrowser, async () => {
  await service.database.pool.query(
    `insert into job_run (job_name, run_no, trigger, started_at, ended_at, outcome, result_json)
      values ('verify', 1000000, 'schedule', now(), now(), 'succeeded', '{"checked":7,"differences":0}')`,
  );
  const told = async (later: number) => {
    const page = await browser.signedIn('viewer');
    await setServiceTime(page, Date.now() + later);
    await page.goto(`${browser.baseUrl}/jobs`);
    const state = page.getByRole('status').filter({ hasText: '7 records were verified' });
    await state.waitFor();
    return (await state.innerText()).endsWith('That is more than two days ago. It runs every day: see its last runs.');
  };
  assert.deepEqual([await told(DAY_MS), await told(3 * DAY_MS)], [false, true]);
});
