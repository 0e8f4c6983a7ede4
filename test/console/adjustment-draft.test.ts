/** The dialog that drafts an adjustment: which contribution it is about, and what is wrong, told once and where it is. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, client } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const ISOLATES = /[\u2066-\u2069]/g;

async function openDraft(page: Page, name: string) {
  const order = uniqueId('order');
  const { body } = await client.confirm({ ...newConfirmation(), partner_order_ref: order, points: 150 });
  await page.goto(`${browser.baseUrl}/contributions/${partner.partnerId}/${body.contribution.transaction_id}`);
  await page.getByRole('button', { name }).click();
  return { order, form: page.getByRole('dialog', { name }) };
}

describe('the dialog that drafts an adjustment', needsBrowser, () => {
  for (const [language, name, subject] of [
    ['en', 'Draft an adjustment', (order: string) => `Order ${order} · Points 150`],
    ['ar', 'إعداد تعديل', (order: string) => `الطلب ${order} · النقاط 150`],
  ] as const)
    test(`says which contribution is adjusted, ${language}`, async () => {
      const page = await browser.signedIn('operator', { language });
      const { order, form } = await openDraft(page, name);
      const line = form.locator('p', { hasText: order });
      await line.waitFor();
      assert.equal((await line.innerText()).replaceAll(ISOLATES, ''), subject(order));
    });

  test('is sent once when its button is clicked twice, and keeps its fields while it is under way', async () => {
    const page = await browser.signedIn('operator');
    const { order, form } = await openDraft(page, 'Draft an adjustment');
    await form.getByLabel('Change of points').fill('-50');
    await form.getByLabel('Reason for the partner, in English').fill('The order had two lines.');
    await form.getByLabel('Reason for the partner, in Arabic').fill('كان في الطلب سطران.');
    await form.getByRole('row', { name: /^Settled points 150 100$/ }).waitFor();
    let sent = 0;
    const { promise: isHeld, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/operator/v1/adjustments', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      sent += 1;
      await isHeld;
      return route.continue();
    });
    const button = form.locator('button[type=submit]');
    await button.dblclick();
    await waitFor('the draft', () => Promise.resolve(sent > 0));
    for (const field of ['Change of points', 'Reason for the partner, in English'])
      await waitFor(`lock of ${field}`, () => form.getByLabel(field).isDisabled());
    await button.click({ force: true });
    letGo();
    await page.getByRole('heading', { level: 1, name: 'Adjustment' }).waitFor();
    assert.equal(sent, 1);
    const text = 'select points_delta as points from adjustment where partner_order_ref = $1';
    const { rows } = await service.database.pool.query(text, [order]);
    assert.deepEqual(rows, [{ points: -50n }]);
    // Whoever comes next to the contribution sees it, on its page and in the dialog.
    const found = await service.database.pool.query(
      'select transaction_id as "transactionId", adjustment_id as "adjustmentId" from adjustment where partner_order_ref = $1',
      [order],
    );
    const [{ transactionId, adjustmentId }] = found.rows;
    await page.goto(`${browser.baseUrl}/contributions/${partner.partnerId}/${transactionId}`);
    const link = page.getByRole('link', { name: /^The adjustment by .*-50.* points$/ });
    assert.equal(await link.getAttribute('href'), `/adjustments/${partner.partnerId}/${adjustmentId}`);
    await page.getByRole('button', { name: 'Draft an adjustment' }).click();
    await page.getByRole('dialog').getByText('An adjustment of this contribution is not decided yet.').waitFor();
  });

  test('takes a number as an Arabic keyboard types it', async () => {
    const page = await browser.signedIn('operator', { language: 'ar' });
    const { form } = await openDraft(page, 'إعداد تعديل');
    const change = form.getByLabel('تغيّر النقاط');
    for (const typed of ['−٥٠', '-۵۰', '–50']) {
      await change.fill(typed);
      assert.equal(await change.inputValue(), '-50', typed);
    }
  });

  test('says in Arabic what is wrong with a field, then what the service says of its value', async () => {
    const page = await browser.signedIn('operator', { language: 'ar' });
    const { form } = await openDraft(page, 'إعداد تعديل');
    await form.getByLabel('تغيّر النقاط').fill('10');
    const told = form.getByText('بهذه القيمة تخرج نقاط المساهمة المسوّاة');
    await told.waitFor();
    const sentence = told.locator('bdi');
    assert.match(await sentence.innerText(), /^points_delta must leave 0 to 150 points settled/);
    assert.deepEqual([await sentence.getAttribute('lang'), await sentence.getAttribute('dir')], ['en', 'ltr']);
  });

  test('tells what is wrong with a field once, at the field, before and after it is sent, until the field changes, and has the focus there', async () => {
    const page = await browser.signedIn('operator');
    const { form } = await openDraft(page, 'Draft an adjustment');
    const change = form.getByLabel('Change of points');
    const told = form.getByText('Change of points must leave 0 to 150 points settled');
    const isAtField = () => change.getAttribute('aria-invalid').then((value) => value === 'true');
    await change.fill('+10');
    await told.waitFor();
    await change.fill('-151');
    await told.waitFor();
    assert.deepEqual([await told.count(), await isAtField()], [1, true]);
    await form.getByLabel('Reason for the partner, in English').fill(' ');
    await form.getByLabel('Reason for the partner, in Arabic').fill('كان في الطلب سطران.');
    const send = async () => {
      const answer = page.waitForResponse((response) => response.request().method() === 'POST');
      await form.getByRole('button', { name: 'Draft an adjustment' }).click();
      return (await answer).status();
    };
    assert.equal(await send(), 400);
    const blank = form.getByText('reason_en must be');
    await blank.waitFor();
    assert.deepEqual([await told.count(), await blank.count(), await isAtField()], [1, 1, true]);
    assert.equal(await form.getByRole('alert').count(), 0);
    const hasFocus = (field: Locator) => field.evaluate((each) => each === each.ownerDocument.activeElement);
    await waitFor('focus at the first field that was refused', () => hasFocus(change));
    await change.fill('-50');
    await waitFor('no message', async () => (await told.count()) === 0 && !(await isAtField()));
    await form.getByRole('row', { name: /^Settled points 150 100$/ }).waitFor();
    assert.equal(await send(), 400);
    await blank.waitFor();
    await waitFor('focus at the only field that was refused', () =>
      hasFocus(form.getByLabel('Reason for the partner, in English')),
    );
    await form.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Draft an adjustment' }).click();
    await form.getByRole('row', { name: /^Settled points 150 100$/ }).waitFor();
    assert.equal(await blank.count(), 0, 'opened again it has no error of before');
  });
});
