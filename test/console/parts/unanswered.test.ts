/** What a person is told where the service does not answer or cannot, and what stays on the page meanwhile. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { fillFailureReport } from '../../support/console/fill-failure-report.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { endpointTools, newEndpoint } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const folder = temporaryFolder('unanswered');
const MAY_BE_MADE = 'so the change may have been made';

/** As the service says that it cannot now. */
function refuse(route: Route, status = 503): Promise<void> {
  const error = { code: 'internal_service_unavailable', message: 'The service could not complete the request.' };
  return route.fulfill({ status, contentType: 'application/json', body: JSON.stringify({ error }) });
}

/** Answers requests of a method by itself, until the function that comes back is called. */
async function answerBy(page: Page, { url, method }: { url: RegExp; method: string }, answer: (route: Route) => Promise<void>) {
  const handler = (route: Route) => (route.request().method() === method ? answer(route) : route.continue());
  await page.route(url, handler);
  return () => page.unroute(url, handler);
}

describe('a sign-out', needsBrowser, () => {
  for (const [language, button, said] of [
    ['en', 'Sign out', 'You may still be signed in'],
    ['ar', 'تسجيل الخروج', 'قد تكون جلستك ما زالت مفتوحة'],
  ] as const)
    test(`that the service did not answer says that the session may go on, and is tried again, ${language}`, async () => {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/partners`);
      const mend = await answerBy(page, { url: /\/operator\/v1\/session$/, method: 'DELETE' }, refuse);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('alert').getByText(said).waitFor();
      await mend();
      await page.getByRole('button', { name: button }).click();
      await page.locator('[data-sign-in]').waitFor();
    });

  test('of a session that has ended asks for the sign-in', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners`);
    await page.locator('tbody tr').first().waitFor();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Your session has ended').waitFor();
  });
});

describe('a sign-in', needsBrowser, () => {
  test('without an answer changes nothing, and says what to look at', async () => {
    const page = await browser.open();
    await page.goto(browser.baseUrl);
    await page.getByLabel('E-mail address or operator id').fill('amal@example.org');
    await page.getByRole('textbox', { name: 'Password' }).fill('seven green olives 42');
    const mend = await answerBy(page, { url: /\/operator\/v1\/session$/, method: 'POST' }, (route) => route.abort());
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').getByText('Check that it runs').waitFor();
    assert.equal(await page.getByText(MAY_BE_MADE).count(), 0);
    await mend();
  });
});

describe('a page', needsBrowser, () => {
  test('that cannot be shown says so, and not that a change may have been made', async () => {
    const page = await browser.signedIn('viewer');
    const contentType = 'application/json';
    await page.route(/\/operator\/v1\/reviews\?/, (route) => route.fulfill({ contentType, body: '{"has_more":false}' }));
    await page.goto(`${browser.baseUrl}/reviews`);
    await page.getByRole('heading', { name: 'The page has a defect' }).waitFor();
    await page.getByText('The other pages work').waitFor();
    assert.equal(await page.getByText(MAY_BE_MADE).count(), 0);
    await page.unroute(/\/operator\/v1\/reviews\?/);
  });

  test('whose reads hang says after one time-out that what is seen is of before, and a new page that there is no answer', async () => {
    const page = await browser.signedIn('viewer');
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/partners`);
    await page.locator('tbody tr').first().waitFor();
    const asked = page.waitForRequest(/\/operator\/v1\/partners(\?|$)/);
    await page.route(/\/operator\/v1\//, () => {});
    await page.clock.fastForward('00:16');
    await asked;
    await page.clock.fastForward('01:11');
    await page.getByText('The service does not answer. What you see was read at').waitFor();
    const first = page.waitForRequest(/\/operator\/v1\/failures/);
    await page.getByRole('link', { name: 'Failures' }).click();
    await first;
    await page.clock.fastForward('01:11');
    await page.getByRole('main').getByText('The service did not answer').waitFor();
  });

  test('on which a key is shown once keeps it where the partner is not read again', async () => {
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/partners/${partner.partnerId}/set-up`);
    await page.getByRole('button', { name: 'Issue another key' }).click();
    const url = new RegExp(`/operator/v1/partners/${partner.partnerId}$`);
    const asked = page.waitForResponse((answer) => url.test(answer.url()) && answer.status() === 503);
    const mend = await answerBy(page, { url, method: 'GET' }, refuse);
    await page.getByRole('button', { name: 'Issue a key' }).click();
    await asked;
    await page.getByText('What you see was read at').waitFor();
    await page
      .locator('.secret')
      .getByText(/^pi_sandbox_/)
      .waitFor();
    await mend();
  });
});

describe('a list that is sent', needsBrowser, () => {
  async function newClosed() {
    const { partnerId, client, open } = await newSettledPartner(service);
    await client.confirm({ points: 40 });
    await closeThrough(service, open);
    return `partner=${partnerId}&settlement=${open.settlementId}`;
  }

  test('leads nobody away from the page to which the person went meanwhile', async () => {
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/reconciliations/new?${await newClosed()}`);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await answerBy(page, { url: /\/reconciliations$/, method: 'POST' }, async (route) => {
      await held;
      await route.continue();
    });
    const buffer = Buffer.from('partner_event_id,partner_order_ref,points\nevent-00012345,order-12345,250\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer });
    await page.getByText('list.csv').waitFor();
    await page.getByRole('link', { name: 'Failures' }).click();
    await page.getByRole('button', { name: 'Report a refused event' }).click();
    await page.getByRole('dialog').getByLabel('Order').fill('order-1');
    release();
    await page.locator('.mantine-Notification-root').waitFor();
    assert.equal(await page.getByRole('dialog').getByLabel('Order').inputValue(), 'order-1');
    assert.equal(new URL(page.url()).pathname, '/failures');
  });

  test('ends when no answer comes, says that it may have arrived, and the same file is the same change', async () => {
    const page = await browser.signedIn('operator');
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/reconciliations/new?${await newClosed()}`);
    const keys: (string | undefined)[] = [];
    const asked = Promise.withResolvers<void>();
    const mend = await answerBy(page, { url: /\/reconciliations$/, method: 'POST' }, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      asked.resolve();
    });
    const file = join(folder, 'list.csv');
    writeFileSync(file, 'partner_event_id,partner_order_ref,points\nevent-00012345,order-12345,250\n');
    await page.locator('input[type=file]').setInputFiles(file);
    await asked.promise;
    await page.clock.fastForward('01:11');
    await page.getByRole('alert').getByText(MAY_BE_MADE).waitFor();
    await mend();
    const again = page.waitForRequest((request) => request.method() === 'POST' && /\/reconciliations$/.test(request.url()));
    await page.locator('input[type=file]').setInputFiles(file);
    keys.push((await again).headers()['idempotency-key']);
    await page.waitForURL(/\/reconciliations\/ptn_/);
    assert.ok(keys[0]);
    assert.equal(new Set(keys).size, 1, keys.join());
  });

  test('needs a settlement, of which is said that none could be read', async () => {
    const page = await browser.signedIn('operator');
    const mend = await answerBy(page, { url: /\/settlements\?.*limit=/, method: 'GET' }, refuse);
    await page.goto(`${browser.baseUrl}/reconciliations/new?partner=${partner.partnerId}`);
    await page.getByText('This could not be read', { exact: true }).waitFor();
    await mend();
  });
});

describe('what an adjustment would do', needsBrowser, () => {
  test('could not be read: nothing is said of a change', async () => {
    const { partnerId, client } = await newSettledPartner(service);
    const { transaction_id } = (await client.confirm({ points: 40 })).body.contribution;
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/contributions/${partnerId}/${transaction_id}`);
    await page.getByRole('button', { name: 'Draft an adjustment' }).click();
    const mend = await answerBy(page, { url: /adjustment-preview/, method: 'GET' }, (route) => route.abort());
    await page.getByRole('dialog').getByLabel('Change of points').fill('-10');
    await page.getByRole('dialog').getByRole('alert').getByText('Check that it runs').waitFor();
    assert.equal(await page.getByText(MAY_BE_MADE).count(), 0);
    await mend();
  });
});

describe('the rest of a list', needsBrowser, () => {
  test('that cannot be read is said beside the button, which reads it later', async () => {
    const drafter = await signedInOperator(service, 'operator');
    for (let number = 0; number < 51; number++)
      await drafter.postOnce('/operator/v1/failures', {
        partner_id: partner.partnerId,
        partner_event_id: `event-of-a-list-${number}`,
        partner_order_ref: `order-of-a-list-${number}`,
        points: '10',
        reason: 'The order is held by another contribution.',
      });
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/failures`);
    const rows = page.locator('tbody tr');
    await rows.nth(49).waitFor();
    const more = page.getByRole('button', { name: 'Show more' });
    for (const status of [429, 503]) {
      const mend = await answerBy(page, { url: /failures\?.*after=/, method: 'GET' }, (route) => refuse(route, status));
      const refused = page.waitForResponse((answer) => answer.status() === status);
      await more.click();
      // What is said of the one before stands there until then.
      await refused;
      const alert = page.locator('.records-end + [role=alert]');
      await alert.getByText('The service could not complete the request').waitFor();
      await mend();
    }
    // Unless the list was read again by itself meanwhile, with its rest: then there is no button any more.
    await Promise.any([rows.nth(50).waitFor(), more.click().then(() => rows.nth(50).waitFor())]);
    assert.equal(await page.locator('.records-end + [role=alert]').count(), 0);
  });
});

describe('a change that a proxy answers in place of the service', needsBrowser, () => {
  test('may have been made, and is made once however often it is sent', async () => {
    const page = await browser.signedIn('operator');
    const event = await fillFailureReport(page, { browser, partner });
    const dialog = page.getByRole('dialog');
    // It is made, and its answer is lost behind the proxy.
    const mend = await answerBy(page, { url: /\/failures$/, method: 'POST' }, async (route) => {
      await route.fetch();
      await route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>504 Gateway Time-out</h1>' });
    });
    const send = dialog.locator('button[type=submit]');
    await send.click();
    await dialog.getByRole('alert').getByText('the failure may have been drafted').waitFor();
    await mend();
    await send.click();
    await dialog.waitFor({ state: 'detached' });
    const text = 'select count(*)::int as times from failure_draft where partner_event_id = $1';
    const { rows } = await service.database.pool.query(text, [event]);
    assert.deepEqual(rows, [{ times: 1 }]);
  });
});

const ENDS_SOONER = "update api_key set expires_at = expires_at - interval '1 minute' where partner_id = $1";

describe('a key that was issued, of which the answer was lost', needsBrowser, () => {
  for (const [language, t] of [
    [
      'en',
      {
        replace: 'Replace',
        another: 'Issue another key',
        issue: 'Issue a key',
        ends: 'Ends',
        inDoubt: 'the key may have been issued',
        keepsEnd: 'The new key ends',
        cancel: 'Cancel',
        stay: 'Stay',
        copy: 'Copy the key',
        refused: 'The browser did not copy it.',
      },
    ],
    [
      'ar',
      {
        replace: 'استبدال',
        another: 'إصدار مفتاح آخر',
        issue: 'إصدار مفتاح',
        ends: 'ينتهي',
        inDoubt: 'ربما أُصدر المفتاح',
        keepsEnd: 'ينتهي المفتاح الجديد',
        cancel: 'إلغاء',
        stay: 'البقاء',
        copy: 'نسخ المفتاح',
        refused: 'لم ينسخه المتصفح.',
      },
    ],
  ] as const)
    test(`is brought by the same button, and each key stays on the page until it is copied, ${language}`, async () => {
      const { partner: own, key } = await service.newPartner();
      const page = await browser.signedIn('operator', { language });
      const made: string[] = [];
      await answerBy(page, { url: /\/keys(?:\/\w+\/rotate)?$/, method: 'POST' }, async (route) => {
        const answer = await route.fetch();
        const { api_key } = await answer.json();
        const isLost = made.at(-1) !== api_key;
        // The key that was replaced ends within 24 hours when the list is read, however fast that is.
        await service.database.pool.query(ENDS_SOONER, [own.partnerId]);
        made.push(api_key);
        await (isLost ? route.abort() : route.fulfill({ response: answer }));
      });
      const dialog = page.getByRole('dialog');
      const open = () =>
        page
          .getByRole('row')
          .filter({ hasText: key.key.keyId.slice(-6) })
          .getByRole('button', { name: `${t.replace}: test` })
          .click();
      const leave = async () => {
        await page.evaluate('history.back()');
        await dialog.getByRole('button', { name: t.stay }).click();
        await dialog.waitFor({ state: 'detached' });
      };
      await page.goto(`${browser.baseUrl}/partners/${own.partnerId}`);
      await page.locator('a[href$="/set-up"]').click();
      await open();
      await dialog.getByRole('button', { name: t.replace, exact: true }).click();
      await dialog.getByText(t.inDoubt).waitFor();
      await dialog.locator('form').getByRole('button', { name: t.cancel, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('columnheader', { name: t.ends }).waitFor();
      await leave();
      await open();
      await dialog.getByText(t.inDoubt).waitFor();
      assert.equal(await dialog.getByText(t.keepsEnd).count(), 0);
      await dialog.getByRole('button', { name: t.replace, exact: true }).click();
      await page.locator('.secret').waitFor();
      await page.getByRole('button', { name: t.another }).click();
      const issue = page.getByRole('button', { name: t.issue, exact: true });
      await issue.click();
      await page.getByText(t.inDoubt).waitFor();
      await issue.click();
      await page.locator('.secret').nth(1).waitFor();
      assert.deepEqual(await page.locator('.secret').allInnerTexts(), [made[1], made[3]]);
      assert.deepEqual([made.length, new Set(made).size], [4, 2]);
      const { rows } = await service.database.pool.query('select from api_key where partner_id = $1', [own.partnerId]);
      assert.equal(rows.length, 3);
      const copy = page.getByRole('button', { name: t.copy });
      await page.context().clearPermissions();
      await copy.first().click();
      await page.getByText(t.refused).waitFor();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await copy.last().click();
      await leave();
      await copy.first().click();
      await page.getByText(t.refused).waitFor({ state: 'detached' });
      // A later copy that is refused is told too, until it is copied by hand.
      await copy.nth(1).waitFor();
      await page.context().clearPermissions();
      await copy.first().click();
      await page.getByText(t.refused).waitFor();
      await page.evaluate(`getSelection().selectAllChildren(document.querySelector('.secret'))`);
      await page.keyboard.press('Control+c');
      await page.getByText(t.refused).waitFor({ state: 'detached' });
      await page.evaluate('history.back()');
      await page.waitForURL(/\/partners\/\w+$/);
    });
});

test('a key whose answer can no longer be shown says so, and the same button issues another one then', needsBrowser, async () => {
  const { partner: own } = await service.newPartner();
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/partners/${own.partnerId}/set-up`);
  await page.getByRole('button', { name: 'Issue another key' }).click();
  const mend = await answerBy(page, { url: /\/keys$/, method: 'POST' }, async (route) => {
    await route.fetch();
    await route.abort();
  });
  const issue = page.getByRole('button', { name: 'Issue a key', exact: true });
  const ends = page.getByLabel('Ends: day');
  await ends.fill(`${new Date().getFullYear() + 4}-01-01`);
  await issue.click();
  await page.getByText('the key may have been issued').waitFor();
  // Another end would be sent as another key.
  assert.equal(await ends.isDisabled(), true);
  await mend();
  // As a day later.
  await service.database.pool.query("update keyed_answer set answer = 'removed' where answer like 'v1.%'");
  await issue.click();
  await page.getByText('If nobody has kept it, revoke the new API key and issue another one.').waitFor();
  await issue.click();
  await page.locator('.secret').waitFor();
  await page.getByRole('button', { name: 'Copy the key' }).click();
  const { rows } = await service.database.pool.query('select from api_key where partner_id = $1', [own.partnerId]);
  assert.equal(rows.length, 3);
});

for (const [language, sendTest, said] of [
  ['en', 'Send a test', 'Another test sends another one.'],
  ['ar', 'إرسال اختبار', 'كل اختبار آخر يرسل إشعارًا آخر.'],
] as const)
  test(`a test of an endpoint that nobody answered is not said to be sent once, ${language}`, needsBrowser, async () => {
    const endpoint = await newEndpoint(service, endpointTools(service.database));
    const page = await browser.signedIn('operator', { language });
    await page.goto(`${browser.baseUrl}/webhooks/${endpoint.partner.partnerId}/${endpoint.endpointId}`);
    await answerBy(page, { url: /\/test$/, method: 'POST' }, (route) => route.abort());
    await page.getByRole('main').getByRole('button', { name: sendTest, exact: true }).click();
    await page.getByRole('alert').getByText(said).waitFor();
    assert.equal(await page.getByText(MAY_BE_MADE).count(), 0);
  });

describe('a file of evidence', needsBrowser, () => {
  test('may take longer than any answer while it is being sent, and says how much of it is', async () => {
    const operator = await signedInOperator(service, 'operator');
    const { partnerId, client, open } = await newSettledPartner(service);
    await client.confirm({ points: 40 });
    await closeThrough(service, open);
    const post = async (path: string, body: object) => {
      const { status, text, body: answer } = await operator.postOnce(`/operator/v1/${path}`, body);
      assert.equal(status, 200, text);
      return answer;
    };
    const { impact_batch_id: id } = await post('impact-batches', { name: 'Slow line', quantity: '5' });
    await post(`impact-batches/${id}/settlements`, { partner_id: partnerId, settlement_ids: [open.settlementId] });
    const { project_id } = await post('projects', { name_en: 'Coast', name_ar: 'الساحل', country: 'SA' });
    await post(`impact-batches/${id}/advance`, { to: 'allocated', project_id });
    const page = await browser.signedIn('operator');
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/impact/${id}`);
    await page.getByRole('main').getByRole('button', { name: 'Add evidence' }).click();
    const dialog = page.getByRole('dialog');
    const buffer = Buffer.alloc(400_000, 'mangroves');
    await page.locator('input[type=file]').setInputFiles({ name: 'coast.jpg', mimeType: 'image/jpeg', buffer });
    await dialog.getByLabel('Public address').fill('https://files.example.org/coast.jpg');
    await dialog.getByLabel('Captured: day').fill('2026-01-02');
    const network = await page.context().newCDPSession(page);
    const sendAt = (uploadThroughput: number) =>
      network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
    await network.send('Network.enable');
    await sendAt(40_000);
    await dialog.getByRole('button', { name: 'Add evidence' }).click();
    const bar = dialog.getByRole('progressbar', { name: 'Sending the file' });
    const share = async () => Number(await bar.getAttribute('aria-valuenow'));
    for (let times = 0; times < 3; times++) {
      const before = await share();
      await waitFor('more of the file', async () => (await share()) > before);
      await page.clock.fastForward('00:40');
    }
    await sendAt(-1);
    await page.getByText('is recorded. The service did not open its address.').waitFor();
    await network.detach();
  });
});

describe('the link of a new operator, of which the answer was lost', needsBrowser, () => {
  for (const [language, t] of [
    ['en', { add: 'Add an operator', name: 'Name', inDoubt: 'the person may have been added', cancel: 'Cancel', stay: 'Stay' }],
    ['ar', { add: 'إضافة مشغّل', name: 'الاسم', inDoubt: 'ربما أُضيف الشخص', cancel: 'إلغاء', stay: 'البقاء' }],
  ] as const)
    test(`is brought by the same button, also in a dialog that is opened again, ${language}`, async () => {
      const person = `Huda ${language}`;
      const page = await browser.signedIn('admin', { language });
      await page.goto(`${browser.baseUrl}/partners`);
      await page.locator('nav a[href="/operators"]').click();
      const made: string[] = [];
      await answerBy(page, { url: /\/operators$/, method: 'POST' }, async (route) => {
        const answer = await route.fetch();
        made.push((await answer.json()).sign_in_path);
        await (made.length === 1 ? route.abort() : route.fulfill({ response: answer }));
      });
      const dialog = page.getByRole('dialog');
      const open = () => page.getByRole('main').getByRole('button', { name: t.add }).click();
      const add = dialog.getByRole('button', { name: t.add });
      await open();
      await dialog.getByLabel(t.name).fill(person);
      await add.click();
      await dialog.getByText(t.inDoubt).waitFor();
      await dialog.locator('form').getByRole('button', { name: t.cancel }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.evaluate('history.back()');
      await dialog.getByRole('button', { name: t.stay }).click();
      await dialog.waitFor({ state: 'detached' });
      await open();
      await dialog.getByText(t.inDoubt).waitFor();
      assert.equal(await dialog.getByLabel(t.name).inputValue(), person);
      await add.click();
      const link = await dialog.locator('.secret').innerText();
      assert.deepEqual([made.length, new Set(made).size, link.endsWith(made[0] ?? '-')], [2, 1, true]);
      const { rows } = await service.database.pool.query('select from operator where name = $1', [person]);
      assert.equal(rows.length, 1);
    });
});
