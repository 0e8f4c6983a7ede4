/** A window that serves one test after the other brings nothing of the one before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { needsBrowser } from './browser.ts';
import { openScene, type Scene } from './console-scene.ts';

const { browser } = (needsBrowser.skip ? {} : await openScene()) as Scene;

let first: Page | undefined;
let changed: Page | undefined;

test('a test leaves a session, a language, a route and a page without a network', needsBrowser, async () => {
  first = await browser.signedIn('viewer', { language: 'ar' });
  await first.route('**/operator/v1/partners*', (route) => route.abort());
  await first.goto(`${browser.baseUrl}/partners`);
  await first.evaluate("localStorage.setItem('left', 'by the test before')");
  await first.context().setOffline(true);
});

test('the next one gets the same window, and finds none of it', needsBrowser, async () => {
  const page = await browser.open({ language: 'ar' });
  assert.equal(page, first);
  await page.goto(`${browser.baseUrl}/partners`);
  await page.locator('input[autocomplete=username]').waitFor();
  assert.equal(await page.evaluate("localStorage.getItem('left')"), null);
  assert.deepEqual(await page.context().cookies(), []);
  await page.clock.install();
  changed = await browser.open({ language: 'ar' });
  assert.notEqual(changed, page);
  await changed.emulateMedia({ media: 'print', forcedColors: 'active', reducedMotion: 'no-preference' });
  await changed.setViewportSize({ width: 320, height: 500 });
});

test(
  'a window whose clock was changed is not kept, and one whose screen was changed has that of the next test',
  needsBrowser,
  async () => {
    assert.ok(first?.isClosed());
    const page = await browser.open({ language: 'ar', scheme: 'dark', width: 390 });
    assert.equal(page, changed);
    assert.deepEqual(page.viewportSize(), { width: 390, height: 844 });
    await page.goto(`${browser.baseUrl}/partners`);
    for (const media of ['screen', '(forced-colors: none)', '(prefers-reduced-motion: reduce)', '(prefers-color-scheme: dark)'])
      assert.ok(await page.evaluate(`matchMedia('${media}').matches`), media);
  },
);
