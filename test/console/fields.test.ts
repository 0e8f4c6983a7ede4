/**
 * What a person selects on a page is what the clipboard has: nothing is left out, and nothing that cannot be seen is added. The field of a
 * password has a button with a name in both languages. A form says at each of its fields what is wrong.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { needsBrowser, newPerson } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { goWithin } from '../support/console/go-within.ts';
import { PASSWORD } from '../support/operator-client.ts';
import { OPEN_RATES } from '../support/service.ts';

const scene = needsBrowser.skip
  ? undefined
  : await openScene(async (database) => {
      for (const name of ['Partner of many', 'Partner of many more']) await createPartner(database, OWNER, name, OPEN_RATES);
    });
const { service, browser, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** They hold a word of another direction together, and stand outside of it. */
const ISOLATES = /[\u2066-\u2069]/g;

async function copy(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('Control+c');
  return page.evaluate('navigator.clipboard.readText()');
}

describe('what is copied', needsBrowser, () => {
  for (const [language, field, other] of [
    ['en', 'Partner', 'بنك الواحة'],
    ['ar', 'الشريك', 'بنك الواحة'],
  ] as const)
    test(`from a list that is searched: a click selects what is chosen, and what is typed replaces it, ${language}`, async () => {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/settlements?partner=${partner.partnerId}`);
      const box = page.getByRole('combobox', { name: field, exact: true });
      await waitFor('the chosen partner', async () => (await box.inputValue()) === partner.name);
      await box.click();
      assert.equal(await copy(page), partner.name);
      await page.keyboard.type(other.slice(0, 4));
      assert.equal(await box.inputValue(), other.slice(0, 4));
      await page.getByRole('option', { name: other }).waitFor();
    });

  for (const [language, does] of [
    ['en', 'Reports in the log of the service each command with --break-glass, which goes past the sign-in.'],
    ['ar', 'تُبلّغ في سجل الخدمة عن كل أمر مع --break-glass، وهو يتجاوز تسجيل الدخول.'],
  ] as const)
    test(`from the list of jobs: an option of a command is as the command line takes it, ${language}`, async () => {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/jobs`);
      await page.locator('main').getByText(does.slice(0, 20)).first().selectText();
      assert.equal((await copy(page)).replaceAll(ISOLATES, ''), does);
    });
});

describe('a filter by partner', needsBrowser, () => {
  for (const [language, field, told] of [
    ['en', 'Partner', 'No partner has this id'],
    ['ar', 'الشريك', 'لا شريك بهذا المعرّف'],
  ] as const)
    test(`with a name in the address says that it is no id, above the empty list, ${language}`, async () => {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/settlements?partner=${encodeURIComponent(partner.name)}`);
      await page.getByText(told).waitFor();
      const box = page.getByRole('combobox', { name: field, exact: true });
      assert.equal(await box.getAttribute('aria-invalid'), 'true');
      await box.click();
      await page.getByRole('option', { name: partner.name }).click();
      await page.waitForURL((url) => url.searchParams.get('partner') === partner.partnerId);
    });

  test('of which the name cannot be read shows its id, and not the name of the partner before', async () => {
    const another = await createPartner(service.database, OWNER, uniqueId('Later'), OPEN_RATES);
    const page = await browser.signedIn('viewer');
    const read = `/operator/v1/partners/${another.partnerId}`;
    const isRefused = ({ pathname }: URL) => pathname === read || pathname === '/operator/v1/partners';
    const error = { code: 'internal_service_unavailable', message: 'The service could not complete the request.' };
    await page.route(isRefused, (route) => route.fulfill({ status: 503, json: { error } }));
    await page.goto(`${browser.baseUrl}/settlements?partner=${partner.partnerId}`);
    const box = page.getByRole('combobox', { name: 'Partner', exact: true });
    await waitFor('the partner before', async () => (await box.inputValue()) === partner.name);
    const refused = page.waitForResponse((answer) => new URL(answer.url()).pathname === read);
    await goWithin(page, `/settlements?partner=${another.partnerId}`);
    await refused;
    await waitFor(
      'the id',
      async () => (await box.inputValue()) === another.partnerId,
      () => box.inputValue(),
    );
    await page.unroute(isRefused);
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await waitFor(
      'the name',
      async () => (await box.inputValue()) === another.name,
      () => box.inputValue(),
    );
  });
});

describe('a field of a password', needsBrowser, () => {
  for (const [language, show, hide] of [
    ['en', 'Show what is typed', 'Hide what is typed'],
    ['ar', 'إظهار النص المُدخل', 'إخفاء النص المُدخل'],
  ] as const)
    test(`has a button that says what it does next, by hand and by keyboard, ${language}`, async () => {
      const page = await browser.open({ language });
      await page.goto(browser.baseUrl);
      const field = page.locator('input[autocomplete=current-password]');
      await field.fill('not shown');
      const [toShow, toHide] = [show, hide].map((name) => page.getByRole('button', { name, exact: true }));
      assert.ok(toShow && toHide);
      await toShow.click();
      await toHide.waitFor();
      assert.equal(await field.getAttribute('type'), 'text');
      assert.equal(await toHide.getAttribute('aria-pressed'), null);
      await field.press('Tab');
      await toHide.press('Enter');
      await toShow.waitFor();
      assert.equal(await field.getAttribute('type'), 'password');
      assert.equal(await toShow.evaluate((button) => button.matches(':focus')), true);
      const { code } = await newPerson(service, 'viewer');
      await page.goto(`${browser.baseUrl}/sign-in#${code}`);
      await toShow.nth(1).waitFor();
      for (const each of await page.locator('input[type=password]').all()) await each.fill(PASSWORD);
      await page.locator('form:has(input[type=password]) button[type=submit]').click();
      await page.locator('nav').first().waitFor();
      await page.goto(`${browser.baseUrl}/account`);
      await toShow.nth(2).waitFor();
    });
});

describe('the report of a refused event', needsBrowser, () => {
  for (const { language, report, partnerField, fields, reason, required } of [
    {
      language: 'en',
      report: 'Report a refused event',
      partnerField: 'Partner',
      fields: ['Event id of the partner', 'Order (partner_order_ref)', 'Points that the partner took'],
      reason: 'Reason',
      required: 'This field is required.',
    },
    {
      language: 'ar',
      report: 'الإبلاغ عن حدث مرفوض',
      partnerField: 'الشريك',
      fields: ['معرّف الحدث لدى الشريك', 'الطلب (partner_order_ref)', 'النقاط التي خصمها الشريك'],
      reason: 'السبب',
      required: 'هذا الحقل مطلوب.',
    },
  ] as const)
    test(`begins in its first field, takes the only partner with Enter, and says at each field what is wrong, ${language}`, async () => {
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/failures`);
      await page.getByRole('button', { name: report }).click();
      const dialog = page.getByRole('dialog');
      const box = dialog.getByRole('combobox', { name: partnerField });
      await waitFor('focus in the first field', () => box.evaluate((input) => input.matches(':focus')));
      assert.equal(await box.getAttribute('aria-required'), 'true');
      await dialog.getByLabel(reason).fill('Another contribution holds the order.');
      const send = dialog.locator('button[type=submit]');
      await send.click();
      await waitFor('all empty fields', async () => (await dialog.getByText(required).count()) === 4);
      await box.fill('souq');
      await box.press('Enter');
      await box.press('Tab');
      await waitFor('the partner', async () => (await box.inputValue()) === partner.name);
      const [event, order, points] = fields.map((label) => dialog.getByLabel(label));
      await event?.fill('short');
      await order?.fill('two words');
      await points?.fill('12.5');
      await send.click();
      const invalid = dialog.locator('[aria-invalid=true]');
      await waitFor('the three fields', async () => (await invalid.count()) === 3);
      assert.equal(await dialog.getByRole('alert').count(), 1, 'nothing stands apart from its field but what will happen');
      const id = uniqueId('event');
      await event?.fill(`  ${id}\u200f `);
      await order?.fill(' order-pasted ');
      await points?.fill(' ٢٥٠ ');
      await send.click();
      await dialog.waitFor({ state: 'detached' });
      const { rows } = await service.database.pool.query(
        'select partner_order_ref as "order", points from failure_draft where partner_event_id = $1',
        [id],
      );
      assert.deepEqual(rows, [{ order: 'order-pasted', points: 250n }]);
    });

  test('takes no partner with Enter while several have the name', async () => {
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/failures`);
    await page.getByRole('button', { name: 'Report a refused event' }).click();
    const box = page.getByRole('dialog').getByRole('combobox', { name: 'Partner' });
    await box.fill('Partner');
    await box.press('Enter');
    await waitFor('both', async () => (await page.getByRole('option').count()) === 2);
    await box.press('Tab');
    assert.equal(await box.inputValue(), '');
  });
});

describe('an operator who is refused', needsBrowser, () => {
  for (const [language, t] of [
    ['en', { add: 'Add an operator', name: 'Name', email: 'E-mail address' }],
    ['ar', { add: 'إضافة مشغّل', name: 'الاسم', email: 'البريد الإلكتروني' }],
  ] as const)
    test(`has what is wrong beside the name or the address, which has the focus, ${language}`, async () => {
      const page = await browser.signedIn('admin', { language });
      await page.goto(`${browser.baseUrl}/operators`);
      await page.getByRole('main').getByRole('button', { name: t.add }).click();
      const dialog = page.getByRole('dialog');
      const { email } = await newPerson(service, 'viewer');
      for (const [label, values] of [
        [t.email, ['Huda', email]],
        [t.name, ['x'.repeat(201), `other-${email}`]],
      ] as const) {
        await dialog.getByLabel(t.name).fill(values[0]);
        await dialog.getByLabel(t.email).fill(values[1]);
        await dialog.getByRole('button', { name: t.add }).click();
        const refused = dialog.getByLabel(label).and(dialog.locator('[aria-invalid=true]'));
        await refused.waitFor();
        assert.equal(await dialog.locator('[aria-invalid=true]').count(), 1, label);
        assert.ok(await refused.evaluate((field) => field === field.ownerDocument.activeElement));
        assert.equal(await dialog.getByRole('alert').count(), 1, 'that of the consequence alone');
      }
    });
});
