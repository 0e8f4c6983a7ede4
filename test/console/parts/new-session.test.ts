/** Another tab brings a new session, or none: what is sent next is sent once, by the same person, and nobody takes for sent what was not. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { uniqueId } from '../../support/client.ts';
import { ageSession } from '../../support/console/age-session.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { fillFailureReport } from '../../support/console/fill-failure-report.ts';
import { PASSWORD, signedInOperator } from '../../support/operator-client.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, newPending } = (scene ?? {}) as Scene;
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

/** Another operator signs in in another window of the same browser. */
async function signInInstead(context: BrowserContext, operator: string): Promise<void> {
  const { cookie } = await signedInOperator(service, 'operator', operator);
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Strict' }]);
}

/** The session is read four times a minute. */
async function hearOf(page: Page, operator: string): Promise<void> {
  await page.clock.fastForward(20_000);
  await page.getByText(operator).waitFor();
}

/**
 * The first of several requests of one change is answered after another operator has signed in, of whom the page has heard.
 *
 * @returns The bodies of the requests that were sent.
 */
async function signInDuring(page: Page, path: RegExp, operator: string): Promise<readonly unknown[]> {
  const sent: unknown[] = [];
  await page.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    sent.push(route.request().postDataJSON());
    const response = await route.fetch();
    assert.equal(response.status(), 200, await response.text());
    if (sent.length === 1) {
      await signInInstead(page.context(), operator);
      await hearOf(page, operator);
    }
    await route.fulfill({ response });
  });
  return sent;
}

async function countDrafts(event: string): Promise<number> {
  const { rows } = await service.database.pool.query('select 1 from failure_draft where partner_event_id = $1', [event]);
  return rows.length;
}

/** A colleague states an event that can never be confirmed: its id. */
async function draftFailure(): Promise<string> {
  const drafter = await signedInOperator(service, 'operator');
  const event = uniqueId('event');
  const drafted = await drafter.postOnce('/operator/v1/failures', {
    partner_id: partner.partnerId,
    partner_event_id: event,
    partner_order_ref: uniqueId('order'),
    points: '5',
    reason: 'Another contribution holds the order.',
  });
  assert.equal(drafted.status, 200, drafted.text);
  return event;
}

async function newClosed() {
  const { partnerId, client, open } = await newSettledPartner(service);
  await client.confirm({ points: 40 });
  await closeThrough(service, open);
  return `${browser.baseUrl}/reconciliations/new?partner=${partnerId}&settlement=${open.settlementId}`;
}

const NOT_READ = 'could not be read, so the service refused this';
const CANNOT = { code: 'internal_service_unavailable', message: 'The service could not complete the request.' };

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

  for (const [why, answer] of [
    ['nobody answers', (route: Route) => route.abort()],
    ['the service cannot answer', (route: Route) => route.fulfill({ status: 503, json: { error: CANNOT } })],
  ] as const) {
    test(`says of a list that it was refused, where ${why} what the new session is`, async () => {
      const page = await browser.signedIn('operator');
      await page.goto(await newClosed());
      await page.getByText('Choose the file').waitFor();
      await giveAgain(page.context());
      await page.route(/\/operator\/v1\/session$/, answer);
      await page.locator('input[type=file]').setInputFiles(LIST);
      const alert = page.getByRole('alert').filter({ hasText: NOT_READ });
      await alert.getByText(why === 'nobody answers' ? 'The service did not answer' : CANNOT.message).waitFor();
      assert.equal(await page.getByText('may have been made').count(), 0);
      assert.equal(await page.getByText('Failed to fetch').count(), 0);
    });

    test(`says of a change that it was refused, and leaves its fields free, where ${why} what the new session is`, async () => {
      const page = await browser.signedIn('operator');
      const event = await fillFailureReport(page, { browser, partner });
      await giveAgain(page.context());
      await page.route(/\/operator\/v1\/session$/, answer);
      const dialog = page.getByRole('dialog');
      const send = dialog.locator('button[type=submit]');
      await send.click();
      await dialog.getByRole('alert').getByText(NOT_READ).waitFor();
      assert.equal(await dialog.getByLabel('Event id of the partner').isEnabled(), true);
      await page.unroute(/\/operator\/v1\/session$/);
      await send.click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await countDrafts(event), 1);
    });
  }

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
    await signInInstead(page.context(), 'Second writer');
    await page.getByRole('dialog').locator('button[type=submit]').click();
    await page.getByText('Second writer').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(await countDrafts(event), 0);
  });

  test('of another person suspends no partner of which the first one read again whether it is suspended', async () => {
    const page = await browser.signedIn('admin', undefined, 'Read again');
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/partners/${partner.partnerId}`);
    await page.getByRole('button', { name: 'Edit the partner' }).click();
    await page.getByRole('menuitem', { name: 'Suspend' }).click();
    const send = page.getByRole('dialog').locator('button[type=submit]');
    await send.waitFor();
    let isFirst = true;
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
    await page.route(`**/operator/v1/partners/${partner.partnerId}`, async (route) => {
      const isOfChange = isFirst;
      isFirst = false;
      const response = await route.fetch();
      if (isOfChange) {
        await signInInstead(page.context(), 'Suspends nobody');
        await hearOf(page, 'Suspends nobody');
      }
      await route.fulfill({ response });
      if (isOfChange) read();
    });
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await send.click();
    await isRead;
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Reviews' }).click();
    await page.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
    assert.deepEqual(sent, []);
  });

  test('of another person decides none of the reviews that are left of those the first one decided', async () => {
    await Promise.all(Array.from({ length: 101 }, () => newPending()));
    const page = await browser.signedIn('operator', undefined, 'Decided many');
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/reviews`);
    const more = page.getByRole('button', { name: 'Show more' });
    for (const shown of [50, 100]) {
      await page.getByRole('checkbox', { name: `All: ${shown} shown`, exact: true }).waitFor();
      await more.click();
    }
    await page.getByRole('checkbox', { name: 'All', exact: true }).check();
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('The shop says so.');
    const sent = await signInDuring(page, /\/reviews\/decisions$/, 'Decided nothing');
    const answered = page.waitForResponse(/\/reviews\/decisions$/);
    await dialog.locator('button[type=submit]').click();
    await answered;
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByRole('link', { name: partner.name }).waitFor();
    assert.equal(sent.length, 1);
    const text = `select count(*)::int as waiting from contribution_review where resolved_at is null`;
    assert.deepEqual((await service.database.pool.query(text)).rows, [{ waiting: 1 }]);
  });

  test('of another person adds none of the settlements that are left of those the first one chose for a new batch', async () => {
    for (const points of [40, 50]) {
      const { client, open } = await newSettledPartner(service);
      await client.confirm({ points });
      await closeThrough(service, open);
    }
    const page = await browser.signedIn('operator', undefined, 'Chose two');
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/impact/new`);
    const boxes = page.getByRole('checkbox', { name: /^Choose:/ });
    for (const box of [boxes.nth(0), boxes.nth(1)]) await box.check();
    await page.getByRole('button', { name: 'Create the batch' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Of one person');
    await dialog.getByLabel('Trees').fill('7');
    const sent = await signInDuring(page, /\/impact-batches(\/[^/]+\/settlements)?$/, 'Chose none');
    const answered = page.waitForResponse(/\/impact-batches$/);
    await dialog.locator('button[type=submit]').click();
    await answered;
    await page.getByRole('link', { name: 'Partners' }).click();
    await page.getByRole('link', { name: partner.name }).waitFor();
    assert.equal(sent.length, 1);
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
  for (const [when, isHeardBefore] of [
    ['before the page hears of it', false],
    ['after the page has heard of it', true],
  ] as const)
    test(`is given up, ${when}, and the end of the next session is said as ever`, async () => {
      const page = await browser.signedIn('approver', undefined, `Asked for it ${when}`);
      await page.clock.install();
      const event = await draftFailure();
      await page.goto(`${browser.baseUrl}/failures?status=drafted`);
      await page.getByRole('row').filter({ hasText: event }).getByRole('button', { name: 'Approve', exact: true }).click();
      await ageSession(service, `Asked for it ${when}`);
      await page.route('**/approve', async (route) => {
        const response = await route.fetch();
        assert.equal(response.status(), 403);
        await signInInstead(page.context(), 'Came after');
        if (isHeardBefore) await hearOf(page, 'Came after');
        await route.fulfill({ response });
      });
      const refused = page.waitForResponse('**/approve');
      await page.getByRole('dialog').locator('button[type=submit]').click();
      await refused;
      await page.getByText('Came after').waitFor();
      await page.context().clearCookies();
      // The page may have heard of it by itself.
      await page.evaluate(`document.querySelector('nav a[href="/reviews"]').click()`);
      await page.getByText('Your session has ended').waitFor();
    });
});

describe('two steps that ask for the password at once', needsBrowser, () => {
  test('both go on once it is given', async () => {
    const page = await browser.signedIn('approver', undefined, 'Asked twice');
    const event = await draftFailure();
    await ageSession(service, 'Asked twice');
    const { promise: isAsked, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/session/second-factor', async (route) => {
      const response = await route.fetch();
      if (response.status() === 403) await isAsked;
      await route.fulfill({ response });
    });
    await page.goto(`${browser.baseUrl}/account`);
    const begun = page.waitForRequest('**/session/second-factor');
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await begun;
    await page.getByRole('link', { name: 'Failures' }).click();
    await page.getByRole('row').filter({ hasText: event }).getByRole('button', { name: 'Approve', exact: true }).click();
    const step = page.getByRole('dialog').filter({ hasText: event });
    await step.locator('button[type=submit]').click();
    const again = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await again.waitFor();
    const refused = page.waitForResponse('**/session/second-factor');
    letGo();
    await refused;
    await again.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await again.locator('button[type=submit]').click();
    await step.waitFor({ state: 'detached' });
    const text = 'select status from failure_draft where partner_event_id = $1';
    assert.deepEqual((await service.database.pool.query(text, [event])).rows, [{ status: 'approved' }]);
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
