/** Another tab brings a new session, or none: what is sent next is sent once, by the same person, and nobody takes for sent what was not. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { uniqueId } from '../../support/client.ts';
import { ageSession } from '../../support/console/age-session.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { fillFailureReport } from '../../support/console/fill-failure-report.ts';
import { PASSWORD, signedInOperator } from '../../support/operator-client.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** Gives the password again in another tab, which brings a new session with a new token. */
async function giveAgain(context: BrowserContext): Promise<void> {
  const tab = await context.newPage();
  await tab.goto(`${browser.baseUrl}/readyz`);
  const status = await tab.evaluate(`fetch('/operator/v1/session').then((answer) => answer.json()).then(({ csrf_token }) =>
    fetch('/operator/v1/session/again', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf-token': csrf_token },
      body: ${JSON.stringify(JSON.stringify({ password: PASSWORD }))},
    })).then(({ status }) => status)`);
  assert.equal(status, 200);
  await tab.close();
}

async function countDrafts(event: string): Promise<number> {
  const { rows } = await service.database.pool.query('select 1 from failure_draft where partner_event_id = $1', [event]);
  return rows.length;
}

async function newClosed() {
  const { partnerId, client, open } = await newSettledPartner(service);
  await client.confirm({ points: 40 });
  await closeThrough(service, open);
  return `${browser.baseUrl}/reconciliations/new?partner=${partnerId}&settlement=${open.settlementId}`;
}

const LIST = {
  name: 'list.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('partner_event_id,partner_order_ref,points\nevent-00012345,order-12345,250\n'),
};

describe('a session that another tab made anew', needsBrowser, () => {
  test('sends what was typed before, without a word of tokens', async () => {
    const page = await browser.signedIn('operator');
    const event = await fillFailureReport(page, { browser, partner });
    await giveAgain(page.context());
    const dialog = page.getByRole('dialog');
    await dialog.locator('button[type=submit]').click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await countDrafts(event), 1);
  });

  test('is said of a change that was refused because it was begun in the session before, and the same button sends it', async () => {
    const page = await browser.signedIn('operator');
    const event = await fillFailureReport(page, { browser, partner });
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    let isFirst = true;
    await page.route(/\/operator\/v1\/failures$/, async (route) => {
      if (route.request().method() !== 'POST' || !isFirst) return route.fallback();
      isFirst = false;
      await giveAgain(page.context());
      const response = await route.fetch({ headers: { ...(await route.request().allHeaders()), cookie } });
      assert.equal(response.status(), 401);
      await route.fulfill({ response });
    });
    const dialog = page.getByRole('dialog');
    const send = dialog.locator('button[type=submit]');
    await send.click();
    await dialog.getByRole('alert').getByText('session').waitFor();
    assert.equal(await page.locator('[data-sign-in]').count(), 0);
    await send.click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await countDrafts(event), 1);
  });

  test('takes a list', async () => {
    const page = await browser.signedIn('operator');
    await page.goto(await newClosed());
    await page.getByText('Choose the file').waitFor();
    await giveAgain(page.context());
    await page.locator('input[type=file]').setInputFiles(LIST);
    await page.waitForURL(/\/reconciliations\/ptn_/);
  });

  test('says of a list that nobody answered, where the new session cannot be read', async () => {
    const page = await browser.signedIn('operator');
    await page.goto(await newClosed());
    await page.getByText('Choose the file').waitFor();
    await giveAgain(page.context());
    await page.route(/\/operator\/v1\/session$/, (route) => route.abort());
    await page.locator('input[type=file]').setInputFiles(LIST);
    const alert = page.getByRole('alert').filter({ hasText: 'The service did not answer' });
    await alert.waitFor();
    assert.equal(await page.getByText('Failed to fetch').count(), 0);
  });

  test('is left by the first click', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners`);
    await page.locator('tbody tr').first().waitFor();
    await giveAgain(page.context());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('[data-sign-in]').waitFor();
    assert.equal(await page.getByText('Your session has ended').count(), 0);
  });

  test('of another person sends nothing of the first one', async () => {
    const page = await browser.signedIn('operator', undefined, 'First writer');
    const event = await fillFailureReport(page, { browser, partner });
    const { cookie } = await signedInOperator(service, 'operator', 'Second writer');
    const [name = '', value = ''] = cookie.split('=');
    await page
      .context()
      .addCookies([{ name, value, domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Strict' }]);
    await page.getByRole('dialog').locator('button[type=submit]').click();
    await page.getByText('Second writer').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(await countDrafts(event), 0);
  });
});

describe('a password', needsBrowser, () => {
  for (const [what, path, fill] of [
    ['signs in', '/', ['Password']],
    ['is changed', '/account', ['Current password', 'New password', 'The same password again']],
  ] as const)
    test(`that ${what} is sent once by two clicks at once`, async () => {
      const page = path === '/' ? await browser.open() : await browser.signedIn('operator');
      await page.goto(browser.baseUrl + path);
      for (const label of fill) await page.getByRole('textbox', { name: label }).first().fill('seven green olives 42');
      if (path === '/') await page.getByLabel('E-mail address or operator id').fill('nobody@example.org');
      const sent: string[] = [];
      page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
      await page.evaluate(`{
        const form = document.querySelector('form:has(input[type=password])');
        form.requestSubmit();
        form.requestSubmit();
      }`);
      await page.getByRole('alert').waitFor();
      assert.equal(sent.length, 1);
    });
});

describe('a step that asks for the password while another person signs in', needsBrowser, () => {
  test('is given up, and the end of the next session is said as ever', async () => {
    const page = await browser.signedIn('approver', undefined, 'Asked for it');
    const drafter = await signedInOperator(service, 'operator', 'Amal');
    const event = uniqueId('event');
    const drafted = await drafter.postOnce('/operator/v1/failures', {
      partner_id: partner.partnerId,
      partner_event_id: event,
      partner_order_ref: uniqueId('order'),
      points: '5',
      reason: 'Another contribution holds the order.',
    });
    assert.equal(drafted.status, 200, drafted.text);
    await page.goto(`${browser.baseUrl}/failures?status=drafted`);
    await page.getByRole('row').filter({ hasText: event }).getByRole('button', { name: 'Approve', exact: true }).click();
    await ageSession(service, 'Asked for it');
    const { cookie } = await signedInOperator(service, 'operator', 'Came after');
    const [name = '', value = ''] = cookie.split('=');
    await page.route('**/approve', async (route) => {
      const response = await route.fetch();
      assert.equal(response.status(), 403);
      await page
        .context()
        .addCookies([{ name, value, domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Strict' }]);
      await route.fulfill({ response });
    });
    await page.getByRole('dialog').locator('button[type=submit]').click();
    await page.getByText('Came after').waitFor();
    await page.context().clearCookies();
    // The page may have heard of it by itself.
    await page.evaluate(`document.querySelector('nav a[href="/reviews"]').click()`);
    await page.getByText('Your session has ended').waitFor();
  });
});

describe('a session that ends while a list is sent', needsBrowser, () => {
  for (const [language, said] of [
    ['en', 'was not received. Drop it again.'],
    ['ar', 'أفلِته من جديد'],
  ] as const)
    test(`is said with what became of the file, ${language}`, async () => {
      const page = await browser.signedIn('operator', { language });
      await page.clock.install();
      await page.goto(await newClosed());
      await page.locator('.drop-zone').waitFor();
      const cookies = await page.context().cookies();
      await page.context().clearCookies();
      await page.locator('input[type=file]').setInputFiles(LIST);
      await page.locator('[data-sign-in]').waitFor();
      await page.context().addCookies(cookies);
      // The session is read four times a minute.
      await page.clock.fastForward(20_000);
      await page.getByRole('alert').getByText(said).waitFor();
    });
});
