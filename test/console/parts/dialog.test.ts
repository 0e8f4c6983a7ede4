/** What all dialogs share. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { browser, partner, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

describe('a dialog that is closed by Escape', needsBrowser, () => {
  for (const name of ['Confirm', 'Fail'])
    test(`gives the focus back to the button that opened it: ${name}`, async () => {
      await newPending();
      const page = await browser.signedIn('operator');
      await page.goto(`${browser.baseUrl}/reviews?partner=${partner.partnerId}`);
      await page
        .getByRole('checkbox', { name: /^Choose/ })
        .last()
        .click();
      const button = page.getByRole('button', { name, exact: true });
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByRole('textbox').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await waitFor('focus', () => page.evaluate('document.activeElement !== document.body'));
      assert.equal(await page.evaluate('document.activeElement.textContent'), name);
    });

  test('gives the focus back to the button of the menu whose item opened it', async () => {
    const page = await browser.signedIn('admin');
    await page.goto(`${browser.baseUrl}/partners/${partner.partnerId}`);
    const button = page.getByRole('button', { name: 'Change the partner' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Suspend' }).focus();
    await page.keyboard.press('Enter');
    await waitFor('focus in the dialog', () => page.evaluate('document.activeElement.closest("[role=dialog]") !== null'));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await waitFor('focus', () => page.evaluate('document.activeElement !== document.body'));
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Change the partner');
  });
});
