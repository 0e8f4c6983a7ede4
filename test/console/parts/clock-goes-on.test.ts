/** What a page says of the time is true for as long as the page is looked at. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { setServiceTime } from '../../support/console/service-time.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { browser, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

test('how long ago something was goes on while nothing that is read has changed', needsBrowser, async () => {
  const { order } = await newPending();
  const page = await browser.signedIn('operator');
  await page.clock.install();
  // No answer tells the page that less time is over than by its own clock.
  await page.route('**/operator/v1/**', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), date: '' } });
  });
  await page.goto(`${browser.baseUrl}/reviews`);
  const row = page.getByRole('row').filter({ hasText: order });
  await row.getByText(/seconds? ago|now/).waitFor();
  await page.clock.fastForward(10 * 60_000);
  await row.getByText(/1[01] minutes ago/).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('the age by which reviews are filtered is that of each reading', needsBrowser, async () => {
  const { order } = await newPending();
  const page = await browser.signedIn('operator');
  await page.clock.install();
  const asked: number[] = [];
  page.on('request', (request) => {
    const before = new URL(request.url()).searchParams.get('opened_before');
    if (before) asked.push(Date.parse(before));
  });
  await page.goto(`${browser.baseUrl}/reviews?age=1`);
  await page
    .getByText('No review waits')
    .or(page.getByRole('row').filter({ hasText: order }))
    .first()
    .waitFor();
  await setServiceTime(page, Date.now() + 10 * 60_000);
  await waitFor('a later one', async () => {
    // The list is read every 15 seconds.
    await page.clock.fastForward(16_000);
    return (asked.at(-1) ?? 0) - (asked[0] ?? 0) >= 9 * 60_000;
  });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});
