/** What a person sees of a change that is under way, and of a service that is not reached. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, newPending } = (scene ?? {}) as Scene;
// What a browser reports of requests that are not answered, or by 503, is no offence of the page.
if (scene)
  after(() =>
    assert.deepEqual(
      browser.offences.filter((each) => !/ERR_INTERNET_DISCONNECTED|status of 503/.test(each)),
      [],
    ),
  );

const HOUR_MS = 3_600_000;
const MINUTES_A_DAY = 1_440;

describe('a page that was read', needsBrowser, () => {
  test('says so, and why, when the service can read it no more', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners`);
    const link = page.getByRole('link', { name: partner.name }).first();
    await link.waitFor();
    const { pool } = service.database;
    await pool.query('alter table partner rename to no_partner');
    /** It does so after a loss of the network, not at once after the last time. */
    const readAgain = async () => {
      await page.context().setOffline(true);
      await page.context().setOffline(false);
    };
    const notice = page.getByRole('status').filter({ hasText: 'This could not be read again. What you see was read at' });
    try {
      await waitFor('the notice', async () => {
        await readAgain();
        return notice.getByText('The service could not complete the request').isVisible();
      });
      assert.ok(await link.isVisible());
    } finally {
      await pool.query('alter table no_partner rename to partner');
    }
    await waitFor('the page without the notice', async () => {
      await readAgain();
      return !(await notice.isVisible());
    });
  });
});

test('a page that cannot be read again says by the clock of the service when it was read', needsBrowser, async () => {
  const page = await browser.signedIn('viewer');
  await page.clock.install({ time: Date.now() + 5 * HOUR_MS });
  await page.goto(`${browser.baseUrl}/partners`);
  await page.getByRole('link', { name: partner.name }).first().waitFor();
  const before = Date.now();
  const error = { code: 'internal_service_unavailable', message: 'The service could not complete the request.' };
  await page.route(/\/operator\/v1\/partners/, (route) => route.fulfill({ status: 503, json: { error } }));
  await page.clock.fastForward('00:16');
  const notice = page.getByRole('status').filter({ hasText: 'What you see was read at' });
  await notice.waitFor();
  const [, hours = '', minutes = ''] = /(\d{2}):(\d{2}):\d{2}/.exec(await notice.innerText()) ?? [];
  const minuteOfDay = Number(hours) * 60 + Number(minutes);
  // In the zone of the browser.
  const expected = Math.floor((before + 3 * HOUR_MS) / 60_000) % MINUTES_A_DAY;
  const off = (minuteOfDay - expected + MINUTES_A_DAY) % MINUTES_A_DAY;
  assert.ok(Math.min(off, MINUTES_A_DAY - off) < 60, `${hours}:${minutes} is ${off} minutes off`);
  await page.unroute(/\/operator\/v1\/partners/);
});

describe('a final step', needsBrowser, () => {
  async function openConfirmation() {
    const { transactionId } = await newPending();
    const page = await browser.signedIn('operator');
    const decided: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && decided.push(request.url()));
    await page.goto(`${browser.baseUrl}/reviews/${partner.partnerId}/${transactionId}`);
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('The shop says so.');
    const confirm = dialog.getByRole('button', { name: /^Confirm/ });
    const cancel = dialog.getByRole('button', { name: 'Cancel' });
    return { page, dialog, confirm, cancel, decided, transactionId };
  }

  test('without a network is refused at once, and never sent after it was cancelled', async () => {
    const { page, dialog, confirm, cancel, decided, transactionId } = await openConfirmation();
    await page.context().setOffline(true);
    await confirm.click();
    await dialog.getByText('The service did not answer').waitFor();
    await cancel.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('The service does not answer. What you see was read at').waitFor();
    decided.length = 0;
    await page.context().setOffline(false);
    // The page reads again when the network is back: a change that waited for it would be sent with that.
    await page.getByText('The service does not answer. What you see was read at').waitFor({ state: 'detached' });
    const { rows } = await service.database.pool.query('select status from contribution where transaction_id = $1', [
      transactionId,
    ]);
    assert.deepEqual([decided, rows], [[], [{ status: 'pending' }]]);
  });

  test('that is under way keeps its dialog, so that nobody takes it for cancelled', async () => {
    const { page, dialog, confirm, cancel } = await openConfirmation();
    const goOn = Promise.withResolvers<void>();
    await page.route('**/reviews/decisions', async (route) => {
      await goOn.promise;
      await route.continue();
    });
    await confirm.click();
    await waitFor('the step under way', () => cancel.isDisabled());
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    assert.equal(await dialog.isVisible(), true);
    assert.equal(await dialog.getByRole('button', { name: 'Close' }).isDisabled(), true);
    goOn.resolve();
    await dialog.waitFor({ state: 'detached' });
  });
});

describe('a page', needsBrowser, () => {
  test('that was not opened before waits for the network, and the console stays', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(browser.baseUrl);
    await page.locator('h1').waitFor();
    await page.context().setOffline(true);
    const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/livez'));
    await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).click();
    await failed;
    assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).isVisible(), true);
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
  });
});

describe('a file', needsBrowser, () => {
  async function openList() {
    await newPending();
    const page = await browser.signedIn('viewer');
    const started: string[] = [];
    page.on('download', (download) => started.push(download.suggestedFilename()));
    await page.goto(`${browser.baseUrl}/reviews`);
    const link = page.getByRole('link', { name: 'Export CSV' });
    await link.waitFor();
    return { page, link, started };
  }

  test('is downloaded; without a network it is said that the service does not answer', async () => {
    const { page, link, started } = await openList();
    await Promise.all([page.waitForEvent('download'), link.click()]);
    assert.match(started.splice(0).join(), /^reviews-.+\.csv$/);
    await page.context().setOffline(true);
    await link.click();
    await page.getByText('The service did not answer.').waitFor();
    assert.deepEqual(started, []);
  });

  test('is not asked for after the end of the session: the sign-in is', async () => {
    const { page, link, started } = await openList();
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('.csv') && asked.push(request.url()));
    await page.context().clearCookies();
    // Whoever reads the list again may hide it first.
    await link.dispatchEvent('click');
    await page.getByText('Your session has ended.').waitFor();
    assert.deepEqual([asked, started], [[], []]);
  });
});
