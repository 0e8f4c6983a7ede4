/** Where the keyboard leads: only to what is seen. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** What has the focus after each of so many steps of the keyboard: its name, where none of it is on the screen. */
async function unseenStops(page: Page, steps: number): Promise<string[]> {
  const unseen: string[] = [];
  for (let step = 0; step < steps; step++) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(`(() => {
      const { left, right, width, height } = document.activeElement.getBoundingClientRect();
      const isSeen = right > 0 && left < innerWidth && width > 1 && height > 1 && !document.activeElement.closest('thead');
      return isSeen ? '' : document.activeElement.textContent;
    })()`);
    if (name) unseen.push(String(name));
  }
  return unseen;
}

describe('the keyboard on a narrow screen', needsBrowser, () => {
  test('never has the focus where nobody sees it: in the closed menu, and at the hidden headings of a list', async () => {
    const page = await browser.signedIn('viewer', { width: 390 });
    await page.goto(`${browser.baseUrl}/partners`);
    await page.locator('.records td').first().waitFor();
    assert.deepEqual(await unseenStops(page, 14), []);
  });

  test('opens the menu, which keeps the focus off the page that it covers, and Escape leads back to its button', async () => {
    const page = await browser.signedIn('viewer', { width: 390 });
    await page.goto(`${browser.baseUrl}/partners`);
    await page.locator('.records td').first().waitFor();
    const menu = page.getByRole('button', { name: 'Open the menu' });
    const isInPage = () => page.evaluate("document.activeElement.closest('main') !== null");
    await menu.press('Enter');
    await page.getByRole('link', { name: 'Overview' }).focus();
    await page.evaluate("document.querySelector('main button').focus()");
    assert.equal(await isInPage(), false);
    await page.keyboard.press('Escape');
    await page.locator('header [aria-expanded="false"]:focus').waitFor();
    await page.evaluate("document.querySelector('main button').focus()");
    assert.equal(await isInPage(), true);
  });
});
