/** Two people decide the same: the second is told who decided what and when, in the language of the page, and can only close the dialog. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import { OWNER } from '../../support/actor.ts';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { uniqueId } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { type SignedInOperator, signedInOperator } from '../../support/operator-client.ts';
import { OPEN_RATES } from '../../support/service.ts';
import { getOpen } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const MARKS = /[\u2066-\u2069]/g;
const CLOCK = /\d{1,2}:\d{2}/;
const POLLED_MS = 16_000;

async function decide(colleague: SignedInOperator, decision: 'confirm' | 'fail', transactionIds: readonly string[]) {
  const contributions = transactionIds.map((transaction_id) => ({ partner_id: partner.partnerId, transaction_id }));
  const body = { decision, reason: 'The shop was called.', contributions };
  const answer = await colleague.postOnce('/operator/v1/reviews/decisions', body, uniqueId('key'));
  assert.equal(answer.status, 200, answer.text);
}

/** A page looks again every 15 s, and would say itself what the button is pressed for: what it asks meanwhile waits. */
async function beforeItLooksAgain(page: Page, pathname: string, press: () => Promise<void>): Promise<void> {
  const pressed = Promise.withResolvers<void>();
  const isLook = (url: URL) => url.pathname === pathname;
  await page.route(isLook, async (route) => {
    await pressed.promise;
    await route.fallback();
  });
  await press();
  pressed.resolve();
  await page.unroute(isLook);
}

describe('reviews that a colleague decided first', needsBrowser, () => {
  for (const { language, action, title, reason, close, words, left } of [
    {
      language: 'en',
      action: 'Fail',
      title: 'Fail 3 contributions',
      reason: 'Reason',
      close: 'Close',
      words: ['Confirmed before by Amal', 'Failed before by Amal'],
      left: '2 contributions were not decided',
    },
    {
      language: 'ar',
      action: 'تسجيل الفشل',
      title: 'تسجيل فشل 3 مساهمات',
      reason: 'السبب',
      close: 'إغلاق',
      words: ['أكّدها قبلك Amal', 'سجّل فشلها قبلك Amal'],
      left: 'لم يُبتّ في مساهمتين',
    },
  ] as const)
    test(`are named by order and partner, with who decided what and when, and nothing is left to decide, ${language}`, async () => {
      const [first, second, third] = [await newPending(), await newPending(), await newPending()];
      const colleague = await signedInOperator(service, 'operator', 'Amal');
      const page = await browser.signedIn('operator', { language });
      await page.clock.install();
      await page.goto(`${browser.baseUrl}/reviews?partner=${partner.partnerId}`);
      for (const { order } of [first, second, third]) await page.getByLabel(order).check();
      await page.getByRole('button', { name: action, exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(reason).fill('Cancelled.');
      await decide(colleague, 'confirm', [first.transactionId]);
      await decide(colleague, 'fail', [second.transactionId]);
      await page.clock.fastForward(POLLED_MS);
      await page.getByLabel(first.order).waitFor({ state: 'detached' });
      await dialog.getByRole('button', { name: title }).click();
      await dialog.getByRole('heading', { name: left }).waitFor();
      const rows = dialog.locator('.two-lines');
      await rows.filter({ hasText: 'Amal' }).nth(1).waitFor();
      const shown = (await rows.allInnerTexts()).map((row) => row.replaceAll(MARKS, ''));
      assert.equal(shown.length, 2);
      for (const [index, { order }] of [first, second].entries()) {
        const row = shown[index] ?? '';
        for (const part of [order, 'Souq Express', words[index] ?? '']) assert.ok(row.includes(part), `${part} in ${row}`);
        assert.match(row, CLOCK);
      }
      const text = await dialog.innerText();
      assert.doesNotMatch(text, /txn_|0 (?:contributions|points)|which is final/);
      assert.deepEqual(await dialog.locator('form').getByRole('button').allInnerTexts(), [close]);
      assert.equal(await dialog.getByRole('textbox').count(), 0);
      await dialog.locator('form').getByRole('button').click();
      await dialog.waitFor({ state: 'detached' });
      const { rows: stored } = await service.database.pool.query('select status from contribution where transaction_id = $1', [
        third.transactionId,
      ]);
      assert.deepEqual(stored, [{ status: 'failed' }], 'the third was decided here');
    });

  test('are told on the page of one review too', async () => {
    const { transactionId, order } = await newPending();
    const colleague = await signedInOperator(service, 'operator', 'Amal');
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/reviews/${partner.partnerId}/${transactionId}`);
    await page.getByRole('main').getByRole('button', { name: 'Confirm', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Known.');
    await decide(colleague, 'fail', [transactionId]);
    await dialog.getByRole('button', { name: 'Confirm 1 contribution' }).click();
    await dialog.getByText('Failed before by Amal').waitFor();
    await dialog.getByText(order).waitFor();
    await dialog.locator('form').getByRole('button', { name: 'Close' }).click();
    await waitFor(
      'the page without the buttons',
      async () => (await page.getByRole('button', { name: 'Confirm' }).count()) === 0,
    );
  });
});

describe('a settlement that a colleague closed first', needsBrowser, () => {
  for (const { language, close, before, after: closedTitle, closedBy, end } of [
    {
      language: 'en',
      close: 'Close now',
      before: /^Close settlement \d{4}-\d{2} of Two Closers before its period ends$/,
      after: /^Settlement \d{4}-\d{2} of Two Closers is closed$/,
      closedBy: 'Closed by Amal',
      end: 'Close',
    },
    {
      language: 'ar',
      close: 'إقفال الآن',
      before: /^إقفال التسوية \d{4}-\d{2} للشريك Two Closers قبل نهاية فترتها$/,
      after: /^التسوية \d{4}-\d{2} للشريك Two Closers مُقفلة$/,
      closedBy: 'أقفلها Amal',
      end: 'إغلاق',
    },
  ] as const)
    for (const how of ['by its step', 'as it is read again'] as const)
      test(`is told ${how}: who closed it and when, on a page that has it closed, ${language}`, async () => {
        const { partnerId } = await createPartner(service.database, OWNER, 'Two Closers', OPEN_RATES);
        const { settlementId } = await getOpen(service.database, partnerId);
        const page = await browser.signedIn('approver', { language });
        await page.clock.install();
        await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${settlementId}`);
        await page.getByRole('button', { name: close }).click();
        const dialog = page.getByRole('dialog');
        const heading = dialog.getByRole('heading');
        const titleIs = (title: RegExp) =>
          waitFor(`${title}`, async () => title.test((await heading.innerText()).replaceAll(MARKS, '')));
        await titleIs(before);
        const colleague = await signedInOperator(service, 'approver', 'Amal');
        const path = `/operator/v1/partners/${partnerId}/settlements/${settlementId}`;
        const closeFirst = async () => assert.equal((await colleague.postOnce(`${path}/close`, undefined)).status, 200);
        if (how === 'by its step')
          await beforeItLooksAgain(page, path, async () => {
            await closeFirst();
            await dialog.getByRole('button', { name: close }).click();
          });
        else {
          await closeFirst();
          await page.clock.fastForward(POLLED_MS);
        }
        await titleIs(closedTitle);
        const told = dialog.getByText(closedBy);
        await told.waitFor();
        assert.match(await told.innerText(), CLOCK);
        assert.deepEqual(await dialog.locator('form').getByRole('button').allInnerTexts(), [end]);
        assert.equal(await dialog.getByText('لا يوجد سجل').count(), 0);
        await dialog.locator('form').getByRole('button').click();
        await dialog.waitFor({ state: 'detached' });
        assert.equal(await page.getByRole('button', { name: close }).count(), 0);
        await page.locator('a[href$="statement.csv"]').waitFor();
      });
});

describe('an adjustment and a failure that a colleague decided first', needsBrowser, () => {
  const path = (kind: 'adjustments' | 'failures', id: string) => `/operator/v1/partners/${partner.partnerId}/${kind}/${id}`;
  const people = async () => ({
    drafter: await signedInOperator(service, 'operator'),
    colleague: await signedInOperator(service, 'approver', 'Amal'),
  });

  test('the dialog of an adjustment says who approved it and when', async () => {
    const { drafter, colleague } = await people();
    const { transactionId } = await newPending();
    await decide(drafter, 'confirm', [transactionId]);
    const drafted = await drafter.postOnce('/operator/v1/adjustments', {
      partner_id: partner.partnerId,
      transaction_id: transactionId,
      reason_code: 'other',
      reason_en: 'x',
      reason_ar: 'س',
      points_delta: '-50',
    });
    const id = drafted.body.adjustment.adjustment_id;
    const page = await browser.signedIn('approver');
    await page.goto(`${browser.baseUrl}/adjustments/${partner.partnerId}/${id}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog');
    await beforeItLooksAgain(page, path('adjustments', id), async () => {
      assert.equal((await colleague.postOnce(`${path('adjustments', id)}/approve`, undefined)).status, 200);
      await dialog.getByRole('button', { name: 'Approve' }).click();
    });
    const told = dialog.getByText('Approved by Amal');
    await told.waitFor();
    assert.match(await told.innerText(), CLOCK);
    assert.deepEqual(await dialog.locator('form').getByRole('button').allInnerTexts(), ['Close']);
    await dialog.locator('form').getByRole('button').click();
    await page.getByRole('button', { name: 'Post', exact: true }).click();
    await beforeItLooksAgain(page, path('adjustments', id), async () => {
      assert.equal((await colleague.postOnce(`${path('adjustments', id)}/post`, undefined)).status, 200);
      await dialog.getByRole('button', { name: 'Post' }).click();
    });
    await dialog.getByText('Posted by Amal').waitFor();
  });

  for (const list of ['/failures', '/failures?status=drafted', '/failures?sort=drafted_at'])
    test(`the dialog of a failure says who rejected it and when, in ${list}`, async () => {
      const { drafter, colleague } = await people();
      const event = uniqueId('event');
      const drafted = await drafter.postOnce('/operator/v1/failures', {
        partner_id: partner.partnerId,
        partner_event_id: event,
        partner_order_ref: uniqueId('order'),
        points: '50',
        reason: 'Refused for good.',
      });
      // Nothing that was drafted later keeps an older one from being told.
      if (list.includes('sort'))
        await service.database.pool.query(
          `insert into failure_draft (partner_id, failure_id, partner_event_id, partner_order_ref, points, reason, status, drafted_by, drafted_at)
          select partner_id, failure_id || n, 'later-event-' || n, 'later-' || n, points, reason, status, drafted_by, now() + interval '1 s'
            from failure_draft cross join generate_series(1, 201) n where failure_id = $1`,
          [drafted.body.failure_id],
        );
      const page = await browser.signedIn('approver', { language: 'ar' });
      await page.goto(`${browser.baseUrl}${list}`);
      // What the dialog reads as it opens is of before the colleague's decision.
      const isRead = ['failure.approve', 'failure.reject'].map((action) =>
        page.waitForResponse((response) => {
          const { pathname, searchParams } = new URL(response.url());
          return pathname === '/operator/v1/audit' && searchParams.get('action') === action;
        }),
      );
      await page.getByRole('row').filter({ hasText: event }).getByRole('button', { name: 'اعتماد' }).click();
      await Promise.all(isRead);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'اعتماد' }).waitFor();
      await beforeItLooksAgain(page, '/operator/v1/audit', async () => {
        assert.equal((await colleague.postOnce(`${path('failures', drafted.body.failure_id)}/reject`, undefined)).status, 200);
        await dialog.getByRole('button', { name: 'اعتماد' }).click();
      });
      const told = dialog.getByText('رفضه Amal');
      await told.waitFor();
      assert.match(await told.innerText(), CLOCK);
      assert.deepEqual(await dialog.locator('form').getByRole('button').allInnerTexts(), ['إغلاق']);
    });
});
