/** Where things stand: nothing that comes next is covered, and a narrow screen begins with what it is about. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { createImpactBatch } from '../../src/operations/impact/pool-contributions.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation } from '../support/client.ts';
import { QUIET_ZONE } from '../support/clock/quiet-zone.ts';
import { heightOf, needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { untilStill } from '../support/console/until-still.ts';
import { insertPrice } from '../support/rules.ts';
import { OPEN_RATES } from '../support/service.ts';
import { getOpen } from '../support/settlements.ts';
import { endpointTools, newEndpoint } from '../support/webhooks/webhook-service.ts';

const priced: Partner[] = [];
const scene = needsBrowser.skip
  ? undefined
  : await openScene(async (database) => {
      const owner = await createPartner(database, OWNER, 'Nakheel Stores', {
        ...OPEN_RATES,
        currency: 'SAR',
        timeZone: QUIET_ZONE,
      });
      const price = { partnerId: owner.partnerId, label: 'value', starts: '-1 day', price: '0.05' };
      await insertPrice(database, 'point_conversion', price);
      priced.push(owner);
    });
const { service, browser, partner, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

const isApart = (one: Box, other: Box) =>
  one.x + one.width <= other.x ||
  other.x + other.width <= one.x ||
  one.y + one.height <= other.y ||
  other.y + other.height <= one.y;

const topOf = async (element: Locator) => Math.round(((await element.boundingBox()) as Box).y);

/** What a person may want next, of the page and of the menu, where it can be seen; the headings of a list are hidden on a narrow screen. */
async function boxesOf(page: Page): Promise<Box[]> {
  const wanted = ':is(main, header, .mantine-AppShell-navbar) :is(a, button, input, tbody tr):not(thead *, .toasts *)';
  const boxes = await Promise.all((await page.locator(wanted).all()).map((each) => each.boundingBox()));
  return boxes.flatMap((box) => (box && box.width > 0 ? [box] : []));
}

describe('what was done', needsBrowser, async () => {
  for (const language of ['en', 'ar'] as const)
    for (const width of [1280, 390] as const)
      test(`covers no entry of the menu, no row and no button, ${language}, ${width}`, async () => {
        const { partner: owner, endpointId } = await newEndpoint(service, endpointTools(service.database));
        const page = await browser.signedIn('operator', { language, width });
        await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
        const send = page.getByRole('button', { name: language === 'en' ? 'Send a test' : 'إرسال اختبار' });
        await send.click();
        const toast = page.locator('.mantine-Notification-root');
        await toast.waitFor();
        await untilStill(page);
        const box = (await toast.boundingBox()) as Box;
        const boxes = await boxesOf(page);
        assert.ok(boxes.length > 10);
        const covered = boxes.filter((each) => !isApart(box, each));
        assert.deepEqual(covered, [], JSON.stringify(box));
        assert.ok(box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= heightOf(width));
        if (width === 390) return;
        const entries = await Promise.all((await page.locator('.nav-link').all()).map((entry) => entry.boundingBox()));
        assert.ok(
          entries.every((entry) => entry && entry.y + entry.height <= box.y),
          'the menu is shown whole above it',
        );
      });

  test('stands below the bar of a narrow screen, and what was in sight moves down with it', async () => {
    const { partner: owner, endpointId } = await newEndpoint(service, endpointTools(service.database));
    const page = await browser.signedIn('operator', { width: 390 });
    await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
    const send = page.getByRole('button', { name: 'Send a test' });
    await send.waitFor();
    await page.waitForLoadState('networkidle');
    await page.mouse.wheel(0, (await topOf(send)) - 60);
    await waitFor('the button just below the bar', async () => (await topOf(send)) === 60);
    await send.click();
    const toast = page.locator('.mantine-Notification-root');
    await toast.waitFor();
    await waitFor('the button below the message', async () => {
      const [box, button] = (await Promise.all([toast.boundingBox(), send.boundingBox()])) as [Box, Box];
      return box.height > 20 && button.y >= box.y + box.height;
    });
    await toast.getByRole('button').click();
    await waitFor('the button where it was', async () => (await topOf(send)) === 60);
  });
});

describe('a list that is searched', needsBrowser, () => {
  test('a click selects what stands in its field, so that typing replaces it', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/audit?partner=${partner.partnerId}`);
    const field = page.getByRole('combobox', { name: 'Partner' });
    await waitFor('name of the partner', async () => (await field.inputValue()) !== '');
    const name = await field.inputValue();
    await field.click();
    await page.keyboard.type('Sou');
    assert.equal(await field.inputValue(), 'Sou');
    assert.notEqual(name, 'Sou');
  });
});

describe('a narrow screen', needsBrowser, () => {
  test('shows the reviews first, and the filters behind a button that counts them', async () => {
    const { order } = await newPending();
    const page = await browser.signedIn('viewer', { width: 390 });
    await page.goto(`${browser.baseUrl}/reviews`);
    await page.getByText(order).waitFor();
    const partner = page.getByRole('combobox', { name: 'Partner' });
    assert.equal(await partner.isVisible(), false);
    await page.getByRole('button', { name: 'Filters' }).click();
    await partner.waitFor();
    await page.goto(`${browser.baseUrl}/reviews?age=24&reason=daily_count_cap`);
    await page.getByRole('button', { name: 'Filters (2)', expanded: false }).waitFor();
    // What is chosen stays in sight.
    await page.getByRole('combobox', { name: 'Why it is reviewed' }).waitFor();
    assert.equal(await partner.isVisible(), false);
    await page.setViewportSize({ width: 1280, height: 800 });
    await partner.waitFor();
    assert.equal(await page.getByRole('button', { name: /^Filters/ }).isVisible(), false);
  });

  test('has the search of contributions in sight, and their filters behind a button', async () => {
    const { order } = await newPending();
    const page = await browser.signedIn('viewer', { width: 390 });
    await page.goto(`${browser.baseUrl}/contributions`);
    await page.getByText('The latest of all partners, 50 at most.').waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Partner' }).isVisible(), false);
    await page.getByLabel('Order, event id, contribution id or key').fill(order);
    await page.getByText('Of all partners, what begins so').waitFor();
    await page.getByRole('row').filter({ hasText: order }).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Partner' }).waitFor();
  });

  for (const language of ['en', 'ar'] as const)
    test(`has the steps of a batch below each other, ${language}`, async () => {
      const { impactBatchId } = await createImpactBatch(service.database, OWNER, { name: 'Spring', quantity: 12n });
      const page = await browser.signedIn('viewer', { language, width: 390 });
      await page.goto(`${browser.baseUrl}/impact/${impactBatchId}`);
      const steps = page.locator('.planting .mantine-Stepper-step');
      await steps.first().waitFor();
      const boxes = (await Promise.all((await steps.all()).map((step) => step.boundingBox()))) as Box[];
      assert.equal(boxes.length, 6);
      for (const [index, box] of boxes.entries()) {
        const before = boxes[index - 1];
        assert.ok(box.height < 60);
        if (before) assert.ok(box.y >= before.y + before.height, `step ${index + 1} is beside the one before`);
      }
    });
});

test('a chosen value of a filter can be read whole, in both languages', needsBrowser, async () => {
  for (const language of ['en', 'ar'] as const) {
    const page = await browser.signedIn('viewer', { language });
    for (const search of [`reason=reviews_everything&age=48&partner=${partner.partnerId}`, 'reason=daily_count_cap']) {
      await page.goto(`${browser.baseUrl}/reviews?${search}`);
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      const cut = await page
        .getByRole('combobox')
        .evaluateAll((fields) =>
          (fields as unknown as { value: string; scrollWidth: number; clientWidth: number }[])
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
            .map(({ value }) => value),
        );
      assert.deepEqual(cut, [], language);
    }
  }
});

/** The upper edges of the lines on which the period of a title stands. */
const LINES_OF_PERIOD = `(() => {
  const texts = document.createTreeWalker(document.querySelector('h1'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data } = texts.currentNode;
    const from = data.search(/20\\d\\d-\\d\\d/);
    if (from === -1) continue;
    const range = document.createRange();
    range.setStart(texts.currentNode, from);
    range.setEnd(texts.currentNode, from + 7);
    return [...new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))];
  }
})()`;

test('the period in the title of a settlement stays in one line, at any width', needsBrowser, async () => {
  const open = await getOpen(service.database, partner.partnerId);
  const page = await browser.signedIn('viewer', { width: 390 });
  await page.goto(`${browser.baseUrl}/settlements/${partner.partnerId}/${open.settlementId}`);
  await page.getByRole('heading', { level: 1, name: /20\d\d-\d\d/ }).waitFor();
  for (let width = 300; width <= 480; width += 6) {
    await page.setViewportSize({ width, height: 844 });
    const lines = (await page.evaluate(LINES_OF_PERIOD)) as readonly number[];
    assert.equal(lines.length, 1, `${width} pixels`);
  }
});

test('a time is typed by a clock of 24 hours, whatever the language of the browser', needsBrowser, async () => {
  const page = await browser.signedIn('admin');
  await page.goto(`${browser.baseUrl}/rules/new`);
  const clock = page.getByLabel('Starts: time, 24 hours');
  await clock.waitFor();
  assert.equal(await page.locator('input[type=datetime-local], input[type=time]').count(), 0);
  for (const [typed, isValid] of [
    ['23:59', true],
    ['00:00', true],
    ['24:00', false],
    ['9:30', false],
    ['11pm', false],
  ] as const) {
    await clock.fill(typed);
    assert.equal(
      await clock.evaluate((input) => (input as unknown as { validity: { patternMismatch: boolean } }).validity.patternMismatch),
      !isValid && typed.length > 0,
      typed,
    );
  }
});

test('a time that is refused says why at its two fields', needsBrowser, async () => {
  const page = await browser.signedIn('admin');
  await page.goto(`${browser.baseUrl}/rules/new`);
  await page.getByLabel('Version').fill('late');
  const fields = [page.getByLabel('Starts: day'), page.getByLabel('Starts: time, 24 hours')] as const;
  await fields[0].fill('2020-01-01');
  await fields[1].fill('00:00');
  await page.getByRole('button', { name: 'New version', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'New version' }).click();
  await page.locator('[aria-invalid=true]').nth(1).waitFor();
  for (const field of fields) assert.match(await descriptionOf(field), /rules never start in the past/);
});

interface Field {
  getAttribute(name: string): string;
  readonly ownerDocument: { getElementById(id: string): { readonly textContent: string } };
}

/** What a screen reader says of the field after its name. */
function descriptionOf(locator: Locator): Promise<string> {
  return locator.evaluate((element) => {
    const field = element as unknown as Field;
    const ids = field.getAttribute('aria-describedby').split(' ');
    return ids.map((id) => field.ownerDocument.getElementById(id).textContent).join(' ');
  });
}

describe('what belongs together', needsBrowser, () => {
  test('stands on one line: labels of fields, fields, and the signs of the bar of a narrow screen', async () => {
    const page = await browser.signedIn('admin');
    const rows = { '/rules/new': ['Version', 'Starts: day'], '/partners/new': ['Name', 'Currency', 'Time zone'] };
    for (const [path, labels] of Object.entries(rows)) {
      await page.goto(browser.baseUrl + path);
      const fields = labels.map((label) => page.getByLabel(label).first());
      const titles = labels.map((label) =>
        page.locator('.mantine-InputWrapper-label', { hasText: label.split(':')[0] as string }),
      );
      for (const each of [fields, titles.map((title) => title.first())])
        assert.equal(new Set(await Promise.all(each.map(topOf))).size, 1, path);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    const signs = ['Open the menu', 'Search'].map((name) => page.locator('header').getByRole('button', { name }));
    const [menu, search] = (await Promise.all(
      [signs[0]?.locator('.mantine-Burger-burger'), signs[1]?.locator('svg')].map((sign) => sign?.boundingBox()),
    )) as Box[];
    const sandbox = page.locator('header').getByText('Sandbox', { exact: true });
    const size = await sandbox.evaluate(
      (word) =>
        (globalThis as unknown as { getComputedStyle(of: unknown): { fontSize: string } }).getComputedStyle(word).fontSize,
    );
    assert.ok(Number.parseFloat(size) >= 11, size);
    assert.ok(menu && search && Math.abs(menu.y + menu.height / 2 - search.y - search.height / 2) <= 1.5);
  });

  test('fills the overview of a narrow screen: two numbers in a row, and days below the bars', async () => {
    const page = await browser.signedIn('viewer', { width: 390 });
    await page.goto(`${browser.baseUrl}/?month=2026-03`);
    const cards = page.locator('.number-card');
    await page.locator('.month-chart-day').first().waitFor();
    assert.equal(await topOf(cards.nth(0)), await topOf(cards.nth(1)));
    const numbers = await page.locator('.number-card > .tile-number').all();
    assert.equal(numbers.length, await cards.count());
    for (const [number, each] of numbers.entries())
      assert.equal(await topOf(each), (await topOf(cards.nth(number))) + 13, 'beside each other whatever their labels take');
    const days = await page.locator('.month-chart-day:visible').allInnerTexts();
    assert.deepEqual(days, ['1', '10', '20', '30']);
  });

  test('shows when a period ends only in a month that is not over', async () => {
    const page = await browser.signedIn('viewer');
    const ends = page.getByRole('columnheader', { name: 'Period ends' });
    await page.goto(`${browser.baseUrl}/`);
    await ends.waitFor();
    await page.goto(`${browser.baseUrl}/?month=2026-03`);
    await page.getByRole('columnheader', { name: 'Confirmed points' }).waitFor();
    assert.equal(await ends.count(), 0);
  });

  test('shows an id below a title whole where it has room', async () => {
    const { transactionId } = await newPending();
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/contributions/${partner.partnerId}/${transactionId}`);
    const id = page.locator('main .id-button').first().getByText(transactionId);
    await id.waitFor();
    const { scrollWidth, clientWidth } = await id.evaluate((text) => {
      const { scrollWidth, clientWidth } = text as unknown as { scrollWidth: number; clientWidth: number };
      return { scrollWidth, clientWidth };
    });
    assert.equal(scrollWidth, clientWidth);
  });
});

describe('time', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const)
    test(`runs the way of the language, with its ends named, ${language}`, async () => {
      const { partner: owner, endpointId } = await newEndpoint(service, endpointTools(service.database));
      const page = await browser.signedIn('viewer', { language });
      const [first, last] = language === 'en' ? ['24 h ago', 'now'] : ['قبل 24 ساعة', 'الآن'];
      const isInOrder = async (one: Locator, other: Locator) => {
        const [start, end] = (await Promise.all([one, other].map((each) => each.boundingBox()))) as [Box, Box];
        assert.equal(start.x < end.x, language === 'en');
      };
      await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
      const hours = page.locator('.hours-chart-hour');
      await hours.first().waitFor();
      await isInOrder(hours.first(), hours.last());
      await isInOrder(page.getByText(first, { exact: true }), page.getByText(last, { exact: true }));
      await page.goto(browser.baseUrl);
      const days = page.locator('.month-chart-day');
      await days.first().waitFor();
      await isInOrder(days.first(), days.last());
    });
});

test('an address without a page says so, and leads to the overview and to the search', needsBrowser, async () => {
  const page = await browser.signedIn('viewer');
  await page.goto(`${browser.baseUrl}/nothing-here`);
  await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
  const main = page.getByRole('main');
  await main.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('textbox', { name: 'Search' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await main.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

/** Texts that a frame cuts, without those that end with dots or scroll by themselves. */
const CUT_TEXTS = `[...document.querySelectorAll('main .figure, header *')].flatMap((element) => {
  const frame = element.closest('.records-frame, header')?.getBoundingClientRect();
  if (!frame) return [];
  const { left, right, top, bottom, width } = element.getBoundingClientRect();
  const isCut = width > 0 && (left < frame.left - 1 || right > frame.right + 1 || top < frame.top - 1 || bottom > frame.bottom + 1);
  return isCut ? [element.textContent] : [];
})`;

describe('a screen of 320 pixels, such as one of 1280 at 400 %', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const)
    test(`the bar has one line, and a list shows its figures whole, ${language}`, async () => {
      const [owner] = priced as [Partner];
      const { client } = await service.newPartner({ of: owner });
      const { period } = await getOpen(service.database, owner.partnerId);
      await client.confirm({ ...newConfirmation(), points: 22_499 });
      const page = await browser.signedIn('viewer', { language, width: 390 });
      await page.setViewportSize({ width: 320, height: 640 });
      await page.goto(`${browser.baseUrl}/?month=${period.label}`);
      // The figures follow the events, in a moment.
      const amount = page.locator('.records td').getByText(/\d SAR/);
      await waitFor('the amount of the month', async () => {
        await page.reload();
        await page.locator('.records td').first().waitFor();
        return (await amount.count()) > 0;
      });
      assert.deepEqual(await page.evaluate(CUT_TEXTS), []);
      const bar = page.getByRole('banner');
      const tops = await Promise.all(
        (await bar.getByRole('button').all()).map(async (each) => ((await each.boundingBox()) as Box).y),
      );
      assert.ok(tops.length === 2 && tops.every((top) => top < 27), `the buttons of the bar: ${tops}`);
      await page.setViewportSize({ width: 390, height: heightOf(390) });
    });
});
