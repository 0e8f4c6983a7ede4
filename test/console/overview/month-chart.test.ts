/** What a chart says of figures that are far apart, and the list below it of amounts in several currencies. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findBarriers, needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { untilStill } from '../../support/console/until-still.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const NONE = { confirmed_count: '0', confirmed_points: '0', failed_count: '0' };
const POINTS = { '2026-11-03': '250', '2026-11-12': '1000000000000001', '2026-11-20': '1000000000000002' };

/** The month has these points, and no other. */
async function giveDays(page: Page): Promise<void> {
  await page.route(/\/operator\/v1\/months\/2026-11$/, async (route) => {
    const answer = await route.fetch();
    const days = Object.entries(POINTS).map(([day, confirmed_points]) => ({
      ...NONE,
      day,
      confirmed_count: '1',
      confirmed_points,
    }));
    await route.fulfill({ response: answer, json: { ...(await answer.json()), days } });
  });
}

test('a month shows a day of few points beside one of 10^15, and names the highest to the last digit', needsBrowser, async () => {
  const page = await browser.signedIn('viewer');
  await giveDays(page);
  await page.goto(`${browser.baseUrl}/?month=2026-11`);
  await page.locator('.month-chart').waitFor();
  await untilStill(page);
  const heights = (await page
    .locator('.month-chart-bar > div')
    .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().height))) as number[];
  const shown = heights.flatMap((height, index) => (height > 0 ? [index + 1] : []));
  assert.deepEqual(shown, [3, 12, 20]);
  assert.ok((heights[2] ?? 0) >= 2, `A bar of ${heights[2]} pixels is not seen.`);
  await page.getByText(/20 Nov 2026.*1,000,000,000,000,002/).waitFor();
});

for (const [language, words] of [
  ['en', { open: 'Points of each day', row: /^20 Nov 2026\s+1,000,000,000,000,002$/, none: /^1 Nov 2026\s+0$/ }],
  ['ar', { open: 'نقاط كل يوم', row: /^20 نوفمبر 2026\s+1,000,000,000,000,002$/, none: /^1 نوفمبر 2026\s+0$/ }],
] as const)
  test(`the points of each day are read in a table too, which the keyboard opens, ${language}`, needsBrowser, async () => {
    const page = await browser.signedIn('viewer', { language });
    await giveDays(page);
    await page.goto(`${browser.baseUrl}/?month=2026-11`);
    const summary = page.locator('summary').filter({ hasText: words.open });
    await summary.focus();
    await page.keyboard.press('Enter');
    const table = page.getByRole('table', { name: words.open });
    await table.locator('tbody tr').nth(29).waitFor();
    const rows = (await table.locator('tbody tr').allInnerTexts()).map((text) => text.trim());
    assert.match(rows[19] ?? '', words.row);
    assert.match(rows[0] ?? '', words.none);
    assert.deepEqual(await findBarriers(page), []);
  });

test('a partner with amounts in two currencies has each in a line of its own', needsBrowser, async () => {
  const page = await browser.signedIn('viewer');
  const amounts = [
    { amount: '22.50', currency: 'AED', minor_units: 2 },
    { amount: '25.00', currency: 'SAR', minor_units: 2 },
  ];
  await page.route(/\/operator\/v1\/months\/2026-11\/partners/, async (route) => {
    const answer = await route.fetch();
    const { partners, ...rest } = await answer.json();
    await route.fulfill({
      response: answer,
      json: { ...rest, partners: partners.map((each: object) => ({ ...each, amounts })) },
    });
  });
  await page.goto(`${browser.baseUrl}/?month=2026-11`);
  const cell = page.locator('[data-label="Amount before adjustments"]').first();
  assert.deepEqual((await cell.innerText()).split('\n'), ['22.50 AED', '25.00 SAR']);
});
