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
    const button = page.getByRole('button', { name: 'Edit the partner' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Suspend' }).focus();
    await page.keyboard.press('Enter');
    await waitFor('focus in the dialog', () => page.evaluate('document.activeElement.closest("[role=dialog]") !== null'));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await waitFor('focus', () => page.evaluate('document.activeElement !== document.body'));
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Edit the partner');
  });
});

describe('a dialog on a screen that is enlarged four times', needsBrowser, () => {
  test('shows the field that has the focus, and by the keyboard each of its buttons', async () => {
    const { transactionId } = await newPending();
    const page = await browser.signedIn('operator');
    await page.setViewportSize({ width: 320, height: 256 });
    await page.goto(`${browser.baseUrl}/reviews/${partner.partnerId}/${transactionId}`);
    await page.getByRole('main').getByRole('button', { name: 'Confirm', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').waitFor();
    // Of a field with several lines, the first.
    const isSeen = `(() => {
      const { left, top, width, height } = document.activeElement.getBoundingClientRect();
      const seen = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 12));
      return seen !== null && document.activeElement.contains(seen);
    })()`;
    const focused = 'document.activeElement.textContent';
    await waitFor('focus in the field', () => page.evaluate("document.activeElement.matches('textarea')"));
    await page.keyboard.type('The shop was called.');
    await waitFor('the field', () => page.evaluate(isSeen));
    for (const name of ['Cancel', 'Confirm 1 contribution']) {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(focused), name);
      await waitFor(name, () => page.evaluate(isSeen));
    }
  });
});
