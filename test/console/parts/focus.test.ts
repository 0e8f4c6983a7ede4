/** Where the keyboard goes on after what had the focus has gone: a row that was decided, a step that was taken, a page. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { uniqueId } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
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
  await assertFocus(page, title);
  assert.equal(await page.evaluate('document.activeElement.localName'), 'h1');
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
