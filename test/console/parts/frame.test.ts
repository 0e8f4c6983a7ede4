/** What stands around every page: where it belongs, who is signed in, and in which language. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { shortId } from '../../../console/src/format/short-id.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { copyBy } from '../../support/console/copy-by.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { endpointTools, newEndpoint, untilDeliveries } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

describe('the way up', needsBrowser, () => {
  test('leads from a delivery to its endpoint and to the list of the menu, which has no way up itself', async () => {
    const { client, partner: owner, endpointId, receiver } = await newEndpoint(service, endpointTools(service.database));
    await client.confirm();
    const [delivery] = await untilDeliveries(service.database, owner.partnerId, (all) => all.length === 1);
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/deliveries/${delivery?.deliveryId}`);
    const trail = page.getByRole('navigation', { name: 'Where this page belongs' });
    await trail.getByRole('link', { name: receiver.url }).click();
    await page.waitForURL(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
    await page.getByRole('heading', { level: 1, name: receiver.url }).waitFor();
    await trail.getByRole('link', { name: 'Webhooks' }).click();
    await page.waitForURL(`${browser.baseUrl}/webhooks`);
    await trail.waitFor({ state: 'detached' });
  });
});

describe('the time of the reader', needsBrowser, () => {
  for (const [language, own, help] of [
    ['en', 'Riyadh time', 'Times that name no city are in your zone, Asia/Riyadh.'],
    ['ar', 'توقيت الرياض', 'الأوقات التي لا تُذكر معها مدينة هي بتوقيتك، Asia/Riyadh.'],
  ] as const)
    test(`is named in the menu, whole, and says which times are in it, ${language}`, async () => {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(browser.baseUrl);
      const zone = page.locator('.mantine-AppShell-navbar [data-hint]').filter({ hasText: language === 'en' ? 'time' : 'توقيت' });
      const said = (text: string | null) => text?.replaceAll(/[\u2066-\u2069]/g, '');
      assert.equal(said(await zone.innerText()), own);
      assert.equal(said(await zone.getAttribute('data-hint')), help);
      assert.ok(await zone.evaluate((shown) => shown.scrollWidth <= shown.clientWidth));
    });
});

describe('a decision on a review', needsBrowser, () => {
  test('is said above it with what follows, to who may decide', async () => {
    const { transactionId } = await newPending();
    for (const [role, count] of [
      ['operator', 1],
      ['viewer', 0],
    ] as const) {
      const page = await browser.signedIn(role);
      await page.goto(`${browser.baseUrl}/reviews/${partner.partnerId}/${transactionId}`);
      await page.getByText('200 points or more').waitFor();
      assert.equal(await page.getByText('the points count in the settlement and cannot be refunded').count(), count, role);
    }
  });
});

describe('the audit', needsBrowser, () => {
  test('names the kind of what an entry is about, with the way to it, and a partner by its name', async () => {
    const { partner: owner, endpointId, receiver } = await newEndpoint(service, endpointTools(service.database));
    const operator = await signedInOperator(service, 'operator');
    const path = `/operator/v1/partners/${owner.partnerId}/endpoints/${endpointId}`;
    assert.equal((await operator.post(`${path}/disable`, { reason: 'It moves.' })).status, 200);
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/audit?partner=${owner.partnerId}`);
    await page.getByRole('row', { name: /Partner created .* Partner / }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'endpoint.disable' });
    await row.getByText(/^Endpointwep_…/).waitFor();
    const from = page.getByLabel('From', { exact: true });
    await from.focus();
    for (const digit of '03152026') await page.keyboard.press(digit);
    assert.equal(await from.inputValue(), '2026-03-15');
    await page.waitForURL(/from=2026-03-15/);
    await row.getByText(/^Endpointwep_…/).waitFor();
    // Two digits of the year in the wrong order.
    await from.press('ArrowLeft');
    await from.press('ArrowLeft');
    for (const digit of '03152206') await page.keyboard.press(digit);
    assert.equal(await from.inputValue(), '2206-03-15');
    await page.getByText('The list is not filtered by this day.').waitFor();
    await page.waitForURL((url) => !url.searchParams.has('from'));
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('The list is not filtered by this day.').waitFor({ state: 'detached' });
    assert.equal(await from.inputValue(), '');
    await page.goto(`${browser.baseUrl}/audit?partner=${owner.partnerId}`);
    await row.getByRole('link', { name: shortId(endpointId) }).click();
    await page.getByRole('heading', { level: 1, name: receiver.url }).waitFor();
  });
});

test('the audit names the job that was run by hand, with the way to its runs', needsBrowser, async () => {
  const operator = await signedInOperator(service, 'operator');
  assert.equal((await operator.postOnce('/operator/v1/jobs/remove-reconciliations/run', undefined)).status, 200);
  const page = await browser.signedIn('viewer');
  await page.goto(`${browser.baseUrl}/audit`);
  const row = page.getByRole('row').filter({ hasText: 'job.run' });
  await row.getByText('JobRemove compared lists').waitFor();
  await row.getByRole('link', { name: 'Remove compared lists' }).click();
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('job'), 'remove-reconciliations');
});

describe('the body of a delivery', needsBrowser, () => {
  test('is copied as it is sent, byte for byte', async () => {
    const { client, partner: owner, receiver } = await newEndpoint(service, endpointTools(service.database));
    await client.confirm();
    const [delivery] = await untilDeliveries(
      service.database,
      owner.partnerId,
      (all) => all.every(({ status }) => status === 'delivered') && all.length === 1,
    );
    const page = await browser.signedIn('viewer');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/deliveries/${delivery?.deliveryId}`);
    await copyBy(page, 'Copy the body');
    const { body } = receiver.arrived.at(-1) as { body: Buffer };
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), String(body));
  });
});

describe('a version of a rule', needsBrowser, () => {
  test('is previewed without a name and a start by who cannot create it', async () => {
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/rules/new?partner=${partner.partnerId}`);
    await page.getByLabel('Review threshold').fill('140');
    assert.equal(await page.getByLabel('Version').count(), 0);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Last 30 days').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
  });

  test('says of a refused preview beside each field what is wrong with it', async () => {
    const page = await browser.signedIn('operator', { language: 'ar' });
    await page.goto(`${browser.baseUrl}/rules/new?partner=${partner.partnerId}`);
    const [least, most] = ['أقل عدد نقاط للمساهمة', 'أكثر عدد نقاط للمساهمة'].map((label) => page.getByLabel(label)) as [
      Locator,
      Locator,
    ];
    await least.fill('1.5');
    await most.fill('1,250');
    const preview = page.getByRole('button', { name: 'معاينة' });
    await preview.click();
    await page.locator('[aria-invalid=true]').nth(1).waitFor();
    for (const field of [least, most]) assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.equal(await page.getByText('تعذّرت قراءة هذا').count(), 0);
    await least.fill('١');
    await most.fill('١٬٢٥٠');
    await preview.click();
    await page.getByText('آخر 30 يومًا').waitFor();
    assert.equal(await page.locator('[aria-invalid=true]').count(), 0);
  });
});
