/** A name that a partner or an operator chose is drawn on the screen in Arabic as it was written, and so is a number with its sign. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import { OWNER } from '../../support/actor.ts';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { insertContributionRule } from '../../support/rules.ts';
import { OPEN_RATES } from '../../support/service.ts';

const VERSION = '2099-12';
const scene = needsBrowser.skip
  ? undefined
  : await openScene(async (database) => {
      await insertContributionRule(database, { label: VERSION, starts: '1 day' });
    });
const { service, browser, client, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** The characters of an element in the order in which they stand on the screen, from left to right. */
async function drawn(element: Locator): Promise<string> {
  await element.waitFor();
  return element.evaluate((root) => {
    const page = root.ownerDocument;
    const characters: { left: number; character: string }[] = [];
    const walker = page.createTreeWalker(root, 4);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent ?? '';
      for (let at = 0; at < text.length; at += 1) {
        const range = page.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const { left, width } = range.getBoundingClientRect();
        if (width > 0) characters.push({ left, character: text[at] ?? '' });
      }
    }
    return characters
      .toSorted((one, other) => one.left - other.left)
      .map(({ character }) => character)
      .join('');
  });
}

describe('the title of a page that is a name', needsBrowser, () => {
  for (const order of ['20261130_0042', '1001-A'])
    test(`the order ${order}`, async () => {
      const { body } = await client.confirm({ ...newConfirmation(), partner_order_ref: order });
      const page = await browser.signedIn('viewer', { language: 'ar' });
      await page.goto(`${browser.baseUrl}/contributions/${partner.partnerId}/${body.contribution.transaction_id}`);
      const title = page.locator('h1').filter({ hasText: order });
      assert.equal(await drawn(title), order);
    });

  test('the partner 7-Eleven', async () => {
    const { partnerId } = await createPartner(service.database, OWNER, '7-Eleven', OPEN_RATES);
    const page = await browser.signedIn('viewer', { language: 'ar' });
    await page.goto(`${browser.baseUrl}/partners/${partnerId}`);
    assert.equal(await drawn(page.locator('h1').filter({ hasText: 'Eleven' })), '7-Eleven');
  });
});

describe('the title of a dialog that ends in a name', needsBrowser, () => {
  test('the version that is withdrawn for good', async () => {
    const page = await browser.signedIn('admin', { language: 'ar' });
    await page.goto(`${browser.baseUrl}/rules?standing=upcoming`);
    await page.getByRole('row').filter({ hasText: VERSION }).getByRole('button', { name: 'سحب' }).click();
    const title = page.getByRole('dialog').getByRole('heading').filter({ hasText: VERSION });
    assert.match(await drawn(title), new RegExp(VERSION));
  });
});

describe('a count that stops', needsBrowser, () => {
  test('has its sign behind it on a card of the overview and on the page of a partner', async () => {
    const counted = { count: 1_000, is_more: true };
    const page = await browser.signedIn('viewer', { language: 'ar' });
    await page.route('**/operator/v1/overview*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), adjustments_to_post: counted } });
    });
    await page.goto(browser.baseUrl);
    const card = page.locator('.number-card .figure').filter({ hasText: '1,000' });
    assert.equal(await drawn(card), '1,000+');
    await page.route('**/operator/v1/partners/*/closing*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), adjustments_to_post: counted } });
    });
    await page.goto(`${browser.baseUrl}/partners/${partner.partnerId}`);
    assert.equal(await drawn(page.locator('main a.figure').filter({ hasText: '1,000' })), '1,000+');
  });
});
