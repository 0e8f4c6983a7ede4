/** What a person prints, and what one sees who has chosen the colours of all programs: nothing is covered, cut or left out. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import { OWNER } from '../../support/actor.ts';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { OPEN_RATES } from '../../support/service.ts';
import { closeThrough, openFirst } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const NAME = `شركة الواحة للتجارة Oasis Trading ${'Worldwide '.repeat(15)}`.trim();
const ORDER = `order-${'7'.repeat(100)}`;

async function newSettlement(): Promise<string> {
  const named = await createPartner(service.database, OWNER, NAME, OPEN_RATES);
  const { client } = await service.newPartner({ of: named });
  const open = await openFirst(service.database, named);
  await client.confirm({ ...newConfirmation(), partner_order_ref: ORDER });
  await closeThrough(service, open);
  return `/settlements/${named.partnerId}/${open.settlementId}`;
}

/** Of A4, between its margins, in pixels: upright, without margins, and across. */
const PAPERS = [718, 794, 1045];

interface Printed {
  /** It would stand on every page, over what is printed there. */
  readonly fixed: readonly string[];
  /** A text of which the rest is read on hover, or a list by scrolling it. */
  readonly cut: readonly string[];
  readonly buttons: readonly string[];
  readonly text: string;
}

const PRINTED = `(() => {
  const seen = [...document.querySelectorAll('body *')].filter((each) => each.checkVisibility() && each.offsetWidth > 2);
  const name = (each) => each.className + ': ' + each.innerText.slice(0, 60);
  return {
    fixed: seen.filter((each) => getComputedStyle(each).position === 'fixed').map(name),
    cut: seen.filter((each) => each.matches('main *') && getComputedStyle(each).overflowX !== 'visible'
      && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 2).map(name),
    buttons: seen.filter((each) => each.matches('.mantine-Button-root, a[download], input')).map(name),
    text: document.body.innerText,
  };
})()`;

async function open(page: Page, path: string): Promise<void> {
  await page.goto(browser.baseUrl + path);
  await page.locator('h1').waitFor();
  await page.waitForLoadState('networkidle');
}

describe('on paper', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const)
    test(`a settlement has every value whole, no menu and nothing to press, and says that it is of the sandbox, ${language}`, async () => {
      const page = await browser.signedIn('approver', { language });
      await page.emulateMedia({ media: 'print' });
      await open(page, await newSettlement());
      await page.getByText(ORDER).first().waitFor();
      for (const width of PAPERS) {
        await page.setViewportSize({ width, height: 1_000 });
        const { fixed, cut, buttons, text } = await page.evaluate<Printed>(PRINTED);
        assert.deepEqual({ fixed, cut, buttons }, { fixed: [], cut: [], buttons: [] }, `${width}`);
        assert.match(text, language === 'en' ? /Sandbox/ : /البيئة التجريبية/);
      }
    });

  test('a list says that it goes on, and under which filter it was read', async () => {
    for (let number = 0; number < 51; number++) await newPending();
    const page = await browser.signedIn('viewer');
    await page.emulateMedia({ media: 'print' });
    await open(page, `/contributions?partner=${partner.partnerId}&status=pending`);
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    assert.equal(await page.getByLabel('Correlation id').isVisible(), false);
    assert.equal(await page.getByRole('combobox', { name: 'Status' }).inputValue(), 'Pending');
    assert.equal(await page.getByRole('combobox', { name: 'Partner' }).inputValue(), partner.name);
  });

  test('the dark theme is printed as the light one, and comes back', async () => {
    const page = await browser.signedIn('viewer', { scheme: 'dark' });
    await open(page, '/partners');
    const scheme = "document.documentElement.getAttribute('data-mantine-color-scheme')";
    await page.evaluate(`addEventListener('beforeprint', () => { window.printedAs = ${scheme}; })`);
    await page.pdf();
    assert.deepEqual([await page.evaluate('window.printedAs'), await page.evaluate(scheme)], ['light', 'dark']);
  });
});

describe('what is drawn without words', needsBrowser, () => {
  const GROUNDS = `[...document.querySelectorAll('.month-chart-bar > div, .mantine-Progress-section')].map((each) => {
    const { backgroundColor, printColorAdjust } = getComputedStyle(each);
    return { backgroundColor, printColorAdjust };
  })`;

  test('is seen in forced colours, and printed', async () => {
    const { transactionId } = await newPending();
    const page = await browser.signedIn('viewer');
    for (const [path, drawn] of [
      ['/', '.month-chart'],
      [`/reviews/${partner.partnerId}/${transactionId}`, '.mantine-Progress-section'],
    ] as const) {
      await open(page, path);
      await page.locator(drawn).first().waitFor();
      await page.emulateMedia({ forcedColors: 'none' });
      const usual = await page.evaluate(GROUNDS);
      await page.emulateMedia({ forcedColors: 'active' });
      assert.deepEqual(await page.evaluate(GROUNDS), usual, path);
      for (const { printColorAdjust } of usual as { printColorAdjust: string }[]) assert.equal(printColorAdjust, 'exact');
    }
  });

  test('what is chosen is seen in forced colours', async () => {
    await newPending();
    const page = await browser.signedIn('operator');
    await open(page, '/reviews');
    await page.emulateMedia({ forcedColors: 'active' });
    await page
      .getByRole('checkbox', { name: /^Choose/ })
      .first()
      .check();
    const [tick, ground] = (await page.evaluate(`(() => {
      const box = document.querySelector('tbody input:checked');
      return [getComputedStyle(box.parentElement.querySelector('svg')).color, getComputedStyle(box).backgroundColor];
    })()`)) as [string, string];
    assert.notEqual(tick, ground);
  });
});
