/** What all lists share: where a row leads, columns without a value, the order of a narrow screen, and where values stand there. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { changeImpactBatch } from '../../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../../src/operations/impact/pool-contributions.ts';
import { signedIn } from '../../support/actor.ts';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { closeNow, closeThrough, newSettledPartner, tools } from '../../support/settlements.ts';
import { endpointTools, newEndpoint, untilDeliveries } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, client, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const LINKS = `[...document.querySelectorAll('tbody tr.row-link')].map((row) => {
  const link = row.querySelector('td a:is(.record-link, .row-anchor)');
  return link && getComputedStyle(link).color !== getComputedStyle(row).color ? link.getAttribute('href') : null;
})`;

/** The distance of the last text of each value from the edge at which the values of the card end. */
const ENDS = `[...document.querySelectorAll('tbody tr td:not(.sentences):not([data-label=""])')].map((cell) => {
  const boxes = [...cell.querySelectorAll('*')].map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 0);
  const { left, right } = cell.getBoundingClientRect();
  const isRightToLeft = document.dir === 'rtl';
  const ends = boxes.map((box) => (isRightToLeft ? box.left - left : right - box.right));
  return Math.round(Math.min(...ends));
})`;

const CUT_NAMES = `[...document.querySelectorAll('td[data-label="Project"] *, td[data-label^="Name in"] *')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth && clientWidth > 0).map(({ textContent }) => textContent)`;

/** How high each row of a card is that has one line. */
const HEIGHTS = `[...document.querySelectorAll('tbody tr td')].filter((cell) => !cell.querySelector('.two-lines, .mantine-Badge-root'))
  .map((cell) => ({ text: cell.textContent, height: cell.offsetHeight }))`;

async function show(page: Page, path: string): Promise<void> {
  await page.goto(browser.baseUrl + path);
  await page.locator('tbody tr').first().waitFor();
  await page.waitForLoadState('networkidle');
}

describe('a list', needsBrowser, () => {
  let [partnerId, settlementId, adjustmentId] = ['', '', ''];
  before(async () => {
    const settled = await newSettledPartner(service);
    partnerId = settled.partnerId;
    settlementId = settled.open.settlementId;
    const { body } = await settled.client.confirm({ ...newConfirmation(), points: 100 });
    await closeThrough(service, settled.open);
    const operator = await signedInOperator(service, 'operator');
    const drafted = await operator.postOnce('/operator/v1/adjustments', {
      partner_id: partnerId,
      transaction_id: body.contribution.transaction_id,
      reason_code: 'other',
      points_delta: '-20',
      reason_en: 'x',
      reason_ar: 'س',
    });
    adjustmentId = drafted.body.adjustment.adjustment_id;
    await newPending();
    await client.confirm({ ...newConfirmation(), points: 120 });
    await createImpactBatch(service.database, signedIn('operator'), { name: 'Spring', quantity: 12n });
  });

  test('has in each row a link to where the row leads, which the keyboard reaches', async () => {
    const page = await browser.signedIn('viewer');
    for (const [path, leadsTo] of [
      ['/contributions', /^\/contributions\/ptn_/],
      ['/reviews', /^\/reviews\/ptn_/],
      ['/partners', /^\/partners\/ptn_/],
      ['/closings', /^\/settlements\//],
      ['/impact', /^\/impact\/batch_/],
    ] as const) {
      await show(page, path);
      const links = await page.evaluate<(string | null)[]>(LINKS);
      assert.ok(links.length > 0, path);
      for (const link of links) assert.match(String(link), leadsTo, path);
    }
    for (const [path, leadsTo] of [
      ['/settlements', `/settlements/${partnerId}/${settlementId}`],
      ['/adjustments', `/adjustments/${partnerId}/${adjustmentId}`],
    ] as const) {
      await show(page, path);
      await page.locator(`a.record-link[href="${leadsTo}"]`).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${leadsTo}`);
    }
  });

  test('opens a record in another tab where that is asked for, and none at the end of a selection of text', async () => {
    const page = await browser.signedIn('viewer');
    await show(page, `/contributions?partner=${partner.partnerId}`);
    const address = page.url();
    const cell = page.locator('tbody tr').first().locator('[data-label="Points"]');
    for (const terms of [{ modifiers: ['Control'] }, { modifiers: ['Meta'] }, { button: 'middle' }] as const) {
      const opened = page.context().waitForEvent('page');
      await cell.click({ ...terms, modifiers: [...('modifiers' in terms ? terms.modifiers : [])] });
      const tab = await opened;
      await tab.waitForURL(/\/contributions\/ptn_\w+\/txn_/);
      await tab.close();
    }
    const figure = (await cell.locator('bdi').boundingBox()) as { x: number; y: number; width: number; height: number };
    const middle = figure.y + figure.height / 2;
    await page.mouse.move(figure.x + 1, middle);
    await page.mouse.down();
    await page.mouse.move(figure.x + figure.width - 1, middle, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await page.evaluate('String(getSelection())'), '');
    assert.equal(page.url(), address);
    // A plain click takes the selection back, and leads to the record.
    await page.locator('tbody tr').first().locator('[data-label="Status"]').click();
    await page.waitForURL(/\/contributions\/ptn_\w+\/txn_/);
  });

  test('leaves out the amounts while none of its records has one, and shows them with the first', async () => {
    const page = await browser.signedIn('viewer');
    const amount = page.getByRole('columnheader', { name: 'Payable amount' });
    await show(page, `/settlements?partner=${partnerId}`);
    await page.getByRole('columnheader', { name: 'Payable points' }).waitFor();
    assert.equal(await amount.count(), 0);
    const priced = await newSettledPartner(service);
    await priced.client.confirm({ ...newConfirmation(), points: 30 });
    await closeNow(service.database, priced.partnerId, tools('0.05'));
    await show(page, `/settlements?partner=${priced.partnerId}`);
    await amount.waitFor();
    await page.getByText('1.50 SAR', { exact: true }).waitFor();
  });

  test('names the order of a narrow screen that is that of no column', async () => {
    const page = await browser.signedIn('viewer', { width: 390 });
    for (const path of ['/closings', '/']) {
      await show(page, path);
      assert.equal(await page.getByRole('combobox', { name: 'Sort by' }).inputValue(), 'Created: earliest first');
    }
  });

  for (const language of ['en', 'ar'] as const)
    test(`has every value of a narrow screen at one edge, and nothing takes no more room than a number, ${language}`, async () => {
      const drafter = await signedInOperator(service, 'operator');
      await drafter.postOnce('/operator/v1/failures', {
        partner_id: partner.partnerId,
        partner_event_id: `evt-of-a-list-${language}`,
        partner_order_ref: `order-${language}`,
        points: '450',
        reason: 'The order is held by another contribution.',
      });
      const page = await browser.signedIn('approver', { language, width: 390 });
      await show(page, '/failures');
      await page
        .getByRole('button', { name: language === 'en' ? 'Approve' : 'اعتماد' })
        .first()
        .waitFor();
      assert.deepEqual([...new Set(await page.evaluate<number[]>(ENDS))], [0]);
      await show(page, `/settlements?partner=${partnerId}`);
      const heights = await page.evaluate<{ text: string; height: number }[]>(HEIGHTS);
      assert.ok(heights.some(({ text }) => text === '–') && heights.some(({ text }) => /^\d+$/.test(text)));
      assert.equal(new Set(heights.map(({ height }) => height)).size, 1, JSON.stringify(heights));
    });

  test('shows the names of projects whole, on a wide screen and on a narrow one', async () => {
    const [{ database }, actor] = [service, signedIn('operator')];
    const nameEn = 'Mangroves of the coast between two cities';
    const names = { nameEn, nameAr: 'أشجار القرم على الساحل بين المدينتين الكبيرتين', country: 'SA' };
    const { projectId } = await createProject(database, actor, names);
    const { impactBatchId } = await createImpactBatch(database, actor, { name: 'Autumn', quantity: 12n });
    await poolSettlements(database, actor, { impactBatchId, partnerId, settlementIds: [settlementId] });
    const allocate = { changeType: 'advanced', to: 'allocated', projectId, reason: null } as const;
    await changeImpactBatch(database, actor, impactBatchId, allocate);
    for (const width of [1280, 390] as const) {
      const page = await browser.signedIn('viewer', { width });
      await show(page, '/impact');
      await page.locator('td[data-label="Name in Arabic"]').last().waitFor();
      await page.locator('td[data-label="Project"]').getByText(nameEn).first().waitFor();
      assert.deepEqual(await page.evaluate<string[]>(CUT_NAMES), [], String(width));
    }
  });

  test('has the name of an event in pieces that end after a dot', async () => {
    const { partner: owner, endpointId, client: sender } = await newEndpoint(service, endpointTools(service.database));
    await sender.confirm();
    await untilDeliveries(service.database, owner.partnerId, (all) => all.length === 1);
    const page = await browser.signedIn('viewer');
    await show(page, `/webhooks/${owner.partnerId}/${endpointId}`);
    const pieces = await page.evaluate<
      { text: string; lines: number }[]
    >(`[...document.querySelector('td .coded .id').childNodes].map((text) => {
        const range = document.createRange();
        range.selectNodeContents(text);
        return { text: text.textContent, lines: range.getClientRects().length };
      })`);
    assert.deepEqual(
      pieces,
      ['impact.', 'transaction.', 'confirmed'].map((text) => ({ text, lines: 1 })),
    );
  });
});

describe('a filter that nothing fits', needsBrowser, () => {
  for (const path of ['/closings?name=nobody-of-this-name', '/impact?status=in_progress'])
    test(`is what ${path} says, and not that there is nothing`, async () => {
      const page = await browser.signedIn('viewer');
      await page.goto(browser.baseUrl + path);
      await page.getByText('Nothing fits this filter').waitFor();
    });
});
