/** The second click of a double-click that comes after the answer to the first: it was meant before, and changes nothing. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import { OWNER } from '../../support/actor.ts';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { OPEN_RATES } from '../../support/service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, client } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** What the page sends to a path that ends so, from now on. */
function changesOf(page: Page, path: RegExp): string[] {
  const sent: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && path.test(request.url()) && sent.push(request.url()));
  return sent;
}

/**
 * Clicks the button of the form that sends it, and once more as soon as the answer is drawn: what a person does whose second click is slower
 * than the service.
 *
 * @param detail How many clicks the browser counts with the second one: it counts anew after half a second.
 */
async function clickTwice(page: Page, form: string, detail: 1 | 2): Promise<void> {
  await page.locator(`${form} button[type=submit]`).waitFor();
  const isThere = await page.evaluate(`new Promise((resolve) => {
    const button = document.querySelector(${JSON.stringify(`${form} button[type=submit]`)});
    new MutationObserver((_changes, observer) => {
      if (button.disabled || button.dataset.loading !== undefined) return;
      observer.disconnect();
      button.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: ${detail} }));
      resolve(button.isConnected);
    }).observe(button, { attributes: true });
    button.click();
  })`);
  assert.equal(isThere, true, 'The button was gone before the second click.');
}

describe('a second click, while its dialog closes', needsBrowser, () => {
  test('runs no job once more', async () => {
    const page = await browser.signedIn('operator');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const sent = changesOf(page, /\/jobs\/[^/]+\/run$/);
    await page.goto(`${browser.baseUrl}/jobs`);
    await page
      .getByRole('button', { name: /^Run now/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await clickTwice(page, '[role=dialog]', 1);
    await dialog.waitFor({ state: 'detached' });
    assert.equal(sent.length, 1);
  });

  test('drafts no second adjustment', async () => {
    const { body } = await client.confirm({ ...newConfirmation(), points: 150 });
    const page = await browser.signedIn('operator');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const sent = changesOf(page, /\/adjustments$/);
    await page.goto(`${browser.baseUrl}/contributions/${partner.partnerId}/${body.contribution.transaction_id}`);
    await page.getByRole('button', { name: 'Draft an adjustment' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Change of points').fill('-50');
    await dialog.getByLabel('Reason for the partner, in English').fill('The order had two lines.');
    await dialog.getByLabel('Reason for the partner, in Arabic').fill('كان في الطلب سطران.');
    await clickTwice(page, '[role=dialog]', 1);
    await page.getByRole('heading', { level: 1, name: 'Adjustment' }).waitFor();
    assert.equal(sent.length, 1);
  });
});

describe('a second click, on what no dialog asks about', needsBrowser, () => {
  test('issues no second key under the proposed name', async () => {
    const { partnerId } = await createPartner(service.database, OWNER, 'Two clicks', OPEN_RATES);
    const page = await browser.signedIn('operator');
    const sent = changesOf(page, /\/keys$/);
    await page.goto(`${browser.baseUrl}/partners/${partnerId}/set-up`);
    const step = page.getByRole('region', { name: 'API key', exact: true });
    await step.getByLabel('Name of the key').fill('Till');
    await clickTwice(page, '[aria-label="API key"]', 2);
    await step.getByText('It is shown this once').waitFor();
    assert.equal(sent.length, 1);
  });
});
