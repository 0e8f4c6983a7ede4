/** A new record whose answer was lost: its form sends the same again, and no second one with other words. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { newConfirmation, uniqueId } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { choose } from '../../support/console/choose.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { fillFailureReport } from '../../support/console/fill-failure-report.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';
import { endpointTools, newEndpoint } from '../../support/webhooks/webhook-service.ts';

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

describe('of which the answer was lost, in a dialog that is opened again', needsBrowser, () => {
  const fieldsOf = (form: Locator) => form.locator('input:not([type=hidden]), textarea').all();

  for (const [language, words] of [
    [
      'en',
      {
        open: 'Report a refused event',
        partner: 'Partner',
        event: 'Event id of the partner',
        order: 'Order (partner_order_ref)',
        points: 'Points that the partner took',
        reason: 'Reason',
        inDoubt: 'the failure may have been drafted',
        cancel: 'Cancel',
      },
    ],
    [
      'ar',
      {
        open: 'الإبلاغ عن حدث مرفوض',
        partner: 'الشريك',
        event: 'معرّف الحدث لدى الشريك',
        order: 'الطلب (partner_order_ref)',
        points: 'النقاط التي خصمها الشريك',
        reason: 'السبب',
        inDoubt: 'ربما أُعدّت المسودة',
        cancel: 'إلغاء',
      },
    ],
  ] as const)
    test(`a failure keeps its fields and its reason as they were sent, and is drafted once, ${language}`, async () => {
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/failures`);
      const open = page.getByRole('main').getByRole('button', { name: words.open });
      const form = page.getByRole('dialog').locator('form');
      await open.click();
      const event = uniqueId('event');
      await choose(form, { field: words.partner, option: 'Souq Express' });
      await form.getByLabel(words.event).fill(event);
      await form.getByLabel(words.order).fill(uniqueId('order'));
      await form.getByLabel(words.points).fill('25');
      await form.getByLabel(words.reason, { exact: false }).last().fill('Another contribution holds the order.');
      const giveUp = await loseFirstAnswer(page, '**/operator/v1/failures');
      const send = form.locator('button[type=submit]');
      await send.click();
      assert.deepEqual(await statesMeanwhile(form), [true]);
      giveUp();
      await form.getByRole('alert').getByText(words.inDoubt).waitFor();
      assert.deepEqual([...new Set(await stateOf(await fieldsOf(form)))], [true]);
      await form.getByRole('button', { name: words.cancel }).click();
      await form.waitFor({ state: 'detached' });
      await open.click();
      await form.getByRole('alert').getByText(words.inDoubt).waitFor();
      assert.deepEqual([...new Set(await stateOf(await fieldsOf(form)))], [true]);
      assert.equal(await form.locator('textarea').first().inputValue(), 'Another contribution holds the order.');
      await send.click();
      await form.waitFor({ state: 'detached' });
      assert.equal(await countOf('select from failure_draft where partner_event_id = $1', event), 1);
    });

  test('a version of a rule keeps its fields as they were sent, and is created once', async () => {
    const page = await browser.signedIn('admin');
    await page.goto(`${browser.baseUrl}/rules/new?partner=${partner.partnerId}`);
    const form = page.getByRole('main').locator('form');
    const version = uniqueId('v');
    await form.getByLabel('Version').fill(version);
    const create = form.getByRole('button', { name: 'New version' });
    const dialog = page.getByRole('dialog');
    const giveUp = await loseFirstAnswer(page, '**/operator/v1/rules');
    await create.click();
    await dialog.getByRole('button', { name: 'New version' }).click();
    assert.deepEqual([...new Set(await stateOf(await fieldsOf(form)))], [true]);
    giveUp();
    await dialog.getByRole('alert').getByText('the version may have been created').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual([...new Set(await stateOf(await fieldsOf(form)))], [true]);
    await create.click();
    await dialog.getByRole('alert').getByText('the version may have been created').waitFor();
    await dialog.getByRole('button', { name: 'New version' }).click();
    await page.waitForURL(/\/rules\?partner=/);
    assert.equal(await countOf('select from rule_version where version = $1', version), 1);
  });

  test('an answer to a dispute keeps its text and its language as they were sent, and is recorded once', async () => {
    const { partnerId, client: own, open } = await newSettledPartner(service);
    await own.confirm({ points: 150 });
    await closeThrough(service, open);
    await own.post(`/v1/settlements/${open.settlementId}/acknowledgement`, { status: 'disputed', note: 'Too much.' });
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${open.settlementId}`);
    const section = page.locator('#reply');
    const text = section.locator('textarea').first();
    await text.fill('We corrected it.');
    const record = section.getByRole('button', { name: 'I have sent it' });
    const dialog = page.getByRole('dialog');
    const giveUp = await loseFirstAnswer(page, '**/replies');
    await record.click();
    await dialog.getByRole('button', { name: 'I have sent it' }).click();
    giveUp();
    await dialog.getByRole('alert').getByText('this text may have been recorded').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await text.isDisabled(), true);
    const languages = section.getByRole('radiogroup', { name: 'Language of the answer' });
    assert.deepEqual(await stateOf(await languages.getByRole('radio').all()), [true, true]);
    await record.click();
    await dialog.getByRole('alert').getByText('this text may have been recorded').waitFor();
    await dialog.getByText('We corrected it.', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'I have sent it' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(
      await countOf("select from audit_entry where action = 'dispute.reply' and subject_id = $1", open.settlementId),
      1,
    );
    assert.equal(await text.isDisabled(), false);
  });

  test('a file of evidence keeps its fields as they were sent, and is recorded once', async () => {
    const { partnerId, client: own, open } = await newSettledPartner(service);
    await own.confirm({ points: 40 });
    await closeThrough(service, open);
    const operator = await signedInOperator(service, 'operator');
    const post = async (path: string, body: object) => (await operator.postOnce(`/operator/v1/${path}`, body)).body;
    const { impact_batch_id: id } = await post('impact-batches', { name: uniqueId('Batch'), quantity: '5' });
    await post(`impact-batches/${id}/settlements`, { partner_id: partnerId, settlement_ids: [open.settlementId] });
    const { project_id } = await post('projects', { name_en: 'Coast', name_ar: 'الساحل', country: 'SA' });
    await post(`impact-batches/${id}/advance`, { to: 'allocated', project_id });
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/impact/${id}`);
    const add = page.getByRole('main').getByRole('button', { name: 'Add evidence' });
    const dialog = page.getByRole('dialog');
    await add.click();
    const buffer = Buffer.from('a photo');
    await page.locator('input[type=file]').setInputFiles({ name: 'coast.jpg', mimeType: 'image/jpeg', buffer });
    await dialog.getByLabel('Public address').fill('https://files.example.org/coast.jpg');
    await dialog.getByLabel('Captured: day').fill('2026-01-02');
    const giveUp = await loseFirstAnswer(page, '**/evidence?*');
    const send = dialog.locator('button[type=submit]');
    await send.click();
    assert.deepEqual(await statesMeanwhile(dialog), [true]);
    giveUp();
    await dialog.getByRole('alert').getByText('the file may have been recorded').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await add.click();
    await dialog.getByRole('alert').getByText('the file may have been recorded').waitFor();
    await dialog.getByText('coast.jpg').waitFor();
    assert.equal(await dialog.getByLabel('Public address').inputValue(), 'https://files.example.org/coast.jpg');
    assert.deepEqual([...new Set(await stateOf(await dialog.getByRole('textbox').all()))], [true]);
    await send.click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await countOf('select from impact_evidence where impact_batch_id = $1', id), 1);
    await add.click();
    assert.equal(await dialog.getByLabel('Public address').inputValue(), '');
  });

  test('a decision keeps its reason until its dialog is closed, and that of another review is open', async () => {
    const [first, second] = [await scene?.newPending(), await scene?.newPending()];
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/reviews?partner=${partner.partnerId}`);
    const dialog = page.getByRole('dialog');
    const reason = dialog.getByLabel('Reason');
    const ask = async (order = '') => {
      await page.getByLabel(order).check();
      await page.getByRole('main').getByRole('button', { name: 'Fail', exact: true }).click();
      await reason.waitFor();
    };
    const close = async (order = '') => {
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByLabel(order).uncheck();
    };
    await ask(first?.order);
    await reason.fill('Cancelled by telephone.');
    await page.route(/\/reviews\/decisions$/, (route) => route.abort());
    await dialog.locator('button[type=submit]').click();
    await dialog.getByRole('alert').getByText('so the change may have been made').waitFor();
    await page.unroute(/\/reviews\/decisions$/);
    assert.equal(await reason.isDisabled(), true);
    await close(first?.order);
    await ask(second?.order);
    assert.deepEqual([await reason.isDisabled(), await reason.inputValue()], [false, '']);
    await close(second?.order);
    await ask(first?.order);
    assert.deepEqual([await reason.isDisabled(), await reason.inputValue()], [false, '']);
    await reason.fill('Cancelled by letter.');
    await dialog.locator('button[type=submit]').click();
    await dialog.waitFor({ state: 'detached' });
    const { rows } = await service.database.pool.query(
      'select transaction_id, note from contribution_review where transaction_id = any($1) and resolved_at is not null',
      [[first?.transactionId, second?.transactionId]],
    );
    assert.deepEqual(rows, [{ transaction_id: first?.transactionId, note: 'Cancelled by letter.' }]);
  });

  test('the reason for which an endpoint is disabled stays until the dialog is closed', async () => {
    const { partner: owner, endpointId } = await newEndpoint(service, endpointTools(service.database));
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
    const disable = page.getByRole('main').getByRole('button', { name: 'Disable' });
    const dialog = page.getByRole('dialog');
    const reason = dialog.getByLabel('Reason');
    await disable.click();
    await reason.fill('It moves.');
    await page.route('**/disable', (route) => route.abort());
    await dialog.locator('button[type=submit]').click();
    await dialog.getByRole('alert').getByText('so the change may have been made').waitFor();
    await page.unroute('**/disable');
    assert.deepEqual([await reason.isDisabled(), await reason.inputValue()], [true, 'It moves.']);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await disable.click();
    assert.deepEqual([await reason.isDisabled(), await reason.inputValue()], [false, '']);
    await reason.fill('It stops.');
    await dialog.locator('button[type=submit]').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('It stops.').waitFor();
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

test(
  'a failure that was refused for the role, after its answer was lost, stays in doubt and says the refusal too',
  needsBrowser,
  async () => {
    const page = await browser.signedIn('operator');
    const event = await fillFailureReport(page, { browser, partner });
    const dialog = page.getByRole('dialog');
    const send = dialog.locator('button[type=submit]');
    const REFUSAL = 'Your role does not allow this.';
    let times = 0;
    await page.route(/\/operator\/v1\/failures$/, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      times += 1;
      if (times === 1) {
        await route.fetch();
        return route.abort();
      }
      if (times === 2)
        return route.fulfill({ status: 403, json: { error: { code: 'forbidden', message: REFUSAL, details: [] } } });
      return route.continue();
    });
    const inDoubt = dialog.getByRole('alert').filter({ hasText: 'the failure may have been drafted' });
    await send.click();
    await inDoubt.waitFor();
    await send.click();
    await inDoubt.getByText(REFUSAL).waitFor();
    assert.equal(await dialog.getByLabel('Event id of the partner').isDisabled(), true);
    await send.click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await countOf('select from failure_draft where partner_event_id = $1', event), 1);
  },
);
