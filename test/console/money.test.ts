/** What the finance person does in the console, from the first click to what changed in the database. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { formatWhole } from '../../console/src/format/points.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { completeReconciliations } from '../../src/operations/reconciliations/complete-reconciliations.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { heightOf, needsBrowser } from '../support/console/browser.ts';
import { choose } from '../support/console/choose.ts';
import { HOSTILE_LINE, openScene, type Scene } from '../support/console/console-scene.ts';
import { copyBy } from '../support/console/copy-by.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { OPEN_RATES } from '../support/service.ts';
import { closeThrough, openFirst } from '../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const complete = () => completeReconciliations(service.database, new AbortController().signal);
const HEADER = 'partner_event_id,partner_order_ref,points\n';

/** A partner with a closed settlement of contributions of 100 points each. */
async function closedSettlement(count = 2) {
  const partner = await createPartner(service.database, OWNER, uniqueId('Shop'), OPEN_RATES);
  const { client } = await service.newPartner({ of: partner });
  const { partnerId } = partner;
  const { settlementId } = await openFirst(service.database, partner);
  const sent = Array.from({ length: count }, () => ({ ...newConfirmation(), points: 100 }));
  for (const each of sent) await client.confirm(each);
  await closeThrough(service, { partnerId, settlementId });
  return { partner, partnerId, client, settlementId, sent };
}

const fileOf = (text: string, name = 'list.csv', mimeType = 'text/csv') => ({ name, mimeType, buffer: Buffer.from(text) });

/** As a person does with the hand. */
async function drop(page: Page, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const carried = new DataTransfer();
    carried.items.add(new File([${JSON.stringify(text)}], 'list.csv', { type: 'text/csv' }));
    return carried;
  })()`);
  for (const event of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent('.drop-zone', event, { dataTransfer });
}

describe('reconcile a file', needsBrowser, () => {
  test('drop it, see the verdicts with both values, export one group, and draft an adjustment from a mismatch', async () => {
    const { partner, partnerId, sent } = await closedSettlement(3);
    const lines = sent.map(({ partner_event_id, partner_order_ref }, index) =>
      [partner_event_id, partner_order_ref, index === 0 ? 60 : 100].join(),
    );
    const file = `${HEADER}${lines.slice(0, 2).join('\n')}\n${uniqueId('event')},order-of-nobody,7\n`;
    const page = await browser.signedIn('operator');
    await page.goto(browser.baseUrl);
    await page.getByRole('link', { name: 'Reconciliations' }).click();
    await page.getByRole('button', { name: 'Reconcile a file' }).click();
    await choose(page, { field: 'Partner', option: partner.name, typed: partner.name });
    await choose(page, { field: 'Settlement', option: /./ });
    const input = page.locator('input[type=file]');
    await input.setInputFiles(fileOf('PK', 'list.xlsx', 'application/octet-stream'));
    await page.getByText('Save it as CSV (UTF-8)').waitFor();
    await input.setInputFiles(fileOf('order;points\n'));
    await page.getByRole('alert').getByText('partner_event_id').first().waitFor();
    await drop(page, file);
    await heading(page, 'Reconciliation');
    await page.getByText('The schedule of the service').waitFor();
    await complete();
    const cards = page.locator('.verdict-card');
    await cards.first().waitFor();
    assert.deepEqual(
      (await cards.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')),
      [
        'Different points 1 Points: 60 in the file · 100 in the settlement Shown below',
        'Not confirmed 1 Points: 7 in the file Show lines',
        'Not in the file 1 Points: 100 in the settlement Show lines',
        ...[
          'Different order 0',
          'More than once in the file 0',
          'In another settlement, or none yet 0',
          'Not readable 0',
          'Matched 1 Show lines',
        ],
      ],
    );
    await page.getByText('On the lines that differ: 133 points fewer in the file than in the settlement.').waitFor();
    await page.getByText('Compared: 3 differences').waitFor();
    await page.getByText('3 below the heading row (line 1)').waitFor();
    const row = page.getByRole('row').filter({ hasText: sent[0]?.partner_event_id as string });
    assert.match((await row.innerText()).replaceAll(/\s+/g, ' '), / 60 100 100 /);
    const today = () => new Date().toISOString().slice(0, 10);
    const before = today();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export these lines' }).click(),
    ]);
    const day = download.suggestedFilename().includes(before) ? before : today();
    assert.match(
      download.suggestedFilename(),
      new RegExp(`^reconciliation-lines-Shop.+-\\d{4}-\\d\\d(-\\d+)?-points_mismatch-${day}\\.csv$`),
    );
    await cards.filter({ hasText: 'Not confirmed' }).click();
    await page.getByText('Points must not be restored').waitFor();
    assert.match(page.url(), /verdict=missing_in_service/);
    await cards.filter({ hasText: 'Different points' }).click();
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
    await page.goBack();
    await row.getByRole('link', { name: '-40 points' }).waitFor();
    await row.locator('[data-label="Adjustment"]').getByText('Waits for approval').waitFor();
    assert.equal(await row.getByRole('button', { name: 'Draft an adjustment' }).count(), 0);
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
    await page
      .locator('.verdict-card')
      .filter({ hasText: /^غير مقروءة/ })
      .click();
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

describe('a dispute', needsBrowser, () => {
  test('a page of open adjustments that cannot be read is asked for once, and the lines offer a draft meanwhile', async () => {
    const { partnerId, settlementId } = await closedSettlement(1);
    const page = await browser.signedIn('operator');
    let refused = 0;
    await page.route('**/operator/v1/adjustments?**', async (route) => {
      if (!route.request().url().includes('status=draft')) return route.fallback();
      if (route.request().url().includes('after=')) {
        refused += 1;
        return route.fulfill({ status: 400, json: { error: { code: 'invalid_request', message: 'No such place.' } } });
      }
      const response = await route.fetch();
      return route.fulfill({ response, json: { ...(await response.json()), has_more: true, next_after: 'x' } });
    });
    await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${settlementId}`);
    await page.getByRole('button', { name: 'Draft an adjustment' }).waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(refused, 1);
  });

  test('from the overview: the note, the list, the line, the adjustment with the money as one types, and the answer', async () => {
    const { partnerId, client, settlementId, sent } = await closedSettlement(2);
    const [wrong] = sent as [(typeof sent)[number]];
    const note = 'Order 1 was reported twice.';
    await client.post(`/v1/settlements/${settlementId}/acknowledgement`, { status: 'disputed', reference: 'case-7', note });
    const page = await browser.signedIn('operator');
    await page.goto(browser.baseUrl);
    await page.getByRole('link', { name: /Disputed settlements/ }).click();
    await page.getByRole('row').filter({ hasText: 'Disputed' }).first().click();
    await page.getByText('The partner disputes this settlement').waitFor();
    await page.getByText(`The partner writes: “\u2068${note}\u2069”`).waitFor();
    await page.getByText('case-7').waitFor();
    await page
      .getByRole('heading', { level: 1 })
      .filter({ hasText: /^\u2068Shop.+\u2069 – settlement \u2066\d{4}-\d\d/ })
      .waitFor();
    const isInSight = (id: string) =>
      waitFor(`${id} in sight`, async () => {
        const place = await page.locator(`#${id}`).boundingBox();
        return place !== null && place.y >= 0 && place.y < heightOf(1280);
      });
    await page.getByRole('link', { name: 'Answer the partner' }).click();
    await isInSight('reply');
    // Beside the way to the answer, and above the lists that were reconciled: the same name for the same act.
    assert.equal(await page.getByRole('button', { name: 'Reconcile a file' }).count(), 2);
    assert.equal(await page.getByRole('alert').getByRole('button', { name: 'Reconcile a file' }).count(), 1);
    await page.getByLabel('Find the lines of an order').fill(wrong.partner_order_ref);
    const line = page.getByRole('table', { name: 'Lines' }).locator('tbody tr');
    await line.nth(1).waitFor({ state: 'detached' });
    await line.getByRole('button', { name: 'Draft an adjustment' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Change of points').fill('-101');
    await form.getByText('Change of points must leave 0 to 100 points settled').waitFor();
    await form.getByLabel('Change of points').fill('-100');
    await form.getByRole('row', { name: /^Settled points 100 0$/ }).waitFor();
    await form.getByLabel('Reason for the partner, in English').fill('Reported twice.');
    await form.getByLabel('Reason for the partner, in Arabic').fill('أُبلغ عنه مرتين.');
    await form.getByRole('button', { name: 'Draft an adjustment' }).click();
    await heading(page, 'Adjustment');
    await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${settlementId}`);
    await page.getByText('The text leaves out 1 adjustment not yet posted.').waitFor();
    const drafted = page.getByRole('table', { name: 'Lines' }).getByRole('row').filter({ hasText: wrong.partner_order_ref });
    await drafted.getByRole('link', { name: '-100 points' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Draft an adjustment' }).count(), 1);
    const answer = page.getByRole('textbox', { name: 'Answer to the partner' });
    assert.match(await answer.inputValue(), /No correction has been posted since your dispute\./);
    await post(partnerId);
    await page.reload();
    await waitFor('the correction in the text', async () => (await answer.inputValue()).includes('100 points taken away'));
    await drafted.getByRole('button', { name: 'Draft an adjustment' }).waitFor();
    const text = await answer.inputValue();
    for (const part of [note, wrong.partner_order_ref, 'Reported twice.', settlementId]) assert.ok(text.includes(part), part);
    await answer.fill(`${text}\n\nAmal`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await copyBy(page, 'Copy the text');
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${text}\n\nAmal`);
    await page.getByText('In Arabic').click();
    assert.equal(await page.getByRole('button', { name: 'Copied.' }).count(), 0, 'the text in Arabic was not copied');
    assert.match(await answer.inputValue(), /خصم 100 نقطة\. أُبلغ عنه مرتين\./);
    await page.getByText('In English').click();
    assert.equal(await answer.inputValue(), `${text}\n\nAmal`);
    const record = page.getByRole('button', { name: 'I have sent it' });
    await answer.fill('x'.repeat(5_002));
    await page.getByText('2 characters too many to be recorded.').waitFor();
    assert.equal(await record.isDisabled(), true);
    // As it comes out of a spreadsheet and a mail.
    await answer.fill(`${text}\n\n\u200fAmal\t\u200b1`);
    await page.getByText(`${formatWhole(String(text.length + 8))} of the 5,000 characters that can be recorded`).waitFor();
    await record.click();
    await page.getByRole('dialog').getByText('The dispute stays open until the partner accepts.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'I have sent it' }).click();
    await page.getByText('The answer is recorded with the settlement.').waitFor();
    await page.getByRole('heading', { name: 'The dispute is answered. Next, the partner accepts.' }).waitFor();
    await page.getByText('Show what was sent').click();
    await page.getByText('Reported twice.\n').last().waitFor();
    const [entry] = (await service.database.pool.query("select after_json from audit_entry where action = 'dispute.reply'")).rows;
    assert.equal(JSON.parse(entry.after_json).text, `${text}\n\nAmal 1`);
    await client.post(`/v1/settlements/${settlementId}/acknowledgement`, { status: 'accepted' });
    await page.reload();
    await page.getByText('The partner disputed it first').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Answer to the partner' }).count(), 0);
  });

  /** By two others, through the operations that the interface calls. */
  async function post(partnerId: string): Promise<void> {
    const { rows } = await service.database.pool.query('select adjustment_id from adjustment where partner_id = $1', [partnerId]);
    const path = `/operator/v1/partners/${partnerId}/adjustments/${rows[0].adjustment_id}`;
    const approver = await signedInOperator(service, 'approver');
    for (const step of ['approve', 'post']) {
      const { status, text } = await approver.postOnce(`${path}/${step}`, undefined);
      assert.equal(status, 200, text);
    }
  }
});

describe('close a month', needsBrowser, () => {
  test('from the list of all partners: what is left, the verification, the totals, the close, and the statement', async () => {
    const { partner, partnerId, client } = await closedSettlement(2);
    const { body } = await client.confirm({ ...newConfirmation(), points: 70 });
    const operator = await signedInOperator(service, 'operator');
    const drafted = await operator.postOnce('/operator/v1/adjustments', {
      partner_id: partnerId,
      transaction_id: body.contribution.transaction_id,
      reason_code: 'other',
      points_delta: '-20',
      reason_en: 'x',
      reason_ar: 'س',
    });
    assert.equal(drafted.status, 200, drafted.text);
    const page = await browser.signedIn('approver');
    await page.goto(browser.baseUrl);
    await page.getByRole('link', { name: 'Close of the month' }).click();
    await heading(page, 'Close of the month');
    const row = page.getByRole('row').filter({ hasText: partner.name });
    assert.equal(await row.locator('[data-label="Adjustments to approve"]').innerText(), '1');
    assert.equal(await row.locator('[data-label="Pending contributions"]').innerText(), '0');
    await row.locator('[data-label="Period"]').click();
    await page.getByText('An adjustment that is not posted before the end belongs to a later settlement.').waitFor();
    await page.getByText('Never verified so far.').waitFor();
    // As many as there are triangles: an adjustment to approve, and the verification.
    await page.getByRole('link', { name: '2 warnings' }).click();
    assert.match(page.url(), /#checklist$/);
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page
      .getByText(/^Nothing is modified: 2 settlements, 2 lines\. The open settlement .+ its contributions were/)
      .waitFor();
    await page.getByRole('row', { name: /^Net points 200 70$/ }).waitFor();
    const lead = page.locator('dl').first();
    assert.match((await lead.innerText()).replaceAll(/\s+/g, ' '), /^Payable points 70 Status Open$/);
    await page.getByRole('button', { name: 'Close now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Adjustments to approve: 1').waitFor();
    await dialog.getByRole('button', { name: 'Close now' }).click();
    const statement = page.getByRole('link', { name: 'Download the statement' });
    await statement.waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), statement.click()]);
    assert.match(download.suggestedFilename(), /^statement-.+\.csv$/);
    const { rows } = await service.database.pool.query(
      "select net_points::text as points from settlement where partner_id = $1 and status = 'closed' order by sequence",
      [partnerId],
    );
    assert.deepEqual(rows, [{ points: '200' }, { points: '70' }]);
  });

  test('a viewer may verify, and is offered no close', async () => {
    const { partnerId } = await closedSettlement(1);
    const { rows } = await service.database.pool.query(
      "select settlement_id from settlement where partner_id = $1 and status = 'open'",
      [partnerId],
    );
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${rows[0].settlement_id}`);
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText(/^Nothing is modified/).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Close now' }).count(), 0);
  });
});
