/** What a person selects on a page is what the clipboard has: nothing is left out, and nothing that cannot be seen is added. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitFor } from '../support/assertions/wait-for.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { browser, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** They hold a word of another direction together, and stand outside of it. */
const ISOLATES = /[\u2066-\u2069]/g;

async function copy(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('Control+c');
  return page.evaluate('navigator.clipboard.readText()');
}

describe('what is copied', needsBrowser, () => {
  for (const [language, field, other] of [
    ['en', 'Partner', 'بنك الواحة'],
    ['ar', 'الشريك', 'بنك الواحة'],
  ] as const)
    test(`from a list that is searched: a click selects what is chosen, and what is typed replaces it, ${language}`, async () => {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/settlements?partner=${partner.partnerId}`);
      const box = page.getByRole('combobox', { name: field, exact: true });
      await waitFor('the chosen partner', async () => (await box.inputValue()) === partner.name);
      await box.click();
      assert.equal(await copy(page), partner.name);
      await page.keyboard.type(other.slice(0, 4));
      assert.equal(await box.inputValue(), other.slice(0, 4));
      await page.getByRole('option', { name: other }).waitFor();
    });

  for (const [language, job] of [
    ['en', 'Report uses of'],
    ['ar', 'الإبلاغ عن استعمال'],
  ] as const)
    test(`from the list of jobs: an option of a command is as the command line takes it, ${language}`, async () => {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/jobs`);
      await page.locator('main').getByText(job).first().selectText();
      assert.equal((await copy(page)).replaceAll(ISOLATES, ''), `${job} --break-glass\nreport-break-glass`);
    });
});
