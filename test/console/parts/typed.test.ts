/** What is typed or shown once is not lost, and is taken as an Arabic keyboard types it. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import { changeImpactBatch } from '../../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../../src/operations/impact/pool-contributions.ts';
import { OWNER, signedIn } from '../../support/actor.ts';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { OPEN_RATES } from '../../support/service.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';
import { endpointTools, newEndpoint } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** That was given to a project. */
async function newBatch(): Promise<string> {
  const { database } = service;
  const operator = signedIn('operator');
  const { partnerId, client, open } = await newSettledPartner(service);
  await client.confirm({ points: 40 });
  await closeThrough(service, open);
  const { impactBatchId } = await createImpactBatch(database, operator, { name: 'Spring', quantity: 12n });
  await poolSettlements(database, operator, { impactBatchId, partnerId, settlementIds: [open.settlementId] });
  const { projectId } = await createProject(database, operator, { nameEn: 'Coast', nameAr: 'الساحل', country: 'SA' });
  await changeImpactBatch(database, operator, impactBatchId, {
    changeType: 'advanced',
    to: 'allocated',
    projectId,
    reason: null,
  });
  return `${browser.baseUrl}/impact/${impactBatchId}`;
}

describe('evidence', needsBrowser, () => {
  for (const [language, button, address, day, clock, required] of [
    ['en', 'Add evidence', 'Public address', 'Captured: day', 'Captured: time, 24 hours', 'This field is required.'],
    ['ar', 'إضافة دليل', 'العنوان العام', 'وقت الالتقاط: اليوم', 'وقت الالتقاط: الوقت بنظام 24 ساعة', 'هذا الحقل مطلوب.'],
  ] as const)
    test(`without a file says that the file is missing, and its time is typed in digits of either kind, ${language}`, async () => {
      const page = await browser.signedIn('operator', { language });
      await page.goto(await newBatch());
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(address).fill('https://example.org/coast.jpg');
      await dialog.getByLabel(day).fill('2026-11-01');
      await dialog.getByLabel(clock).fill('١٤:٠٥');
      assert.equal(await dialog.getByLabel(clock).inputValue(), '14:05');
      await dialog.getByRole('button', { name: button }).click();
      await dialog.getByText(required).waitFor();
      const buffer = Buffer.from('a photo');
      await dialog.locator('input[type=file]').setInputFiles({ name: 'coast.jpg', mimeType: 'image/jpeg', buffer });
      await dialog.getByText(required).waitFor({ state: 'detached' });
    });
});

test('the number of trees and a period of a batch are typed in digits of either kind', needsBrowser, async () => {
  const page = await browser.signedIn('operator');
  await page.goto(await newBatch());
  for (const [item, label, typed, meant] of [
    ['Record a delay', 'Expected delivery', '٢٠٢٧-Q٢', '2027-Q2'],
    ['Correct the trees', 'Trees ordered', '١٬٢٥٠', '1250'],
  ] as const) {
    await page.getByRole('button', { name: 'Other changes' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    const field = page.getByRole('dialog').getByLabel(label);
    await field.fill(typed);
    assert.equal(await field.inputValue(), meant, item);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});

test('a new operator: a click beside the dialog loses nothing, and the next one begins empty', needsBrowser, async () => {
  const page = await browser.signedIn('admin');
  await page.goto(`${browser.baseUrl}/operators`);
  await page.getByRole('button', { name: 'Add an operator' }).click();
  const dialog = page.getByRole('dialog');
  const beside = () => page.mouse.click(5, 5);
  await dialog.waitFor();
  await beside();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Add an operator' }).click();
  await dialog.getByLabel('Name').fill('Amal');
  await beside();
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Amal');
  await dialog.getByRole('button', { name: 'Add an operator' }).click();
  const link = dialog.locator('.secret');
  await link.waitFor();
  await beside();
  assert.match(await link.innerText(), /#pi_code_/);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Add an operator' }).click();
  assert.equal(await dialog.getByLabel('Name').inputValue(), '');
});

test('the secret of an endpoint stays while the address of another one is typed', needsBrowser, async () => {
  const { partner, receiver } = await newEndpoint(service, endpointTools(service.database));
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/partners/${partner.partnerId}/set-up`);
  const another = page.getByRole('button', { name: 'Add another endpoint' });
  await another.click();
  await page.getByLabel('Address').fill(`${receiver.url}/second`);
  await page.getByRole('button', { name: 'Challenge and add' }).click();
  const secret = page.locator('.secret');
  await secret.waitFor();
  await another.click();
  await page.getByLabel('Address').waitFor();
  assert.match(await secret.innerText(), /^whsec_/);
});

describe('rates and policy of a partner', needsBrowser, () => {
  for (const [language, change, item, field, told] of [
    ['en', 'Edit the partner', 'Currency and time zone', 'Currency', 'No value differs from what is set now.'],
    ['ar', 'تعديل بيانات الشريك', 'العملة والمنطقة الزمنية', 'العملة', 'لا تختلف أي قيمة عمّا هو مضبوط الآن.'],
  ] as const)
    test(`of which nothing was changed are not sent, and the dialog says so, ${language}`, async () => {
      const { partner } = await service.newPartner();
      const page = await browser.signedIn('operator', { language });
      const sent: string[] = [];
      page.on('request', (request) => request.method() === 'PUT' && sent.push(request.url()));
      await page.goto(`${browser.baseUrl}/partners/${partner.partnerId}`);
      await page.getByRole('button', { name: change }).click();
      await page.getByRole('menuitem', { name: item }).click();
      const dialog = page.getByRole('dialog');
      const send = dialog.locator('button[type=submit]');
      await send.click();
      await dialog.getByText(told).waitFor();
      assert.deepEqual(sent, []);
      await dialog.getByLabel(field, { exact: true }).fill('aed');
      await dialog.getByText(told).waitFor({ state: 'detached' });
      await send.click();
      await dialog.waitFor({ state: 'detached' });
      const text = 'select currency from partner where partner_id = $1';
      const { rows } = await service.database.pool.query(text, [partner.partnerId]);
      assert.deepEqual([rows, sent.length], [[{ currency: 'AED' }], 1]);
    });
});

test('a letter that is typed while the list of the letters before it is opened stays', needsBrowser, async () => {
  const page = await browser.signedIn('viewer');
  await page.goto(`${browser.baseUrl}/contributions`);
  const field = page.getByRole('searchbox');
  await field.waitFor();
  // As the address changes, the next letter is typed at once.
  await page.evaluate(`{
    const field = document.querySelector('input[type=search]');
    for (const way of ['pushState', 'replaceState']) {
      const change = history[way];
      history[way] = function (...given) {
        change.apply(this, given);
        if (!String(given[2]).includes('of=or') || field.value !== 'or') return;
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'ord');
        field.dispatchEvent(new Event('input', { bubbles: true }));
        const look = () => {
          window.isLost ||= field.value !== 'ord';
          if (!location.search.includes('of=ord')) requestAnimationFrame(look);
        };
        look();
      };
    }
  }`);
  await field.fill('or');
  await page.waitForURL(/of=ord/);
  assert.deepEqual([await page.evaluate('window.isLost'), await field.inputValue()], [false, 'ord']);
  await page.goBack();
  await waitFor('the value of the address before', async () => (await field.inputValue()) === 'or');
  await page.goForward();
  await waitFor('the value of the address after', async () => (await field.inputValue()) === 'ord');
});

test('the name of the first key is typed to the end although a colleague issues one meanwhile', needsBrowser, async () => {
  const { partnerId } = await createPartner(service.database, OWNER, 'With a first key', OPEN_RATES);
  const colleague = await signedInOperator(service, 'operator', 'Amal');
  const page = await browser.signedIn('operator');
  await page.clock.install();
  await page.goto(`${browser.baseUrl}/partners/${partnerId}/set-up`);
  const field = page.getByLabel('Name of the key');
  await field.fill('shop of Jeddah');
  const body = { name: 'theirs', permission: 'read_write' };
  const made = await colleague.postOnce(`/operator/v1/partners/${partnerId}/keys`, body);
  assert.equal(made.status, 200, made.text);
  await page.clock.fastForward(16_000);
  await page.getByText('theirs', { exact: true }).waitFor();
  assert.equal(await field.inputValue(), 'shop of Jeddah');
});
