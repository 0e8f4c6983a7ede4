/** What a browser fetches for the first view, as it is sent: compressed. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';

const FIRST_VIEW_MAX_BYTES = 350_000;

const scene = needsBrowser.skip ? undefined : await openScene();
const { browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** All that arrives until the page is still, headers and answers of the service with it; nothing comes from the browser's store. */
async function bytesOf(page: Page, path: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(browser.baseUrl + path);
  await page.locator('h1').waitFor();
  await page.waitForLoadState('networkidle');
  return bytes;
}

describe('the first view', needsBrowser, () => {
  test(`the overview takes less than ${FIRST_VIEW_MAX_BYTES} bytes, and the sign-in less than that`, async () => {
    const overview = await bytesOf(await browser.signedIn('viewer'), '/');
    const signIn = await bytesOf(await browser.open(), '/');
    assert.ok(overview > 50_000 && overview < FIRST_VIEW_MAX_BYTES, `overview: ${overview} bytes`);
    assert.ok(signIn > 50_000 && signIn < overview, `sign-in: ${signIn} bytes`);
  });
});
