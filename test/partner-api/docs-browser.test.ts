/** `/docs` in a browser: Debian's Chromium, where it is installed. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { PAGES } from '../../src/partner-api/docs/pages.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { launchChromium, needsBrowser } from '../support/console/browser.ts';
import { testService } from '../support/service.ts';

const { baseUrl } = needsBrowser.skip ? { baseUrl: '' } : await testService();
const WIDTHS = [390, 1280];
/** How many blocks of code are covered by their button to copy them, which is always shown where there is no pointer. */
const COVERED_CODE = `[...document.querySelectorAll('.code')].filter((each) =>
  each.querySelector('.copy').getBoundingClientRect().bottom > each.querySelector('code').getBoundingClientRect().top).length`;

describe('in a browser', { ...needsBrowser, ...HANG_LIMIT }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser?.close());

  /** What the policy refused, and what failed, ends up in `problems`. */
  async function open(
    name: string,
    options: Parameters<Browser['newPage']>[0] = {},
  ): Promise<{ page: Page; problems: string[] }> {
    const page = await browser.newPage(options);
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('response', (response) => response.status() >= 400 && problems.push(response.url()));
    await page.goto(`${baseUrl}/docs/${name}`);
    return { page, problems };
  }

  describe('no page is wider than the window, and the policy refuses nothing of it', () => {
    let shown: Awaited<ReturnType<typeof open>>;
    before(async () => {
      shown = await open('', { viewport: { width: 390, height: 800 } });
    });
    after(() => shown.page.close());

    for (const [number, { name }] of PAGES.entries()) {
      // Loaded in one width, and then shown in the other.
      const widths = number % 2 === 0 ? WIDTHS : WIDTHS.toReversed();
      test(`/docs/${name}: ${widths.join(' px, then ')} px`, async () => {
        const { page, problems } = shown;
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          if (width === widths[0]) await page.goto(`${baseUrl}/docs/${name}`);
          const scrolled = await page.evaluate('document.documentElement.scrollWidth');
          assert.ok(Number(scrolled) <= width, `${scrolled} at ${width}`);
          if (width === 390) assert.equal(await page.evaluate(COVERED_CODE), 0, 'code under its button');
        }
        assert.deepEqual(problems, []);
      });
    }
  });

  test('by the keyboard: / opens the search, arrows choose, Enter leads to the section, Escape closes', async () => {
    const { page, problems } = await open('glossary');
    await page.keyboard.press('/');
    await page.keyboard.type('rotation sample');
    await page.locator('dialog [role=option]').first().waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('dialog').isVisible(), false);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('partner_order_conflict');
    await page.locator('dialog [aria-selected=true] mark').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${baseUrl}/docs/errors#partner_order_conflict`);
    await page.keyboard.press('/');
    await page.keyboard.type('xyzzy');
    await page.getByText('Nothing found').waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });

  test('Arabic runs from right to left, and is found without its marks', async () => {
    const { page } = await open('ar/contributions');
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('h1')).direction"), 'rtl');
    await page.keyboard.press('/');
    await page.keyboard.type('مؤكدة');
    await page.locator('dialog mark', { hasText: 'مؤكَّدة' }).first().waitFor();
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('th')).paddingInlineStart"), '0px');
    await page.close();
  });

  test('Arabic runs from right to left on an English page too, and has its language', async () => {
    const { page } = await open('customer-texts');
    const texts = await page.evaluate(`[...document.querySelectorAll('main :is(td, th, p)')]
      .filter((each) => /^\\P{L}*\\p{Script=Arabic}/u.test(each.textContent))
      .map((each) => [each.lang, getComputedStyle(each).direction, each.textContent].join(' '))`);
    assert.ok(Array.isArray(texts) && texts.length > 20);
    assert.deepEqual(
      texts.filter((each) => !each.startsWith('ar rtl ')),
      [],
    );
    await page.close();
  });

  test('a table that is wider than a phone shows a shadow at each edge behind which it goes on', async () => {
    const { page } = await open('customer-texts', { viewport: { width: 390, height: 800 } });
    await page.evaluate("for (const each of document.querySelectorAll('.table *')) each.style.visibility = 'hidden'");
    const table = page.locator('.table').first();
    await table.scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0 } = (await table.boundingBox()) ?? {};
    const show = async (left: number) =>
      (await page.screenshot({ clip: { x: left, y: y + 20, width: 6, height: 6 } })).toString('base64');
    const edges = async () => [await show(x), await show(x + width - 6)];
    const blank = await show(x + width / 2);
    const areShaded = async () => (await edges()).map((edge) => edge !== blank);
    assert.deepEqual(await areShaded(), [false, true]);
    await page.evaluate("document.querySelector('.table').scrollLeft = 60");
    assert.deepEqual(await areShaded(), [true, true]);
    await page.evaluate("document.querySelector('.table').scrollLeft = 1000");
    assert.deepEqual(await areShaded(), [true, false]);
    await page.close();
  });

  test('light and dark follow the system, and the choice is kept from page to page', async () => {
    const { page } = await open('', { colorScheme: 'dark' });
    const isDark = () => page.evaluate("getComputedStyle(document.body).backgroundColor === 'rgb(18, 24, 29)'");
    assert.equal(await isDark(), true);
    await page.locator('button.theme').click();
    assert.equal(await isDark(), false);
    await page.goto(`${baseUrl}/docs/errors`);
    assert.equal(await isDark(), false);
    await page.close();
  });

  test('the reference shows an operation that the search found', async () => {
    const { page, problems } = await open('errors');
    await page.keyboard.press('/');
    await page.keyboard.type('advanceSandboxClock');
    await page.locator('dialog [aria-selected=true]').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Advance your clock' }).waitFor();
    assert.deepEqual(problems, []);
    await page.close();
  });
});
