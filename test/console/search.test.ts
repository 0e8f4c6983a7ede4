/** The search: whatever is typed stands in it, and its last hit leads to what it does not show. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { cityOf } from '../../console/src/format/time.ts';
import { FAILURE } from '../../console/src/pages/failures/failure-texts.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { approveFailure, draftFailure } from '../../src/operations/contributions/record-failure.ts';
import { createProject } from '../../src/operations/impact/manage-project.ts';
import { enrolled, OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { needsBrowser, newPerson } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { OPEN_RATES } from '../support/service.ts';
import { openFirst } from '../support/settlements.ts';
import { endpointTools, newEndpoint } from '../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, client, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const fieldOf = (page: Page) => page.getByRole('textbox', { name: 'Search' });

async function untilTyped(page: Page, text: string): Promise<void> {
  await fieldOf(page).waitFor();
  await waitFor(`${text} in the search`, async () => (await fieldOf(page).inputValue()) === text);
}

describe('what is typed', needsBrowser, () => {
  for (const [how, opening] of [
    ['`/`', '/'],
    ['Ctrl-K', 'Control+k'],
  ] as const)
    test(`directly after ${how} stands in the search whole, and goes on at its end`, async () => {
      const page = await browser.signedIn('viewer');
      await page.goto(browser.baseUrl);
      await page.locator('h1').waitFor();
      await page.keyboard.press(opening);
      await page.keyboard.type('order-1/a');
      await untilTyped(page, 'order-1/a');
      await waitFor('focus in the search', () => fieldOf(page).evaluate((field) => field.matches(':focus')));
      await page.keyboard.type('bc');
      await page.keyboard.press('Backspace');
      await untilTyped(page, 'order-1/ab');
    });

  test('is corrected and sent by keys that come before the field has the focus', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(browser.baseUrl);
    await page.locator('h1').waitFor();
    // All within one task, in which the field cannot get the focus.
    await page.evaluate(`(async () => {
      for (const key of ['/', 'A', 'x', 'Backspace', 'u', 'd', 'i', 't', 'Enter']) {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        await Promise.resolve();
      }
    })()`);
    await page.waitForURL('**/audit');
    await fieldOf(page).waitFor({ state: 'detached' });
  });
});

describe('what is done on a part of a page', needsBrowser, () => {
  test('is found by its words, and says the way', async () => {
    for (const [language, typed, name, way, address] of [
      ['en', 'rotate', 'API keys: issue, replace (rotate), revoke', 'Choose the partner, then its set-up', '/partners'],
      ['ar', 'مفاتيح API', 'مفاتيح API: إصدار واستبدال وإلغاء', 'اختر الشريك ثم تهيئته', '/partners'],
      ['en', 'suspend', 'Suspend or resume a partner', 'Choose the partner', '/partners'],
      ['en', 'passw', 'Password and passkeys', 'Account', '/account'],
    ] as const) {
      const page = await browser.signedIn('operator', { language });
      await page.goto(browser.baseUrl);
      await page.locator('h1').waitFor();
      await page.keyboard.press('/');
      await page.getByRole('textbox').fill(typed);
      const found = page.locator('[data-action]').filter({ hasText: name });
      await found.getByText(way).waitFor();
      await found.click();
      await page.waitForURL(`**${address}`);
    }
  });
});

describe('words of the menu in Arabic', needsBrowser, () => {
  test('are found as they are typed in haste: without a hamza and without the signs over letters', async () => {
    const page = await browser.signedIn('viewer', { language: 'ar' });
    await page.goto(browser.baseUrl);
    await page.locator('h1').waitFor();
    await page.keyboard.press('/');
    for (const [typed, name] of [
      ['الاشعارات', 'الإشعارات'],
      ['اقفال', 'إقفال الشهر'],
      ['المشغلون', 'المشغّلون'],
    ] as const) {
      await page.getByRole('textbox', { name: 'بحث' }).fill(typed);
      await page.locator('[data-action]').filter({ hasText: name }).first().waitFor();
    }
  });
});

describe('the state of what is found', needsBrowser, () => {
  test('has the words and the colour of its list: a failure that was approved, and an endpoint in Arabic', async () => {
    const [drafter, approver] = await enrolled(service.database, 'operator', 'approver');
    const { partnerId } = partner;
    const never = {
      partnerId,
      partnerEventId: uniqueId('event'),
      partnerOrderRef: uniqueId('order'),
      points: 5n,
      reason: 'a test',
    };
    const { failureId } = await draftFailure(service.database, drafter, never);
    await approveFailure(service.database, approver, { partnerId, failureId });
    const { endpointId } = await newEndpoint(service, endpointTools(service.database));
    const page = await browser.signedIn('viewer', { language: 'ar' });
    await page.goto(browser.baseUrl);
    await page.locator('h1').waitFor();
    await page.keyboard.press('/');
    for (const [id, state] of [
      [failureId, FAILURE.approved[1]],
      [endpointId, 'نشطة'],
    ] as const) {
      await page.getByRole('textbox', { name: 'بحث' }).fill(id);
      await page.locator('[data-action]').filter({ hasText: id }).getByText(state, { exact: true }).waitFor();
    }
  });
});

describe('a name that was copied from a text in Arabic', needsBrowser, () => {
  /** As a page, a mail and a spreadsheet may give it. */
  const AROUND = [
    ['\u2066', '\u2069'],
    ['\u200f ', '\u200e\u00a0'],
    ['\u061c\u202b', '\u202c\t'],
  ] as const;

  test('is found by the search without its marks of direction', async () => {
    const order = uniqueId('order');
    const { body } = await client.confirm({ ...newConfirmation(), partner_order_ref: order });
    const page = await browser.signedIn('viewer', { language: 'ar' });
    for (const [before, after] of AROUND) {
      await page.goto(browser.baseUrl);
      await page.locator('h1').waitFor();
      await page.keyboard.press('/');
      await page.getByRole('textbox', { name: 'بحث' }).fill(`${before}${order}${after}`);
      await page.locator('[data-action]').filter({ hasText: order }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/contributions/${partner.partnerId}/${body.contribution.transaction_id}`);
    }
  });

  test('and by every filter, whose address has the name alone', async () => {
    const order = uniqueId('order').padEnd(128, 'x');
    const { body } = await client.confirm({ ...newConfirmation(), partner_order_ref: order });
    const { settlementId } = await openFirst(service.database, partner);
    const page = await browser.signedIn('viewer');
    for (const [before, after] of AROUND) {
      for (const name of [order, body.contribution.transaction_id]) {
        await page.goto(`${browser.baseUrl}/contributions?partner=${partner.partnerId}`);
        await page.getByLabel('Order, event id, contribution id or key').fill(`${before}${name}${after}`);
        await page.waitForURL((url) => url.searchParams.get('of') === name);
        await page
          .getByRole('row')
          .filter({ hasText: order.slice(0, 20) })
          .waitFor();
      }
      await page.goto(`${browser.baseUrl}/adjustments?partner=${partner.partnerId}`);
      await page.getByLabel('Settlement id').fill(`${before}${settlementId}${after}`);
      await page.waitForURL((url) => url.searchParams.get('settlement') === settlementId);
    }
  });
});

describe('what cannot be searched', needsBrowser, () => {
  const search = '**/operator/v1/search?*';
  const nothingFound = (page: Page) => page.getByText('Nothing found.').count();

  test('is said, and is not said to be nothing', async () => {
    const page = await browser.signedIn('viewer');
    const error = { code: 'internal_service_unavailable', message: 'A worker does not answer.' };
    await page.route(search, (route) => route.fulfill({ status: 503, json: { error } }));
    await page.goto(browser.baseUrl);
    await page.locator('h1').waitFor();
    await page.keyboard.press('/');
    await fieldOf(page).fill('order-of-nobody');
    await page.getByRole('status').filter({ hasText: 'A worker does not answer.' }).waitFor();
    assert.equal(await nothingFound(page), 0);
    await page.unroute(search);
    await fieldOf(page).fill('another-of-nobody');
    await page.getByText('Nothing found.').waitFor();
  });

  test('of the partners of a lost worker is said beside what the others have', async () => {
    const order = uniqueId('order');
    await client.confirm({ ...newConfirmation(), partner_order_ref: order });
    const page = await browser.signedIn('viewer');
    await page.route(search, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), left_out: 'Of one partner.' } });
    });
    await page.goto(`${browser.baseUrl}/contributions?of=${order}`);
    const notice = page.getByRole('status').filter({ hasText: 'records of its partners may be missing here' });
    await notice.waitFor();
    await page.getByRole('row').filter({ hasText: order }).waitFor();
    await page.keyboard.press('/');
    await fieldOf(page).fill(order);
    await page.locator('[data-action]').filter({ hasText: order }).waitFor();
    await waitFor('the notice in the search too', async () => (await notice.count()) === 2);
  });
});

describe('the time of a hit', needsBrowser, () => {
  test('is that of the lists: in the zone of its partner, with the city where it is not that of the reader', async () => {
    const own = await createPartner(service.database, OWNER, uniqueId('Shop'), { ...OPEN_RATES, timeZone: 'Asia/Dubai' });
    const { client: seller } = await service.newPartner({ of: own });
    const order = uniqueId('order');
    await seller.confirm({ ...newConfirmation(), partner_order_ref: order });
    const { settlementId } = await openFirst(service.database, own);
    for (const language of ['en', 'ar'] as const) {
      const city = cityOf('Asia/Dubai', language);
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/contributions?partner=${own.partnerId}`);
      const listed = page.getByRole('row').filter({ hasText: order }).locator('time');
      await listed.getByText(city).waitFor();
      const shown = await listed.textContent();
      for (const text of [order, settlementId]) {
        await page.keyboard.type(`/${text}`);
        const hit = page.locator('[data-action]').filter({ hasText: text }).locator('time');
        await hit.getByText(city).waitFor();
        if (text === order) assert.equal(await hit.textContent(), shown);
        await page.goto(browser.baseUrl);
        await page.locator('h1').waitFor();
      }
    }
  });
});

describe('more hits than are shown', needsBrowser, () => {
  test('the last one leads to the list of contributions of this name, where a partner can be chosen', async () => {
    const order = uniqueId('order');
    const fail = () => client.confirm({ partner_order_ref: order }, { 'x-sandbox-scenario': 'failed' });
    for (let number = 0; number < 19; number++) assert.equal((await fail()).status, 422);
    const page = await browser.signedIn('viewer');
    const look = async () => {
      await page.goto(browser.baseUrl);
      await page.locator('h1').waitFor();
      await page.keyboard.press('/');
      // At once: the beginning of an order is the beginning of others too.
      await page.getByRole('textbox', { name: 'Search' }).fill(order);
      await page.locator('[data-action]').filter({ hasText: order }).nth(18).waitFor();
    };
    const more = page.locator('[data-action]').filter({ hasText: 'There may be more' });
    await look();
    assert.equal(await more.count(), 0);
    assert.equal((await fail()).status, 422);
    await look();
    assert.equal(await page.locator('[data-action]').filter({ hasText: order }).count(), 20);
    await more.click();
    await page.waitForURL(`**/contributions?of=${order}`);
    await page.getByRole('row').filter({ hasText: order }).nth(19).waitFor();
    await page.goto(`${browser.baseUrl}/contributions?of=${order}&partner=${partner.partnerId}`);
    await page.getByRole('row').filter({ hasText: order }).nth(19).waitFor();
  });
});

describe('the id of a record without a page of its own', needsBrowser, () => {
  test('leads to the list that shows it', async () => {
    const { projectId } = await createProject(service.database, OWNER, { nameEn: 'Coast', nameAr: 'الساحل', country: 'SA' });
    const { operatorId } = await newPerson(service, 'operator', 'Found by id');
    for (const [language, id, what, address, shown] of [
      ['en', operatorId, 'Operator', '/operators', 'Found by id'],
      ['ar', projectId, 'مشروع', '/impact#projects', 'الساحل'],
    ] as const) {
      const page = await browser.signedIn('admin', { language });
      await page.goto(browser.baseUrl);
      await page.locator('h1').waitFor();
      await page.keyboard.press('/');
      await page.getByRole('textbox').fill(id);
      const found = page.locator('[data-action]').filter({ hasText: id });
      await found.getByText(what).waitFor();
      await found.click();
      await page.waitForURL(`${browser.baseUrl}${address}`);
      await page.getByText(shown).first().waitFor();
    }
  });
});
