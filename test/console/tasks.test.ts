/** What operators do in the console, from the first click to what changed in the database. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { ageSession } from '../support/console/age-session.ts';
import { needsBrowser, newPerson } from '../support/console/browser.ts';
import { choose } from '../support/console/choose.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { untilStill } from '../support/console/until-still.ts';
import { codeOf, OperatorClient, PASSWORD, signedInOperator } from '../support/operator-client.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, client, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const statusOf = async (transactionId: string) => {
  const { rows } = await service.database.pool.query(
    'select status, resolved_by, note from contribution join contribution_review using (partner_id, transaction_id) where transaction_id = $1',
    [transactionId],
  );
  return rows[0];
};
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

describe('the sign-in', needsBrowser, () => {
  test('a one-time link sets a password, and leaves the history of the browser', async () => {
    const { code, email, operatorId } = await newPerson(service, 'viewer');
    const page = await browser.open();
    await page.goto(`${browser.baseUrl}/sign-in#${code}`);
    await page.getByLabel('New password').fill(PASSWORD);
    assert.equal(page.url(), `${browser.baseUrl}/sign-in`);
    await page.getByLabel('The same password again').fill('another one');
    await page.getByText('The two passwords differ.').waitFor();
    await page.getByLabel('The same password again').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await heading(page, 'Overview');
    const { rows } = await service.database.pool.query(
      "select count(*)::int as sessions from operator_credential where operator_id = $1 and kind = 'session'",
      [operatorId],
    );
    assert.equal(rows[0].sessions, 1);
    const cookies = await page.context().cookies();
    assert.deepEqual(
      cookies.map(({ httpOnly, secure, sameSite }) => ({ httpOnly, secure, sameSite })),
      [{ httpOnly: true, secure: true, sameSite: 'Strict' }],
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('input:focus[autocomplete=username]').waitFor();
    await page.keyboard.type(email);
    await page.locator('input[type=password]').fill('this is not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The operator or the password is wrong').waitFor();
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Overview');
  });

  test('is not undone by an answer of before it that comes late', async () => {
    const { code } = await newPerson(service, 'viewer');
    const page = await browser.open();
    const held = Promise.withResolvers<() => Promise<void>>();
    await page.route(
      '**/operator/v1/session',
      async (route) => {
        const response = await route.fetch();
        held.resolve(() => route.fulfill({ response }));
      },
      { times: 1 },
    );
    await page.goto(`${browser.baseUrl}/sign-in#${code}`);
    const letCome = await held.promise;
    for (const label of ['New password', 'The same password again']) await page.getByLabel(label).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await heading(page, 'Overview');
    const late = page.waitForResponse((answer) => answer.status() === 401);
    await letCome();
    await (await late).finished();
    await untilStill(page);
    assert.equal(await page.getByText('Your session has ended.').count(), 0);
    await page.getByRole('navigation').getByRole('link', { name: 'Partners', exact: true }).click();
    await heading(page, 'Partners');
  });

  test('is not asked for again where an answer of before the password was changed comes late', async () => {
    const page = await browser.signedIn('viewer');
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/account`);
    await heading(page, 'Account');
    const held = Promise.withResolvers<() => Promise<void>>();
    const { status, text } = await new OperatorClient(service.operationsPort).get('/operator/v1/session');
    assert.equal(status, 401);
    await page.route(
      '**/operator/v1/session',
      (route) => held.resolve(() => route.fulfill({ status, contentType: 'application/json', body: text })),
      { times: 1 },
    );
    await page.clock.fastForward(16_000);
    const letCome = await held.promise;
    await page.getByLabel('Current password').fill(PASSWORD);
    for (const label of ['New password', 'The same password again']) await page.getByLabel(label).fill(`${PASSWORD} changed`);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password is changed.').waitFor();
    await letCome();
    await untilStill(page);
    assert.equal(await page.getByText('Your session has ended.').count(), 0);
    await page.getByRole('navigation').getByRole('link', { name: 'Partners', exact: true }).click();
    await heading(page, 'Partners');
  });

  test('in Arabic a refused sign-in and a used link are said whole, without a sentence in English', async () => {
    const page = await browser.open({ language: 'ar' });
    const alert = page.getByRole('alert');
    await page.goto(browser.baseUrl);
    await page.locator('input[autocomplete=username]').fill('nobody@example.org');
    await page.locator('input[type=password]').fill('this is not the password');
    await page.getByRole('button', { name: 'تسجيل الدخول', exact: true }).click();
    await alert.getByText('بيانات الدخول غير صحيحة').waitFor();
    assert.doesNotMatch(await alert.innerText(), /[A-Za-z]/);
    await page.goto('about:blank');
    await page.goto(`${browser.baseUrl}/sign-in#pi_code_${'x'.repeat(60)}`);
    for (const field of await page.locator('input[type=password]').all()) await field.fill('a password of many words');
    await page.locator('form:has(input[type=password]) button[type=submit]').click();
    await alert.getByText('هذا الرابط غير صالح').waitFor();
    assert.doesNotMatch(await alert.innerText(), /[A-Za-z]/);
  });

  test('a session that has ended asks for the password, and leads back to the same page', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners?name=souq`);
    await page.getByRole('link', { name: 'Souq Express' }).waitFor();
    await page.context().clearCookies();
    await page.getByLabel('A part of the name').fill('sou');
    await page.getByText('Your session has ended.').waitFor();
    assert.match(page.url(), /\/partners\?name=sou/);
  });

  test('a session that ends in the middle of a form hides it, and gives it back with what was typed, to the same person alone', async () => {
    const { transaction_id } = (await client.confirm({ ...newConfirmation(), points: 150 })).body.contribution;
    const [own, other] = [await newPerson(service, 'operator'), await newPerson(service, 'operator')];
    const page = await browser.open();
    const setPassword = async (code: string) => {
      await page.goto(`${browser.baseUrl}/sign-in#${code}`);
      for (const label of ['New password', 'The same password again']) await page.getByLabel(label).fill(PASSWORD);
      await page.getByRole('button', { name: 'Set the password and sign in' }).click();
      await heading(page, 'Overview');
    };
    await setPassword(other.code);
    await page.context().clearCookies();
    await setPassword(own.code);
    const form = page.getByRole('dialog', { name: 'Draft an adjustment' });
    const reason = form.getByLabel('Reason for the partner, in English');
    const typeDraft = async () => {
      await page.goto(`${browser.baseUrl}/contributions/${partner.partnerId}/${transaction_id}`);
      await page.getByRole('button', { name: 'Draft an adjustment' }).click();
      await form.getByLabel('Change of points').fill('-50');
      await reason.fill('The order had two lines.');
      await form.getByLabel('Reason for the partner, in Arabic').fill('كان في الطلب سطران.');
    };
    const send = (terms?: { timeout: number }) => form.getByRole('button', { name: 'Draft an adjustment' }).click(terms);
    const sendAfterEnd = async () => {
      await page.context().clearCookies();
      // What the page reads by itself may meet the end before the click does, and hide the button. A click that still waited for it
      // would come when the form is back.
      await send({ timeout: 2_000 }).catch(() => {});
      await page.getByText('Your session has ended.').waitFor();
      await form.waitFor({ state: 'hidden' });
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, 'nothing of the page is seen');
    };
    const signIn = async (login: string) => {
      await page.getByLabel('E-mail address or operator id').fill(login);
      await page.locator('input[type=password]').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await page.clock.install();
    await typeDraft();
    const title = await page.title();
    await sendAfterEnd();
    // Somebody who comes back after lunch.
    await page.clock.fastForward('59:00');
    await page.getByLabel('E-mail address or operator id').press('Escape');
    assert.notEqual(await page.evaluate('getComputedStyle(document.body).overflowY'), 'hidden', 'the sign-in can be scrolled');
    await signIn(own.email);
    await form.waitFor();
    assert.deepEqual([await reason.inputValue(), await page.title()], ['The order had two lines.', title]);
    assert.equal(await form.getByRole('alert').count(), 0, 'the sign-in has answered the refusal');
    await send();
    await page.waitForURL(/\/adjustments\//);
    await typeDraft();
    await sendAfterEnd();
    await signIn(other.email);
    await page.getByRole('button', { name: 'Draft an adjustment' }).click();
    assert.equal(await reason.inputValue(), '');
  });
});

describe('behind the sign-in of a session that has ended', needsBrowser, () => {
  test('the search hears no key: what is typed stands in the sign-in, and is sent nowhere else', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners`);
    await heading(page, 'Partners');
    await page.keyboard.press('Control+k');
    const search = page.getByPlaceholder('Order, event id, key, partner');
    await search.waitFor();
    await page.context().clearCookies();
    // At once: the sign-in may be there before the last of several letters, and takes it.
    await search.fill('souq');
    await page.getByText('Your session has ended.').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(decodeURIComponent(request.url())));
    const login = page.getByLabel('E-mail address or operator id');
    await login.click();
    await page.keyboard.type('person/k');
    const password = page.locator('input[type=password]');
    await password.click();
    await page.keyboard.type('secret');
    await page.keyboard.press('Control+k');
    assert.deepEqual([await login.inputValue(), await password.inputValue()], ['person/k', 'secret']);
    assert.deepEqual(
      asked.filter((url) => /secret|person/.test(url)),
      [],
    );
  });

  test('a sign-in in another tab is noticed, and the records of another person are read anew', async () => {
    const page = await browser.signedIn('viewer', undefined, 'First reader');
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/partners`);
    await page.getByRole('link', { name: 'Souq Express' }).waitFor();
    await page.context().clearCookies();
    await page.getByLabel('A part of the name').fill('souq');
    await page.getByText('Your session has ended.').waitFor();
    const { cookie } = await signedInOperator(service, 'viewer', 'Second reader');
    const [name = '', value = ''] = cookie.split('=');
    const terms = { domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Strict' } as const;
    await page.context().addCookies([{ name, value, ...terms }]);
    // The session is read four times a minute.
    await page.clock.fastForward(20_000);
    await page.getByText('Second reader').waitFor();
    assert.equal(await page.getByText('First reader').count(), 0);
    await page.getByRole('link', { name: 'Souq Express' }).waitFor();
  });
});

describe('the own account', needsBrowser, () => {
  test('an authenticator app is set up, asked for at the next sign-in, and removed; the password changes', async () => {
    const { code, email } = await newPerson(service, 'viewer', 'Person with an app');
    const page = await browser.open();
    await page.goto(`${browser.baseUrl}/sign-in#${code}`);
    await page.getByText('12 to 128 characters, at least 5 of them different, without your name').waitFor();
    for (const password of ['too short', PASSWORD]) {
      for (const label of ['New password', 'The same password again']) await page.getByLabel(label).fill(password);
      await page.getByRole('button', { name: 'Set the password and sign in' }).click();
      if (password !== PASSWORD) await page.getByText('The password must have 12 to 128 characters; it has 9.').waitFor();
    }
    const openAccount = async () => {
      await page.getByRole('link', { name: /^Account/ }).click();
      await heading(page, 'Your account');
    };
    await openAccount();
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const dialog = page.getByRole('dialog');
    const secret = (await dialog.locator('.id').first().innerText()).trim();
    await dialog.getByLabel('Code of your authenticator app').fill('000000');
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByText('The code is not valid now.').waitFor();
    await dialog.getByLabel('Code of your authenticator app').fill(codeOf(secret));
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('A sign-in needs a code of your authenticator app.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail address or operator id').fill(email);
    await page.locator('input[type=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code of your authenticator app').fill(codeOf(secret, 'next'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await openAccount();
    await page.getByRole('button', { name: 'Remove the second factor' }).click();
    await dialog.getByRole('button', { name: 'Remove the second factor' }).click();
    await page.getByText('A sign-in needs the password alone.').waitFor();
    const changed = `${PASSWORD} and one more`;
    await page.getByLabel('Current password').fill('not the password');
    await page.getByLabel('New password').fill(changed);
    await page.getByLabel('The same password again').fill(changed);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The operator or the password is wrong').waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password is changed.').waitFor();
    const person = new OperatorClient(service.operationsPort);
    assert.equal((await person.post('/operator/v1/session', { login: email, password: changed })).status, 200);
  });
});

describe('tasks', needsBrowser, () => {
  test('find a contribution by its order, and see all that happened to it', async () => {
    const { order, transactionId } = await newPending();
    const page = await browser.signedIn('viewer');
    await page.goto(browser.baseUrl);
    await page.locator('h1').waitFor();
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Search' }).fill(order);
    const hit = page.locator('[data-action]').filter({ hasText: order });
    await hit.getByText('Pending').waitFor();
    const told = (await hit.innerText()).replaceAll(/[\u2066-\u2069]/g, '');
    assert.match(told, /Contribution · Souq Express · \d{1,2} \w+ \d{4}, \d\d:\d\d/);
    await page.getByRole('textbox', { name: 'Search' }).press('Enter');
    await heading(page, order);
    assert.ok(page.url().endsWith(`/contributions/${partner.partnerId}/${transactionId}`));
    const timeline = page.locator('.mantine-Timeline-root');
    await timeline.getByText('Recorded').waitFor();
    await timeline.getByText('At or above the review threshold').waitFor();
    await timeline.getByText('No estimate was named').hover();
    await page.getByRole('tooltip').getByText('not_requested').waitFor();
  });

  test('clear reviews: filter, choose several, one reason, and they are confirmed in the database', async () => {
    const [first, second, third] = [await newPending(), await newPending(), await newPending()];
    const page = await browser.signedIn('operator');
    await page.goto(browser.baseUrl);
    await page
      .getByRole('link', { name: /^Reviews/ })
      .last()
      .click();
    await heading(page, 'Reviews');
    await choose(page, { field: 'Partner', option: 'Souq Express' });
    await page.waitForURL(/partner=/);
    for (const { order } of [first, second]) await page.getByLabel(`Choose: ${order} · Souq Express`).check();
    await page.getByText('2 contributions chosen, 500 points').waitFor();
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This is final.').waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Confirm 2 contributions' }).isDisabled());
    await dialog.getByLabel('Reason').fill('The shop was called.');
    await dialog.getByRole('button', { name: 'Confirm 2 contributions' }).click();
    await page.getByText('2 contributions are confirmed now.').waitFor();
    for (const { transactionId } of [first, second]) {
      const { status, note } = await statusOf(transactionId);
      assert.deepEqual([status, note], ['confirmed', 'The shop was called.']);
    }
    assert.equal((await statusOf(third.transactionId)).status, 'pending');
    await page.getByLabel(`Choose: ${first.order} · Souq Express`).waitFor({ state: 'detached' });
  });

  test('decide one review with its cap and its order in sight', async () => {
    const { transactionId, order } = await newPending();
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/reviews`);
    await page.getByText(order).click();
    await page.getByRole('heading', { name: /^Daily limits of the partner, / }).waitFor();
    await page.getByText('This contribution is counted in them.').waitFor();
    // From the contribution the review is one click away.
    await page.getByRole('link', { name: 'What happened to the contribution' }).click();
    await page.getByRole('link', { name: 'Open the review' }).click();
    await page.getByRole('heading', { level: 1, name: new RegExp(`^Review of .${order}.$`) }).waitFor();
    assert.deepEqual(
      await page
        .getByRole('main')
        .getByRole('button', { name: /^(?:Confirm|Fail)$/ })
        .allInnerTexts(),
      ['Confirm', 'Fail'],
    );
    await page.getByRole('button', { name: 'Fail' }).click();
    await page.getByRole('dialog').getByText('may give the points back').waitFor();
    await page.getByRole('dialog').getByLabel('Reason').fill('The order was cancelled.');
    await page.getByRole('dialog').getByRole('button', { name: 'Fail 1 contribution' }).click();
    await page.getByText('You recorded 1 contribution as failed.').waitFor();
    assert.equal((await statusOf(transactionId)).status, 'failed');
    assert.equal((await client.get(transactionId)).body.contribution.status, 'failed');
  });

  test('record a failure: one drafts it, another approves it after reading what is final', async () => {
    const event = uniqueId('event');
    const drafter = await browser.signedIn('operator');
    await drafter.goto(browser.baseUrl);
    await drafter.getByRole('link', { name: /^Failures$/ }).click();
    await drafter.getByRole('button', { name: 'Report a refused event' }).click();
    const form = drafter.getByRole('dialog');
    await choose(form, { field: 'Partner', option: 'Souq Express' });
    await form.getByLabel('Event id of the partner').fill(event);
    await form.getByLabel('Order (partner_order_ref)').fill('order-refused');
    await form.getByLabel('Points that the partner took').fill('12.5');
    await form.getByLabel('Reason').fill('Another contribution holds the order.');
    await form.getByRole('button', { name: 'Report a refused event' }).click();
    await form.getByText('Points that the partner took must be a whole number').first().waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'detached' });
    await drafter.getByRole('button', { name: 'Report a refused event' }).click();
    await form.getByLabel('Reason').fill('Another contribution holds the order.');
    assert.equal(await form.getByText('Points that the partner took must be a whole number').count(), 0);
    await form.getByLabel('Points that the partner took').fill('450');
    await form.getByRole('button', { name: 'Report a refused event' }).click();
    await drafter.getByRole('row').filter({ hasText: event }).getByText('Your own draft').waitFor();
    assert.equal(await drafter.getByRole('button', { name: 'Approve' }).count(), 0);
    const approver = await browser.signedIn('approver', {}, 'Approver of failures');
    await approver.goto(`${browser.baseUrl}/failures?status=drafted`);
    await approver.getByRole('row').filter({ hasText: event }).getByRole('button', { name: 'Approve' }).click();
    const dialog = approver.getByRole('dialog');
    await dialog.getByText('may give 450 points back to the customer, once').waitFor();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await approver.getByText(new RegExp(`^The event .${event}. is recorded as failed`)).waitFor();
    const { body } = await client.findByEvent(event);
    assert.equal(body.contribution.status, 'failed');
  });

  test('a viewer looks, and is offered no change', async () => {
    const { transactionId } = await newPending();
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/reviews`);
    await page.getByText('Your role lets you look.').waitFor();
    assert.equal(await page.getByRole('checkbox').count(), 0);
    await page.goto(`${browser.baseUrl}/reviews/${partner.partnerId}/${transactionId}`);
    await page.getByRole('heading', { name: /^Daily limits of the partner, / }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^(?:Confirm|Fail)\b/ }).count(), 0);
  });
});

describe('tasks with money', needsBrowser, () => {
  const confirmed = async () => {
    const order = uniqueId('order');
    const answer = await client.confirm({ ...newConfirmation(), partner_order_ref: order, points: 150 });
    return answer.body.contribution.transaction_id as string;
  };

  test('draft an adjustment from a contribution; another person approves it after the password, and posts it', async () => {
    const transactionId = await confirmed();
    const drafter = await browser.signedIn('operator');
    await drafter.goto(`${browser.baseUrl}/contributions/${partner.partnerId}/${transactionId}`);
    await drafter.getByRole('button', { name: 'Draft an adjustment' }).click();
    const form = drafter.getByRole('dialog');
    await form.getByLabel('Change of points').fill('-50');
    await form.getByRole('row', { name: /^Settled points 150 100$/ }).waitFor();
    await form.getByText('has the reason in both languages').waitFor();
    await form.getByLabel('Reason for the partner, in English').fill('The order had two lines.');
    await form.getByLabel('Reason for the partner, in Arabic').fill('كان في الطلب سطران.');
    await form.getByRole('button', { name: 'Draft an adjustment' }).click();
    await heading(drafter, 'Adjustment');
    await drafter.getByText('none: no value of a point was in force when the contribution was recorded').waitFor();
    const [, adjustmentId = ''] = /\/adjustments\/[^/]+\/(\w+)/.exec(drafter.url()) ?? [];
    const stateOf = async () => {
      const { rows } = await service.database.pool.query('select status, points_delta from adjustment where adjustment_id = $1', [
        adjustmentId,
      ]);
      return rows[0];
    };
    assert.deepEqual(await stateOf(), { status: 'draft', points_delta: -50n });
    const adjustmentPage = drafter.url();
    await drafter.goto(`${browser.baseUrl}/contributions/${partner.partnerId}/${transactionId}`);
    await drafter.getByText('Adjustment drafted').waitFor();
    assert.equal(await drafter.getByText('Points with adjustments').count(), 0);

    const approver = await browser.signedIn('approver', {}, 'Approver of money');
    await ageSession(service, 'Approver of money');
    await approver.goto(adjustmentPage);
    await approver.getByRole('button', { name: 'Approve', exact: true }).click();
    await approver.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
    const again = approver.getByRole('dialog', { name: 'Confirm that it is you' });
    await again.getByText(/^This step needs a sign-in of the last 10 minutes\./).waitFor();
    await again.getByRole('button', { name: 'Close', exact: true }).waitFor();
    await approver.keyboard.press('Escape');
    await again.waitFor({ state: 'detached' });
    await approver.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
    await approver.locator('input[type=password]').fill(PASSWORD);
    await approver.getByRole('button', { name: 'Continue' }).click();
    await approver.getByRole('button', { name: 'Post', exact: true }).click();
    assert.equal((await stateOf()).status, 'approved');
    await approver.getByRole('dialog').getByText('This is final').waitFor();
    await approver.getByRole('dialog').getByText('No endpoint of the partner gets this event').waitFor();
    await approver.getByRole('dialog').getByRole('button', { name: 'Post', exact: true }).click();
    await approver.getByText('Posted by').waitFor();
    assert.equal((await stateOf()).status, 'posted');
    await approver.goto(`${browser.baseUrl}/contributions/${partner.partnerId}/${transactionId}`);
    const net = approver.locator('dt', { hasText: 'Points with adjustments' });
    await net.waitFor();
    assert.equal(await net.locator('xpath=following-sibling::dd').innerText(), '100');
  });

  test('close a settlement with what is still open in sight, and download its statement', async () => {
    await confirmed();
    const page = await browser.signedIn('approver');
    await page.goto(`${browser.baseUrl}/settlements?partner=${partner.partnerId}`);
    await page.getByRole('cell', { name: 'Open', exact: true }).click();
    await page.getByRole('button', { name: 'Close now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Pending contributions').waitFor();
    for (const figure of ['Net points', 'Payable points']) await dialog.getByText(figure).first().waitFor();
    // On a screen of 1280 by 800 the dialog is higher than its room.
    const end = dialog.getByRole('button', { name: 'Close now' });
    await waitFor('the button in sight', async () => {
      const box = await end.boundingBox();
      return box !== null && box.y + box.height <= (page.viewportSize()?.height ?? 0);
    });
    assert.ok(await dialog.evaluate((content) => content.scrollHeight > content.clientHeight));
    await dialog.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText('The verification of the records of this partner has begun.').waitFor();
    await dialog.getByText(/^Nothing is modified: /).waitFor();
    await dialog.getByRole('button', { name: 'Close now' }).click();
    const statement = page.getByRole('link', { name: 'Download the statement' });
    await statement.waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), statement.click()]);
    const { rows } = await service.database.pool.query(
      'select count(*)::int as closed from settlement where partner_id = $1 and closed_at is not null',
      [partner.partnerId],
    );
    assert.equal(rows[0].closed, 1);
    assert.match(download.suggestedFilename(), /^statement-.+\.csv$/);
  });
});
