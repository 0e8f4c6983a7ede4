/** What the pages of a contribution and of an event say of events that are removed, and what the tabs of single records are called. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { uniqueId } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { insertPendingAged } from '../../support/records.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

describe('events that are removed after days', needsBrowser, () => {
  for (const [language, ofContribution, ofAddress] of [
    ['en', /^Events are removed after 90 days, with the attempts/, /^Events are removed after 90 days, with their deliveries/],
    ['ar', /^تُزال الإشعارات ومحاولات تسليمها بعد 90 يومًا/, /^تُزال الإشعارات مع عمليات تسليمها ومحاولاتها بعد 90 يومًا/],
  ] as const)
    test(`the page of a contribution from before says that they are not shown, and an old address that it may be one of them, ${language}`, async () => {
      const { partnerId } = partner;
      const insert = (age: string) => insertPendingAged(service.database, { partnerId, partnerOrderRef: uniqueId('order'), age });
      const [old, young] = [await insert('91 days'), await insert('89 days')];
      const page = await browser.signedIn('viewer', { language });
      const count = async (transactionId: string) => {
        await page.goto(`${browser.baseUrl}/contributions/${partnerId}/${transactionId}`);
        await page.locator('#timeline time').first().waitFor();
        return page.getByText(ofContribution).count();
      };
      assert.deepEqual([await count(old), await count(young)], [1, 0]);
      for (const path of [
        `/events/${partnerId}/evt_${'0'.repeat(26)}`,
        `/webhooks/${partnerId}/deliveries/dlv_${'0'.repeat(26)}.x`,
      ]) {
        await page.goto(browser.baseUrl + path);
        await page.getByText(ofAddress).waitFor();
      }
      await page.goto(`${browser.baseUrl}/contributions/${partnerId}/txn_none`);
      await page.getByRole('alert').waitFor();
      assert.equal(await page.getByText(ofAddress).count(), 0);
    });
});

test(
  'a process of a release that names no days of events answers for the session: the pages show what they have',
  needsBrowser,
  async () => {
    const { partnerId } = partner;
    const old = await insertPendingAged(service.database, { partnerId, partnerOrderRef: uniqueId('order'), age: '91 days' });
    const page = await browser.signedIn('viewer');
    await page.route(/\/operator\/v1\/session$/, async (route) => {
      const response = await route.fetch();
      const { event_days: _, ...session } = await response.json();
      await route.fulfill({ response, json: session });
    });
    await page.goto(`${browser.baseUrl}/contributions/${partnerId}/${old}`);
    await page.locator('#timeline time').first().waitFor();
    assert.equal(await page.getByText('Events are removed after').count(), 0);
    for (const path of [
      `/events/${partnerId}/evt_${'0'.repeat(26)}`,
      `/webhooks/${partnerId}/deliveries/dlv_${'0'.repeat(26)}.x`,
    ]) {
      await page.goto(browser.baseUrl + path);
      await page.getByRole('heading', { name: 'Nothing is recorded here' }).waitFor();
    }
  },
);

test(
  'the tabs of adjustments, deliveries, events, reconciliations and estimates have different titles',
  needsBrowser,
  async () => {
    const { partnerId } = partner;
    const id = (prefix: string, end: string) => `${prefix}_${end.padStart(26, '0')}`;
    const titleOf = { en: /^Event evt_…00000\d · Partner Impact$/, ar: /^الإشعار evt_…00000\d · Partner Impact$/ };
    for (const language of ['en', 'ar'] as const) {
      const page = await browser.signedIn('viewer', { language });
      const titles = new Set<string>();
      const paths = [`adjustments/${partnerId}/adj`, `events/${partnerId}/evt`, `webhooks/${partnerId}/deliveries/dlv`];
      paths.push(`reconciliations/${partnerId}/rec`, `estimates/${partnerId}/calc`);
      for (const path of paths)
        for (const end of ['1', '2']) {
          await page.goto(`${browser.baseUrl}/${id(path, end)}`);
          await page.getByRole('alert').waitFor();
          titles.add((await page.title()).replaceAll(/[\u2066-\u2069]/g, ''));
        }
      assert.equal(titles.size, 10, [...titles].join());
      assert.equal([...titles].filter((title) => titleOf[language].test(title)).length, 2, [...titles].join());
    }
  },
);
