/** What the page of an adjustment and the dialogs say of money: what is carried too, and in the form of the list. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import type { Partner } from '../../../src/store/access/partner.ts';
import { OWNER } from '../../support/actor.ts';
import { newConfirmation, uniqueId } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { type SignedInOperator, signedInOperator } from '../../support/operator-client.ts';
import { asSuperuser } from '../../support/postgres/superuser.ts';
import { insertPrice } from '../../support/rules.ts';
import { OPEN_RATES } from '../../support/service.ts';
import { closeNow, tools } from '../../support/settlements.ts';

const made: Partner[] = [];
const scene = needsBrowser.skip
  ? undefined
  : await openScene(async (database) => {
      for (const [name, currency, price] of [
        ['Riyal', 'SAR', '0.0125'],
        ['Dinar', 'KWD', '0.005'],
      ] as const) {
        const partner = await createPartner(database, OWNER, name, { ...OPEN_RATES, currency });
        const { partnerId } = partner;
        await insertPrice(database, 'point_conversion', {
          partnerId,
          label: `value-${currency}`,
          starts: '-1 day',
          price,
          currency,
        });
        made.push(partner);
      }
    });
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const V1 = '/operator/v1';
const MARKS = /[\u2066-\u2069]/g;
const [riyal, dinar] = made as [Partner, Partner];
const people: SignedInOperator[] = [];
if (scene) for (const role of ['operator', 'approver'] as const) people.push(await signedInOperator(service, role));
const [operator, approver] = people as [SignedInOperator, SignedInOperator];

async function confirmed({ partnerId }: Partner, points: number) {
  const { client } = await service.newPartner({ of: { partnerId } as Partner });
  const order = uniqueId('order');
  const { body } = await client.confirm({ ...newConfirmation(), partner_order_ref: order, points });
  return { partner_id: partnerId, transaction_id: body.contribution.transaction_id as string };
}

async function drafted(of: object, change: object): Promise<string> {
  const why = { reason_code: 'other', reason_en: 'Counted twice.', reason_ar: 'احتُسبت مرتين.' };
  const { status, body, text } = await operator.postOnce(`${V1}/adjustments`, { ...of, ...why, ...change });
  assert.equal(status, 200, text);
  return body.adjustment.adjustment_id;
}

async function step({ partnerId }: Partner, id: string, ...steps: readonly string[]): Promise<void> {
  for (const each of steps) {
    const { status, text } = await approver.postOnce(`${V1}/partners/${partnerId}/adjustments/${id}/${each}`, undefined);
    assert.equal(status, 200, text);
  }
}

async function textOf(shown: Locator): Promise<string> {
  return (await shown.innerText()).replaceAll(MARKS, '').replaceAll('−', '-').replaceAll(/\s+/g, ' ');
}

const pageOf = ({ partnerId }: Partner, id: string) => `${browser.baseUrl}/adjustments/${partnerId}/${id}`;

describe('the money of an adjustment', needsBrowser, () => {
  for (const [language, points, amount] of [
    ['en', 'Points carried to the next', 'Amount carried to the next'],
    ['ar', 'النقاط المدوَّرة إلى التالية', 'المبلغ المدوَّر إلى التالية'],
  ] as const)
    test(`what the settlement carries stands there in points and as an amount, ${language}`, async () => {
      const of = await confirmed(riyal, 1_000);
      await closeNow(service.database, riyal.partnerId, tools('0.0125'));
      const id = await drafted(of, { points_delta: '-900' });
      const page = await browser.signedIn('viewer', { language });
      await page.goto(pageOf(riyal, id));
      const row = (label: string) => page.getByRole('row').filter({ hasText: label });
      await row(amount).waitFor();
      assert.equal(await textOf(row(points)), `${points} 0 -900`);
      assert.equal(await textOf(row(amount)), `${amount} 0.00 SAR -11.25 SAR`);
    });

  test('the preview of a restatement shows what it carries of a settlement at 0', async () => {
    const of = await confirmed(dinar, 1_000);
    await closeNow(service.database, dinar.partnerId, tools('0.005'));
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/contributions/${of.partner_id}/${of.transaction_id}`);
    await page.getByRole('button', { name: 'Draft an adjustment' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Why' }).click();
    await page.getByRole('option', { name: 'Restated point conversion' }).click();
    await dialog.getByLabel('Change of the amount').fill('-1.5');
    const row = dialog.getByRole('row').filter({ hasText: 'Amount carried to the next' });

    await row.waitFor();
    assert.match(await textOf(row), / 0\.000 KWD -1\.500 KWD$/);
    assert.equal(await dialog.getByRole('row').filter({ hasText: 'Points carried to the next' }).count(), 0);
  });

  test('has one form on the page, in its dialogs and in the list', async () => {
    const id = await drafted(await confirmed(riyal, 1_001), { points_delta: '-900' });
    const page = await browser.signedIn('approver');
    await page.goto(pageOf(riyal, id));
    await page.getByRole('button', { name: 'Approve' }).click();
    const facts = (within: Locator) =>
      within.locator('div').filter({ has: page.locator('dt', { hasText: 'Change of the amount' }) });
    for (const within of [page.getByRole('dialog'), page.locator('main')])
      assert.equal(await textOf(facts(within).last().locator('dd').first()), '-11.25 SAR');
    await page.goto(`${browser.baseUrl}/adjustments?partner=${riyal.partnerId}`);
    await page.getByRole('row').filter({ hasText: '-900' }).first().getByText('-11.25 SAR').waitFor();
    await step(riyal, id, 'approve');
  });
});

describe('an adjustment that cannot be posted any more', needsBrowser, () => {
  for (const [language, post, reject, told, title] of [
    [
      'en',
      'Post',
      'Reject',
      '101 of the 1,001 points of the contribution are settled now. The adjustment would leave -799: it must leave 0 to 1,001. Reject it, and draft another one where one is needed.',
      'It cannot be posted as things stand',
    ],
    [
      'ar',
      'ترحيل',
      'رفض',
      'المسوّى الآن من نقاط المساهمة 101 من أصل 1,001. مع هذا التعديل يصبح -799، ويجب أن يبقى بين 0 و1,001. ارفضه، وأعدّ تعديلًا آخر إن لزم.',
      'لا يمكن ترحيله في الوضع الحالي',
    ],
  ] as const)
    test(`says why and what to do, offers no posting, and promises nothing, ${language}`, async () => {
      const of = await confirmed(riyal, 1_001);
      const [one, other] = [await drafted(of, { points_delta: '-900' }), await drafted(of, { points_delta: '-900' })];
      for (const id of [one, other]) await step(riyal, id, 'approve');
      const page = await browser.signedIn('approver', { language });
      await page.goto(pageOf(riyal, other));
      await page.getByRole('button', { name: post, exact: true }).waitFor();
      await page.getByRole('table').first().waitFor();
      await step(riyal, one, 'post');
      await page.reload();
      const alert = page.getByRole('alert').filter({ hasText: title });
      await alert.waitFor();
      assert.equal(await textOf(alert), `${title} ${told}`);
      await page.getByRole('button', { name: reject, exact: true }).waitFor();
      assert.equal(await page.getByRole('button', { name: post, exact: true }).count(), 0);
      assert.equal(await page.getByRole('table').count(), 0);
      assert.doesNotMatch(await page.locator('main').innerText(), /points_delta/);
    });

  test('names the worth of the points where the amount exceeds it', async () => {
    const of = await confirmed(riyal, 1_000);
    const restated = { reason_code: 'conversion_restatement', amount_delta: '-12.5' };
    const [first, second] = [await drafted(of, restated), await drafted(of, { points_delta: '-400' })];
    await step(riyal, first, 'approve', 'post');
    const page = await browser.signedIn('approver');
    await page.goto(pageOf(riyal, second));
    const told = 'would leave -5.00 SAR settled for 600 points: it must leave 0 to 7.50 SAR, which they are worth at most.';
    const alert = page.getByRole('alert').filter({ hasText: 'It cannot be posted' });
    await alert.waitFor();
    assert.ok((await textOf(alert)).includes(told), await textOf(alert));
    assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0);
  });
});

describe('an adjustment that a colleague drafted', needsBrowser, () => {
  for (const [language, approve, post, reject, posted, who] of [
    [
      ...(['en', 'Approve', 'Post', 'Reject', 'Posted by'] as const),
      ['An approver other than the one who drafted it approves it.', 'An operator posts it or rejects it.'],
    ],
    [...(['ar', 'اعتماد', 'ترحيل', 'رفض', 'رحّله'] as const), ['يعتمده مُعتمِد غير الذي أعدّه.', 'يرحّله مشغّل أو يرفضه.']],
  ] as const)
    test(`is rejected by an operator, and posted once an approver has approved it; others read who may, ${language}`, async () => {
      const id = await drafted(await confirmed(riyal, 1_000), { points_delta: '-10' });
      const page = await browser.signedIn('operator', { language });
      const button = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true });
      await page.goto(pageOf(riyal, id));
      await button(reject).waitFor();
      const viewer = await browser.signedIn('viewer', { language });
      await viewer.goto(pageOf(riyal, id));
      for (const each of [page, viewer]) await each.getByText(who[0]).waitFor();
      for (const name of [approve, post]) assert.equal(await button(name).count(), 0, name);
      await step(riyal, id, 'approve');
      await viewer.reload();
      await viewer.getByText(who[1]).waitFor();
      await page.reload();
      await button(reject).waitFor();
      await button(post).click();
      await page.getByRole('dialog').getByRole('button', { name: post, exact: true }).click();
      await page.getByText(posted, { exact: true }).waitFor();
    });
});

describe('the reversal of a posted adjustment', needsBrowser, () => {
  for (const { language, reverse, why, en, ar, send, reversedBy, reverses, heading, waits } of [
    {
      language: 'en',
      reverse: 'Reverse',
      why: 'Change of points: 900',
      en: 'Reason for the partner, in English',
      ar: 'Reason for the partner, in Arabic',
      send: 'Draft the reversal',
      reversedBy: 'Reversed by the adjustment',
      reverses: 'Reverses the adjustment',
      heading: 'Adjustment',
      waits: 'Waits for approval',
    },
    {
      language: 'ar',
      reverse: 'عكس التعديل',
      why: 'تغيّر النقاط: 900',
      en: 'السبب للشريك بالإنجليزية',
      ar: 'السبب للشريك بالعربية',
      send: 'إعداد التعديل العكسي',
      reversedBy: 'يعكسه التعديل',
      reverses: 'يعكس التعديل',
      heading: 'التعديل',
      waits: 'بانتظار الاعتماد',
    },
  ] as const)
    test(`is drafted with the opposite change, once, and each of the two leads to the other, ${language}`, async () => {
      const id = await drafted(await confirmed(riyal, 1_001), { points_delta: '-900' });
      await step(riyal, id, 'approve', 'post');
      const page = await browser.signedIn('operator', { language });
      await page.goto(pageOf(riyal, id));
      await page.getByRole('button', { name: reverse, exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('row').filter({ hasText: '1,001' }).waitFor();
      assert.ok((await textOf(dialog)).includes(why), await textOf(dialog));
      await dialog.getByLabel(en).fill('It was no duplicate.');
      await dialog.getByLabel(ar).fill('لم يكن مكرّرًا.');
      await dialog.getByRole('button', { name: send }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(reverses, { exact: true }).waitFor();
      const { rows } = await service.database.pool.query(
        'select adjustment_id as "adjustmentId", points_delta as points from adjustment where reversal_of = $1',
        [id],
      );
      assert.equal(rows.length, 1);
      const [{ adjustmentId, points }] = rows;
      assert.equal(points, 900n);
      assert.equal(page.url(), pageOf(riyal, adjustmentId));
      await page.getByRole('link', { name: id }).click();
      const reversal = page.locator('dd').filter({ has: page.getByRole('link', { name: adjustmentId }) });
      await reversal.getByText(waits).waitFor();
      await step(riyal, adjustmentId, 'approve', 'post');
      await page.getByText(reversedBy, { exact: true }).waitFor();
      assert.equal(await page.getByRole('button', { name: reverse, exact: true }).count(), 0);
      await page.getByRole('link', { name: adjustmentId }).click();
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await page.getByRole('link', { name: id }).waitFor();
    });

  test('stays in its dialog, with what is typed, where a colleague drafts it first', async () => {
    const id = await drafted(await confirmed(riyal, 1_000), { points_delta: '-900' });
    await step(riyal, id, 'approve', 'post');
    const page = await browser.signedIn('operator');
    await page.clock.install();
    await page.goto(pageOf(riyal, id));
    const reverse = page.getByRole('main').getByRole('button', { name: 'Reverse', exact: true });
    await reverse.click();
    const dialog = page.getByRole('dialog');
    const why = dialog.getByLabel('Reason for the partner, in English');
    await why.fill('It was no duplicate.');
    const reversal = await drafted({ partner_id: riyal.partnerId, reversal_of: id }, {});
    await page.clock.fastForward(16_000);
    await reverse.waitFor({ state: 'detached' });
    await dialog.locator(`a[href$="/adjustments/${riyal.partnerId}/${reversal}"]`).waitFor();
    assert.equal(await why.inputValue(), 'It was no duplicate.');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('of a restatement has the opposite amount, and a reason of the same kind', async () => {
    const restated = { reason_code: 'conversion_restatement', amount_delta: '-2.5' };
    const id = await drafted(await confirmed(riyal, 1_000), restated);
    await step(riyal, id, 'approve', 'post');
    const page = await browser.signedIn('operator');
    await page.goto(pageOf(riyal, id));
    await page.getByRole('button', { name: 'Reverse', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Change of the amount: 2.50 SAR').waitFor();
    await dialog.getByRole('combobox', { name: 'Why' }).click();
    assert.deepEqual(await page.getByRole('option').allInnerTexts(), ['Restated point conversion', 'Restated tree cost']);
  });
});

describe('an amount beyond the worth of the points', needsBrowser, () => {
  const openRestatement = async (role: 'operator' | 'admin') => {
    const of = await confirmed(riyal, 1_000);
    const page = await browser.signedIn(role);
    await page.goto(`${browser.baseUrl}/contributions/${of.partner_id}/${of.transaction_id}`);
    await page.getByRole('button', { name: 'Draft an adjustment' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Why' }).click();
    await page.getByRole('option', { name: 'Restated point conversion' }).click();
    await dialog.getByLabel('Change of the amount').fill('5');
    return { page, dialog, of, reason: dialog.getByLabel('Why the amount may exceed the worth of the points') };
  };

  test('is drafted by an admin with a reason of its own, which the page shows', async () => {
    const { page, dialog, of, reason } = await openRestatement('admin');
    await reason.waitFor();
    const told = 'The adjustment would leave 17.50 SAR settled for 1,000 points: it must leave 0 to 12.50 SAR';
    assert.ok((await textOf(dialog)).includes(told), await textOf(dialog));
    assert.doesNotMatch(await textOf(dialog), /reversal_of|ask an admin/);
    await dialog.getByRole('row').filter({ hasText: 'Settled amount' }).getByText('17.50 SAR').waitFor();
    await reason.fill('Agreed with the partner.');
    await dialog.getByLabel('Reason for the partner, in English').fill('Restated.');
    await dialog.getByLabel('Reason for the partner, in Arabic').fill('صُحّح.');
    await dialog.getByRole('button', { name: 'Draft an adjustment' }).click();
    await page.getByText('Agreed with the partner.').waitFor();
    const text = 'select beyond_worth_reason as reason from adjustment where transaction_id = $1';
    const { rows } = await service.database.pool.query(text, [of.transaction_id]);
    assert.deepEqual(rows, [{ reason: 'Agreed with the partner.' }]);
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'Settled amount' }).getByText('17.50 SAR').waitFor();
  });

  test('is refused to an operator, at the field', async () => {
    const { dialog, reason } = await openRestatement('operator');
    await dialog.getByText('would leave 17.5 SAR settled').waitFor();
    assert.equal(await reason.count(), 0);
    assert.equal(await dialog.getByLabel('Change of the amount').getAttribute('aria-invalid'), 'true');
  });
});

describe('an adjustment whose rule differs from the audit', needsBrowser, () => {
  const value = (points: string) => `update rule_version set point_value = ${points} where version = 'value-KWD'`;
  const edit = (text: string) =>
    asSuperuser(service.database.pool, async (client) => assert.equal((await client.query(text)).rowCount, 1));

  test('says so without the advice to reject it, and is rejected all the same by who wants to', async () => {
    const id = await drafted(await confirmed(dinar, 1_000), { points_delta: '-10' });
    await edit(value('0.006'));
    const page = await browser.signedIn('approver');
    await page.goto(pageOf(dinar, id));
    await page.getByText('It cannot be posted as things stand').waitFor();
    await page.getByText('point_conversion/value-KWD differs from the audit').waitFor();
    assert.equal(await page.getByText('Reject it, and draft another one where one is needed.').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0);
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Not needed.');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByText('Rejected by').waitFor();
    await edit(value('0.005'));
  });
});
