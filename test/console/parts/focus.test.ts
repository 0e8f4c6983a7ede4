/** Where the keyboard goes on after what had the focus has gone: a row that was decided, a step that was taken, a page. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import type { Partner } from '../../../src/store/access/partner.ts';
import { OWNER } from '../../support/actor.ts';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { uniqueId } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { insertContributionRule } from '../../support/rules.ts';
import { OPEN_RATES } from '../../support/service.ts';

const reviewed: Partner[] = [];
const scene = needsBrowser.skip
  ? undefined
  : await openScene(async (database) => {
      const only = await createPartner(database, OWNER, 'Dubai Shop', OPEN_RATES);
      await insertContributionRule(database, { partnerId: only.partnerId, reviews_everything: true });
      reviewed.push(only);
    });
const { service, browser, partner, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const reviews = () => `${browser.baseUrl}/reviews?partner=${partner.partnerId}`;

async function press(control: Locator): Promise<void> {
  await control.focus();
  await control.press('Enter');
}

/** Gives a reason and takes the step of the dialog, by the keyboard alone. */
async function takeStep(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await waitFor('focus in the reason', () => page.evaluate("document.activeElement.matches('[role=dialog] textarea')"));
  await page.keyboard.type('The shop was called.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
}

async function assertFocus(page: Page, name: string): Promise<void> {
  const focused = `document.activeElement !== document.body &&
    (document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)`;
  await waitFor(`focus on ${name}`, async () => String(await page.evaluate(focused)).includes(name));
}

async function assertTitle(page: Page, title: string): Promise<void> {
  await waitFor('focus on a title', () => page.evaluate("document.activeElement.localName === 'h1'"));
  await assertFocus(page, title);
}

describe('the focus', needsBrowser, () => {
  for (const [language, confirm] of [
    ['en', 'Confirm'],
    ['ar', 'تأكيد'],
  ] as const)
    test(`goes on to the next review after a decision in the list, ${language}`, async () => {
      const [, second, third] = [await newPending(), await newPending(), await newPending()];
      const page = await browser.signedIn('operator', { language });
      await page.goto(reviews());
      const choice = page.getByRole('checkbox', { name: second.order });
      await choice.focus();
      await choice.press('Space');
      await press(page.getByRole('button', { name: confirm, exact: true }));
      await takeStep(page);
      await choice.waitFor({ state: 'detached' });
      await assertFocus(page, third.order);
    });

  test('is on the title once the last review of a filter is decided, and opens no list of a filter', async () => {
    const [only] = reviewed as [Partner];
    const { client } = await service.newPartner({ of: only });
    assert.equal((await client.confirm({})).status, 202);
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/reviews?partner=${only.partnerId}`);
    await page.getByRole('combobox', { name: 'Partner' }).focus();
    await page.keyboard.press('Escape');
    const choice = page.getByRole('checkbox', { name: /^Choose/ });
    await choice.focus();
    await choice.press('Space');
    await press(page.getByRole('button', { name: 'Confirm', exact: true }));
    await takeStep(page);
    await choice.waitFor({ state: 'detached' });
    await assertTitle(page, 'Reviews');
    assert.equal(await page.getByRole('listbox').count(), 0);
  });

  test('stays in the row of a failure whose draft was rejected', async () => {
    const drafter = await signedInOperator(service, 'operator');
    const event = uniqueId('event');
    const draft = {
      partner_id: partner.partnerId,
      partner_event_id: event,
      partner_order_ref: uniqueId('order'),
      points: '50',
      reason: 'Refused for good.',
    };
    assert.equal((await drafter.postOnce('/operator/v1/failures', draft)).status, 200);
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/failures`);
    const row = page.getByRole('row').filter({ hasText: event });
    await press(row.getByRole('button', { name: 'Reject' }));
    const step = page.getByRole('dialog').getByRole('button', { name: 'Reject' });
    await press(step);
    await row.getByText('Rejected').waitFor();
    const rowOfFocus = "document.activeElement.closest('tr')?.textContent ?? ''";
    await waitFor('focus in the row', async () => String(await page.evaluate(rowOfFocus)).includes(event));
  });

  test('goes into the form that opens in place of its button, and stays in the step in which a key was issued', async () => {
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/partners/${partner.partnerId}/set-up`);
    await press(page.getByRole('button', { name: 'Issue another key' }));
    const name = page.getByLabel('Name of the key');
    await waitFor('focus in the form', () => page.evaluate("document.activeElement.matches('form input')"));
    await page.keyboard.type('second');
    await page.keyboard.press('Enter');
    await page.locator('.secret').waitFor();
    await name.waitFor({ state: 'detached' });
    const step = "[...document.querySelectorAll('section')].find((each) => each.querySelector('.secret'))";
    await waitFor('focus in the step', () => page.evaluate(`${step}.contains(document.activeElement)`));
  });

  test('is on the title of a page that was opened, and of a review that was decided there', async () => {
    const { order } = await newPending();
    const page = await browser.signedIn('operator');
    await page.goto(reviews());
    await press(page.getByRole('link', { name: order }));
    const confirm = page.getByRole('main').getByRole('button', { name: 'Confirm', exact: true });
    await confirm.waitFor();
    await assertTitle(page, order);
    await press(confirm);
    await takeStep(page);
    await confirm.waitFor({ state: 'detached' });
    await assertTitle(page, order);
    await press(page.getByRole('navigation').getByRole('link', { name: 'Partners' }));
    await assertTitle(page, 'Partners');
  });

  test('is on the row of the list from which a page was opened, when a person comes back', async () => {
    await newPending();
    const { order } = await newPending();
    const page = await browser.signedIn('viewer');
    await page.goto(reviews());
    await press(page.getByRole('link', { name: order }));
    await page.getByRole('heading', { name: order }).waitFor();
    await page.goBack();
    await assertFocus(page, order);
    assert.equal(await page.evaluate('document.activeElement.localName'), 'a');
  });
});
