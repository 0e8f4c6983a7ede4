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
  await changed.emulateMedia({ reducedMotion: 'no-preference' });
});

test('a window whose clock or media were changed is not kept', needsBrowser, async () => {
  assert.ok(first?.isClosed());
  assert.ok(changed?.isClosed());
});
