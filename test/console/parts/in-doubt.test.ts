/** A new record whose answer was lost: its form sends the same again, and no second one with other words. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { newConfirmation, uniqueId } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, client } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** The service makes what is asked for, and the first answer does not arrive. @returns Ends the wait for it. */
async function loseFirstAnswer(page: Page, url: string): Promise<() => void> {
  let isLost = false;
  const waiting = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (route.request().method() !== 'POST' || isLost) return route.fallback();
    isLost = true;
    await route.fetch();
    await waiting.promise;
    await route.abort();
  });
  return waiting.resolve;
}

/** Whether each field may be changed, while the request is under way. */
async function statesMeanwhile(form: Locator): Promise<readonly boolean[]> {
  await form.locator('button[type=submit][data-loading]').waitFor();
  return [...new Set(await stateOf(await form.getByRole('textbox').all()))];
}

const stateOf = (fields: readonly Locator[]) => Promise.all(fields.map((field) => field.isDisabled()));

async function countOf(text: string, value: string): Promise<number> {
  const { rows } = await service.database.pool.query(text, [value]);
  return rows.length;
}

describe('of which the answer was lost', needsBrowser, () => {
  for (const [language, words] of [
    [
      'en',
      { name: 'Name', currency: 'Currency', zone: 'Time zone', create: 'Create the partner', inDoubt: 'may have been created' },
    ],
    ['ar', { name: 'الاسم', currency: 'العملة', zone: 'المنطقة الزمنية', create: 'إنشاء الشريك', inDoubt: 'ربما أُنشئ الشريك' }],
  ] as const)
    test(`a new partner keeps its fields as they were sent, and is created once, ${language}`, async () => {
      const page = await browser.signedIn('admin', { language });
      await page.goto(`${browser.baseUrl}/partners/new`);
      const form = page.locator('form').filter({ has: page.getByRole('button', { name: words.create }) });
      const name = uniqueId('Shop');
      await form.getByLabel(words.name, { exact: false }).first().fill(name);
      const giveUp = await loseFirstAnswer(page, '**/operator/v1/partners');
      const create = form.getByRole('button', { name: words.create });
      await create.click();
      assert.deepEqual(await statesMeanwhile(form), [true]);
      giveUp();
      await form.getByRole('alert').getByText(words.inDoubt).waitFor();
      assert.deepEqual([...new Set(await stateOf(await form.getByRole('textbox').all()))], [true]);
      await create.click();
      await page.waitForURL(/\/partners\/ptn_\w+\/set-up/);
      assert.equal(await countOf('select from partner where name = $1', name), 1);
    });

  for (const [language, words] of [
    [
      'en',
      {
        open: 'Draft an adjustment',
        change: 'Change of points',
        reason: /^Reason for the partner/,
        inDoubt: 'may have been drafted',
      },
    ],
    ['ar', { open: 'إعداد تعديل', change: 'تغيّر النقاط', reason: /^السبب للشريك/, inDoubt: 'ربما أُعدّ التعديل' }],
  ] as const)
    test(`an adjustment keeps its fields as they were sent, and is drafted once, ${language}`, async () => {
      const page = await browser.signedIn('operator', { language });
      const { body } = await client.confirm({ ...newConfirmation(), points: 150 });
      const { transaction_id: transactionId } = body.contribution;
      await page.goto(`${browser.baseUrl}/contributions/${partner.partnerId}/${transactionId}`);
      await page.getByRole('button', { name: words.open }).click();
      const form = page.getByRole('dialog').locator('form');
      await form.getByLabel(words.change).fill('-50');
      for (const reason of await form.getByLabel(words.reason).all()) await reason.fill('x');
      const giveUp = await loseFirstAnswer(page, '**/operator/v1/adjustments');
      const send = form.locator('button[type=submit]');
      await send.click();
      assert.deepEqual(await statesMeanwhile(form), [true]);
      giveUp();
      await form.getByRole('alert').getByText(words.inDoubt).waitFor();
      assert.deepEqual(await stateOf(await form.getByRole('textbox').all()), [true, true, true]);
      assert.equal(await form.getByRole('combobox').isDisabled(), true);
      await send.click();
      await page.waitForURL(/\/adjustments\/ptn_/);
      assert.equal(await countOf('select from adjustment where transaction_id = $1', transactionId), 1);
    });

  test('an adjustment of a line of a settlement keeps its fields also in a dialog that is opened again, and is drafted once', async () => {
    const { partnerId, client: own, open } = await newSettledPartner(service);
    const { transaction_id: transactionId } = (await own.confirm({ points: 150 })).body.contribution;
    await closeThrough(service, open);
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${open.settlementId}`);
    const draft = page.getByRole('main').getByRole('button', { name: /^Draft an adjustment/ });
    await draft.click();
    const form = page.getByRole('dialog').locator('form');
    await form.getByLabel('Change of points').fill('-50');
    for (const reason of await form.getByLabel(/^Reason for the partner/).all()) await reason.fill('x');
    const keys: (string | undefined)[] = [];
    // The first is still on its way to the service when the page hears of no answer.
    await page.route('**/operator/v1/adjustments', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      keys.push(route.request().headers()['idempotency-key']);
      await (keys.length === 1 ? route.abort() : route.continue());
    });
    const send = form.locator('button[type=submit]');
    await send.click();
    await form.getByRole('alert').getByText('may have been drafted').waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'detached' });
    await draft.click();
    await form.getByRole('alert').getByText('may have been drafted').waitFor();
    assert.deepEqual(await stateOf(await form.getByRole('textbox').all()), [true, true, true]);
    await send.click();
    await page.waitForURL(/\/adjustments\/ptn_/);
    assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
    assert.equal(await countOf('select from adjustment where transaction_id = $1', transactionId), 1);
  });

  test('a new batch and a new project keep their fields as they were sent, and are created once', async () => {
    const page = await browser.signedIn('operator');
    const dialog = page.getByRole('dialog');
    const name = uniqueId('Batch');
    await page.goto(`${browser.baseUrl}/impact/new`);
    await page.getByRole('button', { name: 'Create it without settlements' }).click();
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Trees ordered').fill('5');
    const giveUpBatch = await loseFirstAnswer(page, '**/operator/v1/impact-batches');
    const send = dialog.locator('button[type=submit]');
    await send.click();
    assert.deepEqual(await statesMeanwhile(dialog), [true]);
    giveUpBatch();
    await dialog.getByText('the batch may have been created').waitFor();
    assert.deepEqual(await stateOf(await dialog.getByRole('textbox').all()), [true, true]);
    await send.click();
    await page.waitForURL(/\/impact\/batch_/);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    assert.equal(await countOf('select from impact_batch where name = $1', name), 1);

    await page.goto(`${browser.baseUrl}/impact`);
    await page.getByRole('button', { name: 'New project' }).click();
    await dialog.getByLabel('Name in English').fill(name);
    await dialog.getByLabel('Name in Arabic').fill('الساحل');
    const giveUpProject = await loseFirstAnswer(page, '**/operator/v1/projects');
    await send.click();
    assert.deepEqual(await statesMeanwhile(dialog), [true]);
    giveUpProject();
    await dialog.getByText('the project may have been created').waitFor();
    assert.deepEqual(await stateOf(await dialog.getByRole('textbox').all()), [true, true, true]);
    await send.click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await countOf('select from project where name_en = $1', name), 1);
  });
});

describe('that is under way', needsBrowser, () => {
  for (const [what, path, open, fill] of [
    ['key', `/partners/${partner?.partnerId}/set-up`, 'Issue another key', ['Name', 'web']],
    ['endpoint', `/partners/${partner?.partnerId}/set-up`, undefined, ['Address', 'https://hooks.example.org/in']],
    ['operator', '/operators', 'Add an operator', ['Name', 'Huda']],
  ] as const)
    test(`a new ${what} keeps its fields as they were sent, and opens them after a refusal`, async () => {
      const page = await browser.signedIn('admin');
      const refused = Promise.withResolvers<void>();
      await page.route(/\/operator\/v1\/(?:.*\/keys|endpoints|operators)$/, async (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        await refused.promise;
        await route.fulfill({ status: 422, json: { error: { code: 'invalid_request', message: 'It was refused.' } } });
      });
      await page.goto(browser.baseUrl + path);
      if (open) await page.getByRole('main').getByRole('button', { name: open }).click();
      const form = page
        .locator('form')
        .filter({ has: page.getByLabel(fill[0], { exact: false }) })
        .filter({ has: page.locator('button[type=submit]') })
        .last();
      await form.getByLabel(fill[0], { exact: false }).first().fill(fill[1]);
      await form.locator('button[type=submit]').click();
      assert.deepEqual(await statesMeanwhile(form), [true]);
      refused.resolve();
      await form.getByText('It was refused.').waitFor();
      assert.deepEqual([...new Set(await stateOf(await form.getByRole('textbox').all()))], [false]);
    });
});
