/** The field of a password: its button has a name in both languages. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { needsBrowser, newPerson } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { PASSWORD } from '../support/operator-client.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

describe('a field of a password', needsBrowser, () => {
  for (const [language, show, hide] of [
    ['en', 'Show what is typed', 'Hide what is typed'],
    ['ar', 'إظهار النص المُدخل', 'إخفاء النص المُدخل'],
  ] as const)
    test(`has a button that says what it does next, by hand and by keyboard, ${language}`, async () => {
      const page = await browser.open({ language });
      await page.goto(browser.baseUrl);
      const field = page.locator('input[autocomplete=current-password]');
      await field.fill('not shown');
      const [toShow, toHide] = [show, hide].map((name) => page.getByRole('button', { name, exact: true }));
      assert.ok(toShow && toHide);
      await toShow.click();
      await toHide.waitFor();
      assert.equal(await field.getAttribute('type'), 'text');
      assert.equal(await toHide.getAttribute('aria-pressed'), null);
      await field.press('Tab');
      await toHide.press('Enter');
      await toShow.waitFor();
      assert.equal(await field.getAttribute('type'), 'password');
      assert.equal(await toShow.evaluate((button) => button.matches(':focus')), true);
      const { code } = await newPerson(service, 'viewer');
      await page.goto(`${browser.baseUrl}/sign-in#${code}`);
      await toShow.nth(1).waitFor();
      for (const each of await page.locator('input[type=password]').all()) await each.fill(PASSWORD);
      await page.locator('form:has(input[type=password]) button[type=submit]').click();
      await page.locator('nav').first().waitFor();
      await page.goto(`${browser.baseUrl}/account`);
      await toShow.nth(2).waitFor();
    });
});
