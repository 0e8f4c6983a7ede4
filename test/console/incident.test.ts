/** What a person does at an endpoint whose receiver fails, from the question why to the last delivery that is sent again. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { endpointName } from '../../console/src/format/endpoint-name.ts';
import { shortId } from '../../console/src/format/short-id.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import type { LoggedDelivery } from '../../src/store/webhooks/delivery-log.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { updateEventTypes } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { OWNER } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { type Arrived, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, makeDue, newEndpoint, untilDeliveries } from '../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const NOT_RECORDED = 'Gets this type of event now. Why it did not get this one is not recorded.';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

async function openEndpoint() {
  const made = await newEndpoint(service, endpointTools(service.database));
  const { partnerId } = made.partner;
  const stateOf = async () => {
    const { rows } = await service.database.pool.query('select status from webhook_endpoint where endpoint_id = $1', [
      made.endpointId,
    ]);
    return rows[0].status as string;
  };
  return { ...made, partnerId, stateOf, address: `${browser.baseUrl}/webhooks/${partnerId}/${made.endpointId}` };
}

const exhaust = (partnerId: string) =>
  service.database.pool.query("update delivery set status = 'exhausted', ended_at = now() where partner_id = $1", [partnerId]);

/** Stops the clock of a page, on which it was installed. */
const stopClock = (page: Page) => page.clock.pauseAt(Date.now() + 60_000);

/** Until something is in sight of a page whose clock stands: six seconds go by on it, and moments. It looks every 15 s otherwise. */
async function untilLookedAgain(page: Page, seen: Locator): Promise<void> {
  // What was under way as the clock stopped is read before.
  for (let times = 0; times < 3; times++) await page.clock.runFor(2_000);
  await waitFor(`sight of ${seen}`, async () => {
    await page.clock.runFor(1);
    return seen.isVisible();
  });
}

describe('an incident', needsBrowser, () => {
  test('the numbers of deliveries that wait or are exhausted lead from the overview to their endpoints alone', async () => {
    const [waiting, exhausted, good] = [await openEndpoint(), await openEndpoint(), await openEndpoint()];
    for (const { receiver, client } of [waiting, exhausted]) {
      receiver.answerWith(500);
      await client.confirm(newConfirmation());
    }
    const attempted = "select 1 from delivery where partner_id = $1 and status = 'waiting' and attempts > 0";
    for (const { partnerId } of [waiting, exhausted])
      await waitFor('failed attempt', async () => (await service.database.pool.query(attempted, [partnerId])).rowCount === 1);
    await exhaust(exhausted.partnerId);
    const page = await browser.signedIn('viewer');
    for (const [number, shown, other] of [
      [/^Deliveries waiting/, waiting, exhausted],
      [/^Exhausted deliveries/, exhausted, waiting],
    ] as const) {
      await page.goto(browser.baseUrl);
      await page.getByRole('link', { name: number }).click();
      await page.getByText(shown.receiver.url).waitFor();
      for (const { receiver } of [other, good]) assert.equal(await page.getByText(receiver.url).count(), 0);
    }
  });

  test('a disabled endpoint says why, leads to the attempt and to what is held, and is tested and enabled', async () => {
    const { client, receiver, partnerId, stateOf } = await openEndpoint();
    receiver.answerWith(410);
    await client.confirm(newConfirmation());
    await waitFor('the disabled endpoint', async () => (await stateOf()) === 'disabled');
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/webhooks?state=disabled`);
    await page.getByText(receiver.url).click();
    await heading(page, receiver.url);
    const why = page.getByRole('alert').filter({ hasText: 'The receiver answered 410 Gone: it wants no more events.' });
    await why.getByText('Reason: The receiver answered 410 Gone: it wants no more events.').waitFor();
    await why.getByText(/^Disabled by: The service, after attempts to deliver · \d/).waitFor();
    await why.getByRole('link', { name: /^The attempt that stopped it: HTTP 410/ }).click();
    await heading(page, 'Delivery');
    await page.getByText('HTTP 410').waitFor();
    const { body } = receiver.arrived.at(-1) as { body: Buffer };
    await page.getByText(String(body), { exact: true }).waitFor();
    await page.getByText('X-Service-Signature: v1=HEX(HMAC-SHA256(SECRET, SECONDS + "." + BODY))').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /^Held 1/ }).click();
    await page.waitForURL(/status=held/);
    await page.getByRole('row').filter({ hasText: 'impact.transaction.confirmed' }).getByText('Held').waitFor();
    assert.equal(await page.getByRole('link', { name: /^Waiting 0/ }).count(), 1);
    await page.getByRole('button', { name: 'Send a test' }).click();
    const refused = page
      .getByRole('alert')
      .filter({ hasText: `The receiver of ${endpointName(receiver.url)} did not take the test event: HTTP 410.` });
    assert.match((await refused.getAttribute('style')) ?? '', /--notification-color: var\(--mantine-color-red/);
    receiver.answerWith(200);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/^The receiver took the test event/).waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('dialog').getByText('The events that were held are sent').waitFor();
    await page.getByRole('dialog').getByText('Held deliveries: 1').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
    await page
      .getByText(`The endpoint ${endpointName(receiver.url)} is enabled. Held deliveries that are sent now: 1.`)
      .waitFor();
    assert.equal(await stateOf(), 'active');
    await why.waitFor({ state: 'detached' });
    await untilDeliveries(service.database, partnerId, (all) => all.every(({ status }) => status !== 'waiting'));
  });

  test('an endpoint that fails says what the last attempt got, since when and how many failed, and leads to the attempt', async () => {
    const { client, receiver, partnerId, address } = await openEndpoint();
    receiver.answer = (response) => void response.writeHead(503, { 'retry-after': '540' }).end('the queue is full');
    for (let number = 0; number < 2; number++) await client.confirm(newConfirmation());
    const areTried = (all: readonly LoggedDelivery[]) => all.length === 2 && all.every(({ attempts }) => attempts === 1);
    await untilDeliveries(service.database, partnerId, areTried);
    const page = await browser.signedIn('viewer');
    await page.goto(address);
    const why = page.getByRole('alert').filter({ hasText: 'The receiver does not take the events' });
    await why.getByText('The receiver wrote: “\u2068the queue is full\u2069”').waitFor();
    await why.getByText(/^2 attempts failed in a row, since \d+ \w+ \d{4}/).waitFor();
    assert.equal(await why.getByText('A test that fails counts').count(), 0, 'a viewer sends none');
    await why.getByRole('link', { name: /^The last failed attempt: HTTP 503/ }).click();
    await heading(page, 'Delivery');
    await page.getByText('HTTP 503').waitFor();
    await page
      .locator('dl > div')
      .filter({ hasText: 'Next attempt' })
      .getByText(/^in \d+ (seconds|minutes?)$/)
      .waitFor();
    // A receiver that is gone answers nothing.
    receiver.answer = (response) => response.destroy();
    await makeDue(service.database, partnerId);
    await untilDeliveries(service.database, partnerId, (all) => all.every(({ attempts }) => attempts === 2));
    await page.goto(address);
    await why.getByRole('link', { name: /^The last failed attempt: the connection was reset/ }).waitFor();
    await page.getByRole('button', { name: /^Language/ }).click();
    await page.getByText(/^أخفقت 4 محاولات متتالية، منذ/).waitFor();
    await page.getByRole('link', { name: /آخر محاولة فاشلة/ }).waitFor();
    receiver.answerWith(204);
    await makeDue(service.database, partnerId);
    await untilDeliveries(service.database, partnerId, (all) => all.every(({ status }) => status === 'delivered'));
    await page.reload();
    await page.getByText('بلا إخفاق').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  for (const [language, name, text] of [
    ['en', 'Send a test', 'A test that fails counts as a failed attempt, and may pause the endpoint for up to 10 minutes.'],
    ['ar', 'إرسال اختبار', 'يُحسب الاختبار الفاشل محاولةً فاشلة، وقد يوقف الإرسال مؤقتًا مدةً تصل إلى 10 دقائق.'],
  ] as const)
    test(`the button of a test says before it is used what a failing one does, ${language}`, async () => {
      const { address } = await openEndpoint();
      const page = await browser.signedIn('operator', { language });
      await page.goto(address);
      await page.getByRole('button', { name }).hover();
      await page.getByRole('tooltip').filter({ hasText: text }).waitFor();
    });

  test('while it fails the page says what a failing test does, and a paused one is called so', async () => {
    const { client, receiver, partnerId, address } = await openEndpoint();
    receiver.answerWith(500);
    await service.database.pool.query(
      'update endpoint_health set failures_in_row = 19, failing_since = now() where partner_id = $1',
      [partnerId],
    );
    await client.confirm(newConfirmation());
    await untilDeliveries(service.database, partnerId, (all) => all.some(({ attempts }) => attempts > 0));
    const page = await browser.signedIn('operator', {}, 'Who repairs');
    await page.goto(address);
    const alert = page.getByRole('alert').filter({ hasText: 'Nothing is sent to the endpoint for a while' });
    await alert.getByText('A test that fails counts as a failed attempt').waitFor();
    const health = page.locator('dl > div').filter({ hasText: 'Health' });
    await health.getByText('Paused', { exact: true }).waitFor();
    await page.goto(`${browser.baseUrl}/webhooks?partner=${partnerId}`);
    await page.getByRole('row').filter({ hasText: receiver.url }).getByText('Paused', { exact: true }).waitFor();
    await page.goto(address);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The receiver is being repaired');
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText(`The endpoint ${endpointName(receiver.url)} is disabled.`).waitFor();
    const why = page.getByRole('alert').filter({ hasText: 'The endpoint is disabled' });
    await why.getByText('Reason: The receiver is being repaired').waitFor();
    await why.getByText(/^Disabled by: Who repairs · \d/).waitFor();
    await why.getByRole('link', { name: /^The last failed attempt: HTTP 500/ }).waitFor();
  });

  test('an event that was sent nowhere says why of each endpoint of its partner', async () => {
    const { client, partner } = await service.newPartner();
    const { partnerId } = partner;
    await client.confirm(newConfirmation());
    const eventId = await waitFor('the event', async () => {
      const { rows } = await service.database.pool.query('select event_id from event where partner_id = $1', [partnerId]);
      return rows[0]?.event_id as string | undefined;
    });
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/events/${partnerId}/${eventId}`);
    await page.getByText('When it occurred, no endpoint of the partner got events of this type.').waitFor();
    await page.getByText('The partner has no endpoint now either.').waitFor();
    const receiver = await WebhookReceiver.open();
    const wanted = { partnerId, url: receiver.url, eventTypes: [] };
    const { endpointId } = await addEndpoint(endpointTools(service.database), OWNER, wanted);
    await page.reload();
    await page.getByRole('link', { name: receiver.url }).waitFor();
    await page.getByText(/Added later: \d/).waitFor();
    const set = (assignment: string) =>
      service.database.pool.query(`update webhook_endpoint set ${assignment} where partner_id = $1`, [partnerId]);
    await set("created_at = '2026-01-01'");
    // Nothing is said of the audit while it cannot be read.
    const audit = /\/operator\/v1\/audit\?/;
    await page.route(audit, (route) =>
      route.fulfill({ status: 503, json: { error: { code: 'internal_service_unavailable', message: 'Later.' } } }),
    );
    const refused = page.waitForResponse(audit);
    await page.reload();
    await refused;
    const refusedAgain = page.waitForResponse(audit);
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await refusedAgain;
    await page.getByRole('link', { name: receiver.url }).waitFor();
    assert.equal(await page.getByText(NOT_RECORDED).count(), 0);
    await page.unroute(audit);
    await page.reload();
    await page.getByText(NOT_RECORDED).waitFor();
    await attestRecord(service.database, OWNER, { kind: 'webhook_endpoint', id: endpointId, reason: 'aged by a test' });
    await updateEventTypes(service.database, OWNER, { partnerId, endpointId }, ['settlement.created']);
    await page.reload();
    await page.getByText(/Its event types were changed later: \d/).waitFor();
    await set("event_types = '{settlement.closed}'");
    await page.reload();
    await page.getByText('Does not get this type of event.').waitFor();
    // Of a partner with more endpoints than a page of the list has; and while the list cannot be read.
    const other = await WebhookReceiver.open();
    await addEndpoint(endpointTools(service.database), OWNER, { partnerId, url: other.url, eventTypes: [] });
    const list = '**/operator/v1/endpoints?*';
    await page.route(list, (route) => route.continue({ url: `${route.request().url()}&limit=1` }));
    await page.reload();
    for (const { url } of [receiver, other]) await page.getByRole('link', { name: url }).waitFor();
    await page.unroute(list);
    await page.route(list, (route) => route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'A test.' } } }));
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'A test.' }).getByRole('button', { name: 'Try again' }).waitFor();
    assert.equal(await page.getByText('The partner has no endpoint now either.').count(), 0);
    await page.unroute(list);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: receiver.url }).waitFor();
  });

  test('once a test was sent, what goes out leaves the counts and the list within seconds', async () => {
    const { client, receiver, partnerId, address } = await openEndpoint();
    receiver.answerWith(500);
    await client.confirm(newConfirmation());
    await untilDeliveries(service.database, partnerId, (all) => all.some(({ attempts }) => attempts > 0));
    const page = await browser.signedIn('operator');
    await page.clock.install();
    await page.goto(address);
    await page.getByRole('link', { name: /^Waiting 1/ }).waitFor();
    receiver.answerWith(200);
    await page.getByRole('button', { name: 'Send a test' }).dblclick();
    await page.getByText(/^The receiver took the test event/).waitFor();
    await page.waitForLoadState('networkidle');
    const tests = receiver.arrived.filter(({ body }) => JSON.parse(String(body)).event_type === 'webhook.endpoint.test');
    assert.equal(tests.length, 1, 'a double-click sends one');
    await stopClock(page);
    await service.database.pool.query("update delivery set status = 'delivered', ended_at = now() where partner_id = $1", [
      partnerId,
    ]);
    await untilLookedAgain(page, page.getByRole('link', { name: /^Waiting 0/ }));
    // The list says the same as the count.
    await untilLookedAgain(page, page.getByRole('row').filter({ hasText: 'Contribution confirmed' }).getByText('Delivered'));
  });

  test('what is exhausted is sent again only where there is any, and the message says how many', async () => {
    const { client, receiver, partnerId, address } = await openEndpoint();
    for (let number = 0; number < 2; number++) await client.confirm(newConfirmation());
    const isDelivered = ({ status }: { status: string }) => status === 'delivered';
    await untilDeliveries(service.database, partnerId, (all) => all.length === 2 && all.every(isDelivered));
    const page = await browser.signedIn('operator');
    await page.goto(address);
    const button = page.getByRole('button', { name: 'Send exhausted again' });
    await page.getByRole('link', { name: /^Exhausted 0/ }).waitFor();
    await page.getByRole('img', { name: 'Events of the last 24 hours: Delivered at once: 2' }).waitFor();
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
    await button.hover();
    await page.getByText('Nothing is exhausted at this endpoint').waitFor();
    await button.click({ force: true });
    assert.equal(await page.getByRole('dialog').count(), 0);
    await exhaust(partnerId);
    await page.reload();
    await page.getByRole('link', { name: /^Exhausted 2/ }).waitFor();
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Send exhausted deliveries again' });
    await dialog.getByText('Exhausted deliveries: 2').waitFor();
    const day = dialog.getByLabel('Since: day');
    const all = await day.inputValue();
    await day.fill('2026-01-02');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await button.click();
    await page.evaluate(`document.querySelector('nav a[href="/reviews"]').click()`);
    await page.getByRole('dialog', { name: 'Leave this page?' }).getByRole('button', { name: 'Stay' }).click();
    assert.equal(await day.inputValue(), '2026-01-02');
    await day.fill(all);
    await page.getByRole('dialog').getByRole('button', { name: 'Send exhausted again' }).click();
    await page.getByText('2 deliveries will be sent again now.').waitFor();
    await untilDeliveries(service.database, partnerId, (all) => all.every(isDelivered));
    await page.reload();
    await page.getByRole('link', { name: /^Exhausted 0/ }).waitFor();
    await page.getByText(/^Sent again last: 2 deliveries · .* · The operator/).waitFor();
    await page.getByText('All that was sent again is delivered.').waitFor();
    await exhaust(partnerId);
    // How far it has come is said as well where the clock of the browser is an hour ahead.
    await page.clock.setFixedTime(Date.now() + 3_600_000);
    await page.reload();
    const answered = Promise.withResolvers<() => Promise<void>>();
    await page.route('**/recover', async (route) => {
      const response = await route.fetch();
      answered.resolve(() => route.fulfill({ response }));
    });
    await button.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send exhausted again' }).click();
    await page.getByRole('status').filter({ hasText: 'So far 2 deliveries of 2 will be sent again' }).waitFor();
    await (await answered.promise)();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.unrouteAll();
    // Else one that is on its way would be delivered afterwards.
    await untilDeliveries(service.database, partnerId, (all) => all.every(isDelivered));
    await exhaust(partnerId);
    const follower = await browser.signedIn('operator');
    await follower.clock.install();
    await follower.goto(`${browser.baseUrl}/webhooks?partner=${partnerId}`);
    const listed = follower.getByRole('row').filter({ hasText: receiver.url }).locator('[data-label="Not delivered"]');
    await listed.getByText('2', { exact: true }).waitFor();
    await follower.goto(address);
    // The receiver fails while they are sent again: the page follows without being loaded anew.
    receiver.putOff();
    const exhausted = await untilDeliveries(service.database, partnerId, (all) => all.length === 2);
    const before = new Map(exhausted.map(({ deliveryId, attempts }) => [deliveryId, attempts]));
    await follower.getByRole('button', { name: 'Send exhausted again' }).click();
    await follower.getByRole('dialog').getByRole('button', { name: 'Send exhausted again' }).click();
    await untilDeliveries(service.database, partnerId, (all) =>
      all.every(({ deliveryId, attempts }) => attempts > (before.get(deliveryId) ?? attempts)),
    );
    const health = follower.locator('dl > div').filter({ hasText: 'Health' });
    await health.getByText('Failing', { exact: true }).waitFor();
    await follower.getByText('not delivered: 2 still to be sent, 0 exhausted again.').waitFor();
    assert.equal(await follower.getByRole('row').getByText('Sent again by an operator').count(), 2);
    await stopClock(follower);
    await exhaust(partnerId);
    await untilLookedAgain(follower, follower.getByText('not delivered: 0 still to be sent, 2 exhausted again.'));
  });

  test('an event that a partner names is found by its id, with the bytes that were sent and where they went', async () => {
    const { client, receiver, partnerId } = await openEndpoint();
    const order = uniqueId('order');
    await client.confirm({ ...newConfirmation(), partner_order_ref: order });
    const isDelivered = ({ status }: { status: string }) => status === 'delivered';
    await untilDeliveries(service.database, partnerId, (all) => all.length === 1 && all.every(isDelivered));
    const { body, headers } = receiver.arrived.at(-1) as Arrived;
    const eventId = String(headers['x-service-event-id']);
    const page = await browser.signedIn('viewer');
    await page.goto(browser.baseUrl);
    await page.locator('h1').waitFor();
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Search' }).fill(eventId);
    await page.locator('[data-action]').filter({ hasText: eventId }).getByText('Event').waitFor();
    await page.getByRole('textbox', { name: 'Search' }).press('Enter');
    await page.waitForURL(`**/events/${partnerId}/${eventId}`);
    await heading(page, 'Event');
    await page.getByText(String(body), { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: receiver.url }).getByText('Delivered').waitFor();
    await page.getByRole('link', { name: order, exact: true }).click();
    await heading(page, order);
    await page.getByRole('link', { name: shortId(eventId) }).click();
    await heading(page, 'Event');
  });

  test('the list and a delivery have the order by which a partner speaks of it, and lead to its contribution', async () => {
    const { client, partnerId, address } = await openEndpoint();
    const order = uniqueId('order');
    await client.confirm({ ...newConfirmation(), partner_order_ref: order });
    await client.confirm(newConfirmation());
    await untilDeliveries(service.database, partnerId, (all) => all.length === 2);
    const page = await browser.signedIn('viewer');
    await page.goto(address);
    const row = page.getByRole('row').filter({ hasText: order });
    await row.getByRole('link', { name: order, exact: true }).click();
    await heading(page, order);
    await page.goBack();
    await row.getByText('impact.transaction.confirmed').click();
    await heading(page, 'Delivery');
    await page.getByRole('link', { name: order, exact: true }).click();
    await heading(page, order);
  });

  test('the list shows the time of the event, by which it is ordered', async () => {
    const { client, partnerId, address } = await openEndpoint();
    for (let number = 0; number < 2; number++) await client.confirm(newConfirmation());
    const [newest] = await untilDeliveries(service.database, partnerId, (all) => all.length === 2);
    // As of an event that waited for its sequence: its delivery is no measure of the order.
    await service.database.pool.query("update delivery set created_at = '2020-01-01' where delivery_id = $1", [
      newest?.deliveryId,
    ]);
    const page = await browser.signedIn('viewer');
    await page.goto(address);
    await page.getByRole('columnheader', { name: 'Time of the event' }).waitFor();
    const times = await page
      .locator('td[data-label="Time of the event"] time')
      .evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''));
    assert.equal(times.length, 2);
    assert.deepEqual(times, times.toSorted().toReversed());
    assert.ok(times.every((time) => !time.startsWith('2020')));
  });
});
