/** What is chosen in a list of many records: the page draws what a tick changed, and a person comes from a row to what can be done. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { findBarriers, needsBrowser } from '../../support/console/browser.ts';
import { choose } from '../../support/console/choose.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';

const COUNT = 40;

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, newPending } = (scene ?? {}) as Scene;
if (scene) {
  await Promise.all(Array.from({ length: COUNT }, () => newPending()));
  for (const points of [40, 50, 60]) await newSettlement(points);
  after(() => assert.deepEqual(browser.offences, []));
}

async function newSettlement(points: number): Promise<void> {
  const { client, open } = await newSettledPartner(service);
  await client.confirm({ points });
  await closeThrough(service, open);
}

/** From now on the page counts how often it writes a time: each row has one. */
const COUNT_TIMES = `(() => {
  globalThis.timesWritten = 0;
  Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
    construct(target, terms) {
      timesWritten++;
      return new target(...terms);
    },
  });
})()`;

const ticks = (page: Page, label: string) => page.getByRole('checkbox', { name: new RegExp(`^${label}:`) });

async function openList(page: Page, path: string, label = 'Choose'): Promise<void> {
  await page.goto(`${browser.baseUrl}${path}`);
  await ticks(page, label).first().waitFor();
}

describe('a tick', needsBrowser, () => {
  for (const [path, chosen] of [
    ['/reviews', '1 contribution chosen, 250 points'],
    ['/impact/new', /^1 settlement chosen, \d0 points$/],
  ] as const)
    test(`draws no row of the list anew, ${path}`, async () => {
      const page = await browser.signedIn('operator');
      await openList(page, path);
      await waitFor('times of every row', async () => {
        const times = await page.locator('tbody time').count();
        return times >= (await page.locator('tbody tr').count());
      });
      // A time is written anew when the zone of its partner is read.
      await page.waitForLoadState('networkidle');
      await page.evaluate(COUNT_TIMES);
      await ticks(page, 'Choose').nth(1).check();
      await page.getByText(chosen).waitFor();
      assert.equal(await page.evaluate('timesWritten'), 0);
      await page.getByRole('checkbox', { name: 'All' }).check();
      await page.getByText(/^(?:40 contributions|3 settlements) chosen/).waitFor();
      assert.equal(await page.evaluate('timesWritten'), 0);
    });
});

const LIST = {
  en: {
    choose: 'Choose',
    points: 'Points',
    chosen: '2 contributions chosen, 500 points',
    before: 'Reviews: 40 records. Recorded: earliest first',
    after: 'Reviews: 40 records. Points: most first',
    filter: { field: 'Why it is reviewed', option: 'Daily cap on points' },
    none: 'No review waits',
  },
  ar: {
    choose: 'اختيار',
    points: 'النقاط',
    chosen: 'المحدّد: مساهمتان، 500 نقطة',
    before: 'المراجعات: 40 سجلًا. سُجّلت: الأقدم أولًا',
    after: 'المراجعات: 40 سجلًا. النقاط: الأكثر أولًا',
    filter: { field: 'سبب المراجعة', option: 'الحدّ اليومي للنقاط' },
    none: 'لا مراجعة تنتظر',
  },
} as const;

/** Until the service answers a question for the list with this in its address, the test goes on. */
async function holdBack(page: Page, part: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<() => Promise<void>>();
  await page.route(
    (url) => url.pathname === '/operator/v1/reviews' && url.search.includes(part),
    (route) => held.resolve(() => route.continue()),
    { times: 1 },
  );
  return async () => (await held.promise)();
}

describe('another order of a list', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const)
    test(`keeps the ticks, and the focus on its heading; it is told, and so is what a filter led to, ${language}`, async () => {
      const t = LIST[language];
      const page = await browser.signedIn('operator', { language });
      await openList(page, '/reviews', t.choose);
      const told = page.locator('.records-status');
      const place = await told.elementHandle();
      assert.equal(await told.innerText(), t.before);
      for (const row of [1, 3]) await ticks(page, t.choose).nth(row).check();
      const sorted = await holdBack(page, 'sort=-points');
      const heading = page.getByRole('columnheader').getByRole('button', { name: t.points });
      await heading.press('Enter');
      await page.locator('[aria-busy=true] .records').waitFor();
      assert.equal(await ticks(page, t.choose).count(), COUNT);
      await sorted();
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
      assert.equal(await page.evaluate(hasFocus('[aria-sort=descending] .sort-heading')), true);
      await page.getByText(t.chosen).waitFor();
      assert.equal(await place?.innerText(), t.after);
      const filtered = await holdBack(page, 'reason=daily_points_cap');
      await choose(page, t.filter);
      await ticks(page, t.choose).first().waitFor({ state: 'detached' });
      await filtered();
      await told.getByText(t.none).waitFor();
      assert.equal(await place?.isVisible(), true);
    });
});

const BAR = '.chosen-bar';
const hasFocus = (selector: string) => `document.activeElement.matches(${JSON.stringify(selector)})`;

/** What of the focused element lies below the upper edge of the bar, in pixels. */
const COVERED = `(() => {
  const bar = document.querySelector('${BAR}');
  const { bottom } = document.activeElement.getBoundingClientRect();
  return bar.contains(document.activeElement) ? 0 : Math.max(0, Math.round(bottom - bar.getBoundingClientRect().top));
})()`;

describe('by the keyboard alone', needsBrowser, () => {
  for (const [language, label, skip, chosen, confirm] of [
    ['en', 'Choose', 'Skip to the actions for what is chosen', '2 contributions chosen, 500 points', 'Confirm'],
    ['ar', 'اختيار', 'الانتقال إلى إجراءات المحدّد', 'المحدّد: مساهمتان، 500 نقطة', 'تأكيد'],
  ] as const)
    test(`a person comes from a ticked row to its decision past the rows that are left, ${language}`, async () => {
      const page = await browser.signedIn('operator', { language });
      await openList(page, '/reviews', label);
      const status = page.locator(BAR).getByRole('status');
      // Who hears the page is told of a text that changes, and not of one that appears with its place.
      const place = await status.elementHandle();
      for (const row of [1, 3]) await ticks(page, label).nth(row).press('Space');
      await page.getByText(chosen).waitFor();
      assert.equal(await place?.innerText(), chosen);
      await page.keyboard.press('Tab');
      const way = page.getByRole('button', { name: skip });
      await waitFor('focus on the way to the bar', () => page.evaluate(hasFocus('.skip-to-chosen')));
      assert.deepEqual(await findBarriers(page), []);
      const { width } = (await way.boundingBox()) ?? { width: 0 };
      assert.ok(width > 100, 'It is seen.');
      await page.keyboard.press('Enter');
      await waitFor('focus on the bar', () => page.evaluate(hasFocus(BAR)));
      await page.getByRole('region', { name: chosen }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: confirm }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await waitFor('focus in the bar', () => page.evaluate(hasFocus(`${BAR} button`)));
    });

  test('a row that is not ticked has no such way, and the bar covers nothing that has the focus', async () => {
    const page = await browser.signedIn('operator');
    await openList(page, '/reviews');
    await ticks(page, 'Choose').first().focus();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(hasFocus('.record-link')), true);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(COVERED), 0, `step ${step}`);
    }
  });

  test('on a screen that is enlarged four times the bar stands below the list', async () => {
    const page = await browser.signedIn('operator');
    await page.setViewportSize({ width: 320, height: 256 });
    await openList(page, '/reviews');
    await ticks(page, 'Choose').first().check();
    await page.locator(`${BAR} button`).first().waitFor();
    const isBelow = `document.querySelector('${BAR}').getBoundingClientRect().top >=
      document.querySelector('tbody').getBoundingClientRect().bottom`;
    assert.equal(await page.evaluate(isBelow), true);
  });
});
