/** How far a dispute has come: what was compared and corrected, and whether the partner was answered. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { completeReconciliations } from '../../../src/operations/reconciliations/complete-reconciliations.ts';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { choose } from '../../support/console/choose.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const V1 = '/operator/v1';

/** Posted by two operators. */
async function adjust(partnerId: string, transactionId: string, delta: string): Promise<string> {
  const [operator, approver] = [await signedInOperator(service, 'operator'), await signedInOperator(service, 'approver')];
  const stated = { reason_code: 'other', points_delta: delta, reason_en: 'x', reason_ar: 'س' };
  const drafted = await operator.postOnce(`${V1}/adjustments`, {
    partner_id: partnerId,
    transaction_id: transactionId,
    ...stated,
  });
  const adjustment: string = drafted.body.adjustment.adjustment_id;
  for (const step of ['approve', 'post'])
    await approver.postOnce(`${V1}/partners/${partnerId}/adjustments/${adjustment}/${step}`, undefined);
  return adjustment;
}

/** A disputed settlement of one contribution, whose list was reconciled, with a posted adjustment. */
async function newDisputed() {
  const { partnerId, client, open } = await newSettledPartner(service);
  const { settlementId } = open;
  const sent = { ...newConfirmation(), points: 100 };
  const { transaction_id } = (await client.confirm(sent)).body.contribution;
  await closeThrough(service, open);
  await client.post(`/v1/settlements/${settlementId}/acknowledgement`, { status: 'disputed', note: 'Too much.' });
  const operator = await signedInOperator(service, 'operator');
  const settlement = `${V1}/partners/${partnerId}/settlements/${settlementId}`;
  const list = `partner_event_id,partner_order_ref,points\n${sent.partner_event_id},${sent.partner_order_ref},60\n`;
  const reconciliation = (await operator.postList(`${settlement}/reconciliations`, list)).body.reconciliation_id as string;
  await completeReconciliations(service.database, new AbortController().signal);
  const adjustment = await adjust(partnerId, transaction_id, '-40');
  return {
    partnerId,
    settlementId,
    transactionId: transaction_id as string,
    reconciliation,
    adjustment,
    label: open.period.label,
    async answer() {
      const { status, text } = await operator.postOnce(`${settlement}/replies`, { text: 'We corrected it.' });
      assert.equal(status, 200, text);
    },
  };
}

describe('a dispute', needsBrowser, () => {
  for (const [language, words] of [
    [
      'en',
      {
        card: 'Disputed settlements',
        answered: '1 answered',
        badge: 'Disputed, answered',
        open: 'Disputed',
        compared: "The partner's list was reconciled: 1 difference",
        corrected: '1 posted adjustment of its contributions',
        disputes: 'The partner disputes this settlement',
        next: 'The dispute is answered. Next, the partner accepts.',
        file: 'Reconcile a file',
        reply: 'Answer the partner',
        again: 'Answer the partner again',
        settledIn: 'Contribution settled in',
      },
    ],
    [
      'ar',
      {
        card: 'تسويات معترَض عليها',
        answered: 'منها ما رُدّ عليه: 2',
        badge: 'معترَض عليها، ورُدّ على الاعتراض',
        open: 'معترَض عليها',
        compared: 'طوبقت قائمة الشريك، والفروق: 1',
        corrected: 'تعديلات مساهماتها المُرحَّلة: 1',
        disputes: 'الشريك يعترض على هذه التسوية',
        next: 'رُدّ على الاعتراض. الخطوة التالية: قبول الشريك.',
        file: 'مطابقة ملف',
        reply: 'الرد على الشريك',
        again: 'الرد على الشريك من جديد',
        settledIn: 'سُوّيت المساهمة في',
      },
    ],
  ] as const)
    test(`leads to what was compared and corrected, and says so once it is answered, ${language}`, async () => {
      const { partnerId, settlementId, reconciliation, adjustment, label, answer } = await newDisputed();
      const page = await browser.signedIn('operator', { language });
      const visible = async () => (await page.locator('main').innerText()).replaceAll(/[\u2066-\u2069]/g, '');
      await page.goto(`${browser.baseUrl}/adjustments/${partnerId}/${adjustment}`);
      const settled = page.locator('dt', { hasText: words.settledIn }).locator('xpath=following-sibling::dd[1]');
      await settled.getByText(words.open, { exact: true }).waitFor();
      await settled.getByRole('link', { name: label }).click();
      const banner = page.getByRole('alert').filter({ hasText: words.disputes });
      await banner.locator(`a[href="/reconciliations/${partnerId}/${reconciliation}"]`).waitFor();
      await banner.locator(`a[href="/adjustments?partner=${partnerId}&settlement=${settlementId}&status=posted"]`).waitFor();
      for (const text of [words.compared, words.corrected]) assert.ok((await visible()).includes(text), text);
      await banner.getByRole('link', { name: words.reply, exact: true }).waitFor();
      assert.equal(await banner.getByRole('button', { name: words.file }).count(), 0, 'a list was reconciled');
      await answer();
      await page.reload();
      await page.getByRole('heading', { name: words.next }).waitFor();
      assert.equal(await page.getByText(words.disputes).count(), 0);
      await page.getByRole('link', { name: words.again }).waitFor();
      await page.getByRole('heading', { name: words.again }).waitFor();
      await page.goto(browser.baseUrl);
      const card = page.getByRole('link').filter({ hasText: words.card });
      assert.ok((await card.innerText()).replaceAll(/[\u2066-\u2069]/g, '').includes(words.answered));
      await card.click();
      const row = page.getByRole('row').filter({ has: page.locator(`a[href="/settlements/${partnerId}/${settlementId}"]`) });
      await row.getByText(words.badge, { exact: true }).waitFor();
    });
});

test('a viewer reads of all corrections of a disputed settlement, however many pages they are', needsBrowser, async () => {
  const { partnerId, settlementId, transactionId } = await newDisputed();
  for (let count = 1; count <= 50; count += 1) await adjust(partnerId, transactionId, '-1');
  const page = await browser.signedIn('viewer');
  await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${settlementId}`);
  const told = page.getByRole('alert').getByRole('link', { name: /posted adjustments? of its contributions$/ });
  await told.waitFor();
  assert.equal((await told.innerText()).replaceAll(/[\u2066-\u2069]/g, ''), '51 posted adjustments of its contributions');
});

describe('the answer to a dispute', needsBrowser, () => {
  for (const [language, words] of [
    [
      'en',
      {
        field: 'List that the answer is about',
        lines: [/2 lines · 2 differences/, /1 line · 1 difference$/],
        lists: [/Of 2 lines/, /Of 1 line /],
        posted: ['20 points taken away', '5 points taken away'],
      },
    ],
    [
      'ar',
      {
        field: 'القائمة التي يتناولها الرد',
        lines: [/سطران · فرقان/, /سطر واحد · فرق واحد/],
        lists: [/السطور بعد صف العناوين: 2/, /السطور بعد صف العناوين: 1/],
        posted: ['خصم 20', 'خصم 5'],
      },
    ],
  ] as const)
    test(`is about the list that one chooses, the latest first, and names corrections after the dispute alone, ${language}`, async () => {
      const { partnerId, client, open } = await newSettledPartner(service);
      const { settlementId } = open;
      const sent = { ...newConfirmation(), points: 100 };
      const { transaction_id } = (await client.confirm(sent)).body.contribution;
      await closeThrough(service, open);
      await adjust(partnerId, transaction_id, '-5');
      await client.post(`/v1/settlements/${settlementId}/acknowledgement`, { status: 'disputed' });
      await adjust(partnerId, transaction_id, '-20');
      const operator = await signedInOperator(service, 'operator');
      const line = `${sent.partner_event_id},${sent.partner_order_ref},60\n`;
      for (const lines of [line, `${line}event-of-nobody,order-of-nobody,7\n`]) {
        const list = `partner_event_id,partner_order_ref,points\n${lines}`;
        await operator.postList(`${V1}/partners/${partnerId}/settlements/${settlementId}/reconciliations`, list);
        await completeReconciliations(service.database, new AbortController().signal);
      }
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${settlementId}`);
      const text = async () => (await page.locator('#reply textarea').first().inputValue()).replaceAll(/[\u2066-\u2069]/g, '');
      const untilAbout = (list: RegExp) => waitFor(`${list}`, async () => list.test(await text()));
      const [latest, earlier] = words.lists;
      await untilAbout(latest);
      const [after, before] = words.posted;
      await waitFor('the correction', async () => (await text()).includes(after));
      assert.ok(!(await text()).includes(before), 'posted before the dispute');
      assert.match(await page.getByRole('combobox', { name: words.field }).inputValue(), words.lines[0]);
      await choose(page, { field: words.field, option: words.lines[1] });
      await untilAbout(earlier);
      await choose(page, { field: words.field, option: words.lines[0] });
      await untilAbout(latest);
    });
});

describe('the text of an answer', needsBrowser, () => {
  for (const [language, t] of [
    [
      'en',
      {
        nothing: 'No correction has been posted',
        differs: 'found 1 difference',
        corrected: '20 points taken away',
        retry: 'Try again',
        copy: 'Copy the text',
        sent: 'I have sent it',
      },
    ],
    [
      'ar',
      {
        nothing: 'لم يُرحَّل أي تصحيح',
        differs: 'عدد الفروق: 1',
        corrected: 'خصم 20',
        retry: 'إعادة المحاولة',
        copy: 'نسخ النص',
        sent: 'أرسلتُ هذا الرد',
      },
    ],
  ] as const)
    test(`is not composed before all of it is read, and stays as it was copied until it is recorded, ${language}`, async () => {
      const { partnerId, client, open } = await newSettledPartner(service);
      const sent = { ...newConfirmation(), points: 100 };
      const { transaction_id } = (await client.confirm(sent)).body.contribution;
      await closeThrough(service, open);
      await client.post(`/v1/settlements/${open.settlementId}/acknowledgement`, { status: 'disputed' });
      const operator = await signedInOperator(service, 'operator');
      const list = `partner_event_id,partner_order_ref,points\n${sent.partner_event_id},${sent.partner_order_ref},60\n`;
      await operator.postList(`${V1}/partners/${partnerId}/settlements/${open.settlementId}/reconciliations`, list);
      await completeReconciliations(service.database, new AbortController().signal);
      const page = await browser.signedIn('operator', { language });
      await page.clock.install();
      const parts = [/\/v1\/adjustments\?/, /\/v1\/reconciliations\?/, /\/v1\/partners\/\w+\/reconciliations\/\w+\/lines\?/];
      const error = { code: 'internal_service_unavailable', message: 'The service could not complete the request.' };
      for (const part of parts) await page.route(part, (route) => route.fulfill({ status: 503, json: { error } }));
      await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${open.settlementId}`);
      const reply = page.locator('#reply');
      const text = reply.locator('textarea').first();
      for (const [number, part] of parts.entries()) {
        await reply.getByText(error.message).waitFor();
        assert.equal(await text.count(), 0);
        await page.unroute(part);
        // The click asks for the next part too. Were its refusal not awaited, it could be read without a click of its own.
        const next = parts[number + 1];
        const answers = [part, ...(next ? [next] : [])].map((each) => page.waitForResponse(each));
        await reply.getByRole('button', { name: t.retry }).click();
        await Promise.all(answers);
      }
      await text.waitFor();
      const copied = await text.inputValue();
      for (const said of [t.nothing, t.differs, sent.partner_order_ref]) assert.ok(copied.includes(said), said);
      await reply.getByRole('button', { name: t.copy }).click();
      await text.press('End');
      await text.press('x');
      await text.press('Backspace');
      const adjustment = await adjust(partnerId, transaction_id, '-20');
      await page.clock.fastForward('00:16');
      await page.locator(`a[href="/adjustments/${partnerId}/${adjustment}"]`).first().waitFor();
      assert.equal(await text.inputValue(), copied);
      await reply.getByRole('button', { name: t.sent }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(t.nothing).waitFor();
      await dialog.getByRole('button', { name: t.sent }).click();
      await dialog.waitFor({ state: 'detached' });
      const { rows } = await service.database.pool.query(
        "select after_json from audit_entry where action = 'dispute.reply' and partner_id = $1",
        [partnerId],
      );
      assert.equal(JSON.parse(rows[0].after_json).text, copied.replaceAll(/[\u2066-\u2069]/g, ''));
      await waitFor('the text of another answer', async () => (await text.inputValue()).includes(t.corrected));
    });
});
