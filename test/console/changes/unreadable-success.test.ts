/** A success that is not the service's answer, such as the sign-in of a proxy: it says nothing of the change, which stays in doubt. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { fillFailureReport } from '../../support/console/fill-failure-report.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const SIGN_IN_OF_PROXY = '<!doctype html><title>Sign in</title><form></form>';
const ofProxy = (route: Route) => route.fulfill({ status: 200, contentType: 'text/html', body: SIGN_IN_OF_PROXY });
const ofNothing = (route: Route) => route.fulfill({ status: 200, headers: { 'content-length': '0' }, body: '' });

/** The first change at an address is answered before it reaches the service. @returns The keys of all of them. */
async function answerFirst(page: Page, url: RegExp, answer: (route: Route) => Promise<void>) {
  const keys: (string | undefined)[] = [];
  await page.route(url, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    keys.push(route.request().headers()['idempotency-key']);
    await (keys.length === 1 ? answer(route) : route.continue());
  });
  return keys;
}

async function countOf(text: string, value: string): Promise<number> {
  const { rows } = await service.database.pool.query(text, [value]);
  return rows.length;
}

async function newClosed() {
  const { partnerId, client, open } = await newSettledPartner(service);
  await client.confirm({ points: 40 });
  await closeThrough(service, open);
  return { partnerId, settlementId: open.settlementId };
}

/** An impact batch that waits for its evidence: its id. */
async function newAllocated(): Promise<string> {
  const operator = await signedInOperator(service, 'operator');
  const { partnerId, settlementId } = await newClosed();
  const post = async (path: string, body: object) => {
    const { status, text, body: answer } = await operator.postOnce(`/operator/v1/${path}`, body);
    assert.equal(status, 200, text);
    return answer;
  };
  const { impact_batch_id: id } = await post('impact-batches', { name: 'Behind a proxy', quantity: '5' });
  await post(`impact-batches/${id}/settlements`, { partner_id: partnerId, settlement_ids: [settlementId] });
  const { project_id } = await post('projects', { name_en: 'Coast', name_ar: 'الساحل', country: 'SA' });
  await post(`impact-batches/${id}/advance`, { to: 'allocated', project_id });
  return id;
}

describe('a success that the service did not send', needsBrowser, () => {
  test('leaves a file of evidence in doubt, which is recorded once by the same button', async () => {
    const id = await newAllocated();
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/impact/${id}`);
    await page.getByRole('main').getByRole('button', { name: 'Add evidence' }).click();
    const dialog = page.getByRole('dialog');
    const buffer = Buffer.from('mangroves');
    await page.locator('input[type=file]').setInputFiles({ name: 'coast.jpg', mimeType: 'image/jpeg', buffer });
    await dialog.getByLabel('Public address').fill('https://files.example.org/coast.jpg');
    await dialog.getByLabel('Captured: day').fill('2026-01-02');
    const keys = await answerFirst(page, /\/evidence\?/, ofProxy);
    const add = dialog.getByRole('button', { name: 'Add evidence' });
    await add.click();
    await dialog.getByRole('alert').getByText('the file may have been recorded').waitFor();
    assert.equal(await page.getByText('is recorded. The service did not open').count(), 0);
    await add.click();
    await page.getByText('is recorded. The service did not open').waitFor();
    assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
  });

  for (const [what, answer] of [
    ['the sign-in of a proxy', ofProxy],
    ['nothing', ofNothing],
  ] as const) {
    test(`says of a list that it may have been received, where it is ${what}`, async () => {
      const { partnerId, settlementId } = await newClosed();
      const page = await browser.signedIn('operator');
      await page.goto(`${browser.baseUrl}/reconciliations/new?partner=${partnerId}&settlement=${settlementId}`);
      await page.locator('.drop-zone').waitFor();
      await answerFirst(page, /\/reconciliations$/, answer);
      const buffer = Buffer.from('partner_event_id,partner_order_ref,points\nevent-00012345,order-12345,250\n');
      await page.locator('input[type=file]').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('alert').getByText('so the change may have been made').waitFor();
      assert.equal(await page.locator('.mantine-Notification-root').count(), 0);
    });

    test(`leaves a failure in doubt, which is drafted once by the same button, where it is ${what}`, async () => {
      const page = await browser.signedIn('operator');
      const event = await fillFailureReport(page, { browser, partner });
      const keys = await answerFirst(page, /\/operator\/v1\/failures$/, answer);
      const dialog = page.getByRole('dialog');
      const send = dialog.locator('button[type=submit]');
      await send.click();
      await dialog.getByRole('alert').getByText('the failure may have been drafted').waitFor();
      await send.click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
      assert.equal(await countOf('select from failure_draft where partner_event_id = $1', event), 1);
    });
  }
});
