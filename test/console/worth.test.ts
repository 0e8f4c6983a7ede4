/** What points are worth, as the finance person sees it in the console. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { monthAt } from '../../console/src/format/time.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { choose } from '../support/console/choose.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { insertContributionRule, insertPrice } from '../support/rules.ts';
import { OPEN_RATES } from '../support/service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

interface Styles {
  getComputedStyle(of: unknown): { readonly textDecorationLine: string };
}

describe('points that have a value', needsBrowser, () => {
  /** A partner with a price of a point, and its first contribution of these points with it. */
  async function priced(price: string, points: number, currency = 'SAR') {
    const partner = await createPartner(service.database, OWNER, uniqueId('Shop'), { ...OPEN_RATES, currency });
    const { partnerId } = partner;
    const label = uniqueId('price');
    await insertPrice(service.database, 'point_conversion', { partnerId, label, starts: '-1 day', price, currency });
    const { client } = await service.newPartner({ of: partner });
    // Each process reads the rules anew within seconds.
    const contribution = await waitFor('a contribution with the price', async () => {
      const { body } = await client.confirm({ ...newConfirmation(), points });
      return body.contribution.point_conversion_version === 'default-1' ? undefined : body.contribution;
    });
    const { transaction_id: transactionId, confirmed_at: confirmedAt } = contribution;
    return { partner, partnerId, transactionId: transactionId as string, confirmedAt: confirmedAt as string };
  }

  test('an adjustment shows the change of the amount', async () => {
    const { partner, partnerId, transactionId } = await priced('0.05', 100);
    const operator = await signedInOperator(service, 'operator');
    const { body } = await operator.postOnce('/operator/v1/adjustments', {
      partner_id: partnerId,
      transaction_id: transactionId,
      reason_code: 'other',
      points_delta: '-45',
      reason_en: 'x',
      reason_ar: 'س',
    });
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/adjustments/${partnerId}/${body.adjustment.adjustment_id}`);
    const change = page.locator('dt', { hasText: 'Change of the amount' }).locator('xpath=following-sibling::dd[1]');
    assert.match(await change.innerText(), /^-2\.25 SAR$/);
    await page.getByRole('heading', { name: 'Contribution, before and after' }).waitFor();
    const limit = page.getByText(/^At most /);
    assert.equal(await limit.count(), 0, 'the points say the amount');
    await page.goto(`${browser.baseUrl}/contributions/${partnerId}/${transactionId}`);
    // Its sign stands before it in Arabic too.
    await page.locator('.mantine-Timeline-root bdi[dir=ltr]').getByText('-45', { exact: true }).waitFor();
    const link = page.locator('dd').getByRole('link', { name: partner.name });
    const lineOf = (element: Locator) =>
      element.evaluate((shown) => (globalThis as unknown as Styles).getComputedStyle(shown).textDecorationLine);
    assert.deepEqual([await lineOf(link), await lineOf(link.locator('bdi'))], ['underline', 'underline']);
    await page.goto(`${browser.baseUrl}/adjustments?partner=${partnerId}`);
    const row = page.getByRole('row').filter({ hasText: partner.name });
    await row.locator('[data-label="Change of the amount"]').getByText('-2.25 SAR', { exact: true }).waitFor();
    await row.locator('[data-label="Drafted"]').getByText('The operator', { exact: true }).waitFor();
  });

  test('an adjustment that reverses another says so and leads to it, on its page and before its approval', async () => {
    const { partnerId, transactionId } = await priced('0.05', 100);
    const [drafter, approver] = [await signedInOperator(service, 'operator'), await signedInOperator(service, 'approver')];
    const draft = async (change: object) => {
      const why = { partner_id: partnerId, reason_code: 'other', reason_en: 'x', reason_ar: 'س' };
      return (await drafter.postOnce('/operator/v1/adjustments', { ...why, ...change })).body.adjustment.adjustment_id as string;
    };
    const first = await draft({ transaction_id: transactionId, points_delta: '-45' });
    const address = `/operator/v1/partners/${partnerId}/adjustments/${first}`;
    for (const step of ['approve', 'post']) assert.equal((await approver.postOnce(`${address}/${step}`, {})).status, 200);
    const page = await browser.signedIn('approver');
    await page.goto(`${browser.baseUrl}/adjustments/${partnerId}/${await draft({ reversal_of: first })}`);
    const reversed = (within: Page | Locator) => within.getByRole('link', { name: first, exact: true });
    await reversed(page).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await reversed(page.getByRole('dialog')).click();
    await page.waitForURL(`**/adjustments/${partnerId}/${first}`);
    await page.locator('dt', { hasText: 'Change of points' }).waitFor();
    assert.equal(await page.getByText('Reverses the adjustment').count(), 0);
  });

  test('an adjustment that states an amount shows how high it may be', async () => {
    const { partnerId, transactionId } = await priced('0.05', 100);
    const operator = await signedInOperator(service, 'operator');
    const { body, text } = await operator.postOnce('/operator/v1/adjustments', {
      partner_id: partnerId,
      transaction_id: transactionId,
      reason_code: 'conversion_restatement',
      amount_delta: '-1',
      reason_en: 'x',
      reason_ar: 'س',
    });
    assert.ok(body.adjustment, text);
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/adjustments/${partnerId}/${body.adjustment.adjustment_id}`);
    await page.getByText(/^At most \u20665\.00 SAR\u2069: 100 settled points at the highest/).waitFor();
  });

  test('a restatement that is not decided is named by its amount, and its reason stands in the language of the page', async () => {
    const { partnerId, transactionId } = await priced('0.05', 100);
    const operator = await signedInOperator(service, 'operator');
    const { body, text } = await operator.postOnce('/operator/v1/adjustments', {
      partner_id: partnerId,
      transaction_id: transactionId,
      reason_code: 'conversion_restatement',
      amount_delta: '-1.5',
      reason_en: 'The price was too high.',
      reason_ar: 'كان السعر مرتفعًا.',
    });
    assert.ok(body.adjustment, text);
    const reasons = ['The price was too high.', 'كان السعر مرتفعًا.'] as const;
    for (const [language, name, reason, other] of [
      ['en', /^The adjustment by .?-1\.50 SAR.?$/, ...reasons],
      ['ar', /^التعديل بمقدار .?-1\.50 SAR.?$/, ...reasons.toReversed()],
    ] as const) {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/contributions/${partnerId}/${transactionId}`);
      await page.getByRole('link', { name }).waitFor();
      const drafted = page.locator('.mantine-Timeline-item').filter({ hasText: reason });
      await drafted.getByText('-1.50 SAR', { exact: true }).waitFor();
      assert.equal(await page.locator('.mantine-Timeline-item').getByText(other).count(), 0);
    }
  });

  test('the steps of an adjustment repeat what they are about, and who drafted it withdraws it', async () => {
    const { partnerId, transactionId } = await priced('0.05', 100);
    const page = await browser.signedIn('operator');
    const draft = async () => {
      const stated = { partner_id: partnerId, transaction_id: transactionId, reason_code: 'other', points_delta: '-45' };
      const body = JSON.stringify({ ...stated, reason_en: 'x', reason_ar: 'س' });
      const { csrf_token } = await (await page.request.get(`${browser.baseUrl}/operator/v1/session`)).json();
      const headers = { 'x-csrf-token': csrf_token, 'idempotency-key': uniqueId('key'), 'content-type': 'application/json' };
      const answer = await page.request.post(`${browser.baseUrl}/operator/v1/adjustments`, { data: body, headers });
      assert.equal(answer.status(), 200, await answer.text());
      return `${browser.baseUrl}/adjustments/${partnerId}/${(await answer.json()).adjustment.adjustment_id}`;
    };
    const factsOf = async (at: Page) => {
      const text = (await at.getByRole('dialog').locator('dl').innerText()).replaceAll(/\s+/g, ' ');
      return text.replace(/Partner \S+ ptn_\S+ Order \S+/, 'Partner Order');
    };
    const said = 'Partner Order Change of points -45 Change of the amount -2.25 SAR';
    const address = await draft();
    const approver = await browser.signedIn('approver');
    await approver.goto(address);
    await approver.getByRole('button', { name: 'Reject', exact: true }).waitFor();
    await approver.getByRole('button', { name: 'Approve', exact: true }).click();
    assert.equal(await factsOf(approver), said);

    await page.goto(address);
    await page.getByText('You drafted it: another operator has to approve it.').waitFor();
    for (const name of ['Reject', 'Approve']) assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    assert.equal(await factsOf(page), said);
    await page.getByRole('dialog').getByLabel('Reason').fill('The partner corrected its list.');
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true }).click();
    await page.getByText('Withdrawn by').waitFor();
    await page.getByText('The partner corrected its list.').waitFor();
    const text = 'select status from adjustment where partner_id = $1';
    assert.deepEqual((await service.database.pool.query(text, [partnerId])).rows, [{ status: 'rejected' }]);
  });

  test('the preview of a version for all partners shows the value in each currency by itself', async () => {
    await Promise.all([priced('0.05', 100), priced('0.0125', 1_000, 'KWD')]);
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/rules/new`);
    await choose(page, { field: 'Kind', option: 'Cost of a tree' });
    await page.getByLabel('Currency').fill('');
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByText('Last 30 days').click();
    const worth = page.getByRole('row').filter({ hasText: 'Value of the points' });
    await worth.nth(1).waitFor();
    const shown = (await worth.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    assert.deepEqual([shown.length, shown[0]], [2, 'Value of the points 12.500 KWD 12.500 KWD']);
    assert.match(shown[1] ?? '', /^Value of the points \d+\.\d\d SAR \d+\.\d\d SAR$/);
  });

  test('a contribution shows what its points are worth, without its adjustments', async () => {
    const { partnerId, transactionId } = await priced('0.05', 100);
    const viewer = await signedInOperator(service, 'viewer');
    const { body } = await viewer.get(`/operator/v1/partners/${partnerId}/contributions/${transactionId}`);
    assert.deepEqual([body.amount, body.currency], ['5', 'SAR']);
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/contributions/${partnerId}/${transactionId}`);
    const worth = page.locator('dt', { hasText: 'Value of these points' }).locator('xpath=following-sibling::dd[1]');
    assert.equal(await worth.innerText(), '5.00 SAR');
  });

  test('after adjustments a contribution shows what is left of its value, and that no endpoint gets the event', async () => {
    const { partnerId, transactionId } = await priced('0.05', 100);
    const [drafter, approver] = [await signedInOperator(service, 'operator'), await signedInOperator(service, 'approver')];
    const post = async (points: string) => {
      const { body } = await drafter.postOnce('/operator/v1/adjustments', {
        partner_id: partnerId,
        transaction_id: transactionId,
        reason_code: 'other',
        points_delta: points,
        reason_en: 'x',
        reason_ar: 'س',
      });
      const address = `/operator/v1/partners/${partnerId}/adjustments/${body.adjustment.adjustment_id}`;
      for (const step of ['approve', 'post']) assert.equal((await approver.postOnce(`${address}/${step}`, {})).status, 200);
    };
    const page = await browser.signedIn('viewer');
    const left = page.locator('dt', { hasText: 'Value with adjustments' }).locator('xpath=following-sibling::dd[1]');
    await post('-45');
    await page.goto(`${browser.baseUrl}/contributions/${partnerId}/${transactionId}`);
    await left.getByText('2.75 SAR', { exact: true }).waitFor();
    await post('-55');
    await page.reload();
    await left.getByText('0.00 SAR', { exact: true }).waitFor();
    await waitFor('the event of the adjustment', async () => {
      await page.reload();
      await page.locator('.mantine-Timeline-item').first().waitFor();
      return (await page.getByText('Event published: Contribution updated').count()) === 2;
    });
    const updated = page.locator('.mantine-Timeline-item').filter({ hasText: 'Event published: Contribution updated' });
    await updated.first().getByText('When it occurred, no endpoint of the partner got events of this type').waitFor();
  });

  test('a contribution that failed is worth nothing', async () => {
    const { partner, partnerId } = await priced('0.05', 100);
    await insertContributionRule(service.database, { partnerId, reviews_everything: true });
    const { client } = await service.newPartner({ of: partner });
    const transactionId = await waitFor('a contribution that is reviewed', async () => {
      const { status, body } = await client.confirm({ ...newConfirmation(), points: 100 });
      return status === 202 ? (body.contribution.transaction_id as string) : undefined;
    });
    const page = await browser.signedIn('viewer');
    const address = `${browser.baseUrl}/contributions/${partnerId}/${transactionId}`;
    await page.goto(address);
    const worth = page.locator('dt', { hasText: 'Value of these points' });
    await worth.waitFor();
    const toCustomer = page.getByRole('heading', { name: 'Text for the customer at confirmation' });
    await toCustomer.waitFor();
    await page.goto(`${browser.baseUrl}/reviews/${partnerId}/${transactionId}`);
    await worth.locator('xpath=following-sibling::dd[1]').getByText('5.00 SAR').waitFor();
    await page.getByText('There was none when the contribution was recorded.').waitFor();
    const operator = await signedInOperator(service, 'operator');
    const contributions = [{ partner_id: partnerId, transaction_id: transactionId }];
    const decided = await operator.postOnce('/operator/v1/reviews/decisions', {
      decision: 'fail',
      reason: 'The order was never delivered.',
      contributions,
    });
    assert.equal(decided.status, 200, decided.text);
    await page.goto(address);
    await page.locator('dl').first().getByText('Failed', { exact: true }).first().waitFor();
    assert.equal(await worth.count(), 0);
    assert.equal(await toCustomer.count(), 0);
    // The review, the end of the contribution and the audit are one act.
    await page
      .locator('.mantine-Timeline-item')
      .filter({ hasText: 'Failed for good by review' })
      .getByText('The order was never delivered.')
      .waitFor();
    for (const again of ['Review decided', 'Change by an operator', 'Failed for good'])
      assert.equal(await page.locator('.mantine-Timeline-itemTitle').getByText(again, { exact: true }).count(), 0, again);
  });

  test('the overview rounds a month to the decimals of the currency, and has the exact amount on hover', async () => {
    const { partner, confirmedAt } = await priced('0.005', 1);
    const viewer = await signedInOperator(service, 'viewer');
    const month = monthAt(Date.parse(confirmedAt), partner.timeZone);
    const months = `/operator/v1/months/${month}/partners?name=${partner.name}`;
    await waitFor('the month with the contribution', async () => (await viewer.get(months)).body.partners[0].amounts.length > 0);
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/?month=${month}&name=${partner.name}`);
    const amount = page.getByRole('row').filter({ hasText: partner.name }).locator('[data-label="Amount before adjustments"]');
    await amount.getByText('0.01 SAR').waitFor();
    assert.equal(await amount.locator('[data-hint]').getAttribute('data-hint'), '0.005 SAR');
  });
});
