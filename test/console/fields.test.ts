/**
 * What a person selects on a page is what the clipboard has: nothing is left out, and nothing that cannot be seen is added. And the field of
 * a password has a button with a name in both languages.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitFor } from '../support/assertions/wait-for.ts';
import { needsBrowser, newPerson } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { PASSWORD } from '../support/operator-client.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner } = (scene ?? {}) as Scene;
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

  for (const [language, does] of [
    ['en', 'Reports in the log of the service each command with --break-glass, which goes past the sign-in.'],
    ['ar', 'تُبلّغ في سجل الخدمة عن كل أمر مع --break-glass، وهو يتجاوز تسجيل الدخول.'],
  ] as const)
    test(`from the list of jobs: an option of a command is as the command line takes it, ${language}`, async () => {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/jobs`);
      await page.locator('main').getByText(does.slice(0, 20)).first().selectText();
      assert.equal((await copy(page)).replaceAll(ISOLATES, ''), does);
    });
});

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
