/** What the finance person does in the console, from the first click to what changed in the database. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { HOSTILE_LINE, openScene, type Scene } from '../support/console/console-scene.ts';
import { closeNow, newSettledPartner } from '../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const complete = () => completeReconciliations(service.database, new AbortController().signal);
const HEADER = 'partner_event_id,partner_order_ref,points\n';

/** A partner with a closed settlement of contributions of 100 points each. */
async function closedSettlement(count = 2) {
  const { partner, partnerId, client } = await newSettledPartner(service);
  const sent = Array.from({ length: count }, () => ({ ...newConfirmation(), points: 100 }));
  for (const each of sent) await client.confirm(each);
  const { settlementId } = (await closeNow(service.database, partnerId)).closed;
  return { partner, partnerId, client, settlementId, sent };
}

const fileOf = (text: string, name = 'list.csv', mimeType = 'text/csv') => ({ name, mimeType, buffer: Buffer.from(text) });

describe('reconcile a file', needsBrowser, () => {
  test('drop it, see the verdicts with both values, export one group, and draft an adjustment from a mismatch', async () => {
    const { partner, partnerId, sent } = await closedSettlement(3);
    const lines = sent.map(({ partner_event_id, partner_order_ref }, index) =>
      [partner_event_id, partner_order_ref, index === 0 ? 60 : 100].join(),
    );
    const file = `${HEADER}${lines.slice(0, 2).join('\n')}\n${uniqueId('event')},order-of-nobody,7\n`;
    const page = await browser.signedIn('operator');
    await page.getByRole('link', { name: 'Reconciliations' }).click();
    await page.getByRole('button', { name: 'Reconcile a file' }).click();
    await page.getByRole('combobox', { name: 'Partner' }).fill(partner.name);
    await page.getByRole('option', { name: partner.name }).first().click();
    await page.getByRole('combobox', { name: 'Settlement' }).click();
    await page.getByRole('option').first().click();
    const input = page.locator('input[type=file]');
    await input.setInputFiles(fileOf('PK', 'list.xlsx', 'application/octet-stream'));
    await page.getByText('Save it as CSV (UTF-8)').waitFor();
    await input.setInputFiles(fileOf('order;points\n'));
    await page.getByRole('alert').getByText('partner_event_id').first().waitFor();
    await input.setInputFiles(fileOf(file));
    await heading(page, 'Reconciliation');
    await page.getByText('The schedule of the service').waitFor();
    await complete();
    const cards = page.locator('.verdict-card');
    await cards.first().waitFor();
    assert.deepEqual(
      (await cards.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')),
      [
        ...['Other points 1', 'Not in the service 1', 'Not in the file 1', 'Other order 0', 'Twice in the file 0'],
        ...['Other settlement 0', 'Not readable 0', 'Matched 1 1 gross · 0 net'],
      ],
    );
    const row = page.getByRole('row').filter({ hasText: sent[0]?.partner_event_id as string });
    assert.match((await row.innerText()).replaceAll(/\s+/g, ' '), / 60 100 100 /);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export these lines' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'lines.csv');
    await cards.filter({ hasText: 'Not in the service' }).click();
    await page.getByText('Points must not be restored').waitFor();
    assert.match(page.url(), /verdict=missing_in_service/);
    await cards.filter({ hasText: 'Other points' }).click();
    await page.getByRole('button', { name: 'Draft an adjustment' }).click();
    const form = page.getByRole('dialog');
    assert.equal(await form.getByLabel('Change of points').inputValue(), '-40');
    await form.getByRole('row', { name: /^Settled points 100 60$/ }).waitFor();
    await form.getByLabel('Reason for the partner, in English').fill('The order had a refund line.');
    await form.getByLabel('Reason for the partner, in Arabic').fill('كان في الطلب سطر مرتجع.');
    await form.getByRole('button', { name: 'Draft an adjustment' }).click();
    await heading(page, 'Adjustment');
    const { rows } = await service.database.pool.query('select points_delta from adjustment where partner_id = $1', [partnerId]);
    assert.deepEqual(rows, [{ points_delta: -40n }]);
  });

  test('a viewer sees lists, and is offered no upload', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/reconciliations`);
    await heading(page, 'Reconciliations');
    assert.equal(await page.getByRole('button', { name: 'Reconcile a file' }).count(), 0);
    await page.goto(`${browser.baseUrl}/reconciliations/new`);
    await page.getByText('Your role does not allow this').waitFor();
    assert.equal(await page.locator('input[type=file]').count(), 0);
  });

  test('values of a file that are not what they should be are shown as text, in Arabic and on 390 pixels', async () => {
    const { partnerId, settlementId } = await closedSettlement(1);
    const page = await browser.signedIn('operator', { language: 'ar', width: 390 });
    await page.goto(`${browser.baseUrl}/reconciliations/new?partner=${partnerId}&settlement=${settlementId}`);
    const file = `${HEADER}"${HOSTILE_LINE}",${'W'.repeat(128)},1\n${uniqueId('event')},\u202eorder,9223372036854775808\n`;
    await page.locator('input[type=file]').setInputFiles(fileOf(file));
    await page.getByText('تبحث الخدمة خلال ثوانٍ').waitFor();
    await complete();
    await page.locator('.verdict-card[aria-pressed=true]').filter({ hasText: 'غير موجودة في الملف' }).waitFor();
    await page.locator('.verdict-card').filter({ hasText: 'غير مقروءة' }).click();
    await page
      .getByRole('cell')
      .filter({ hasText: 'W'.repeat(40) })
      .first()
      .waitFor();
    assert.equal(await page.locator('img[src=x], main script').count(), 0);
    const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    assert.ok(Number(excess) <= 0, `the page is ${excess} pixels wider than the screen`);
  });
});
