/** What the pages of deliveries say of what was not sent. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { disableEndpoint } from '../../../src/webhooks/endpoints/manage-endpoint.ts';
import { testEndpoint } from '../../../src/webhooks/endpoints/test-endpoint.ts';
import { OWNER } from '../../support/actor.ts';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { endpointTools, newEndpoint, untilDeliveries } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

describe('a delivery that was held before its first attempt', needsBrowser, () => {
  for (const [language, none] of [
    ['en', 'No attempt was made'],
    ['ar', 'لم تُجرَ أي محاولة'],
  ] as const)
    test(`says that there was no attempt, and nothing of an answer, ${language}`, async () => {
      const { database } = service;
      const { client, partner, endpointId } = await newEndpoint(service, endpointTools(database));
      const { partnerId } = partner;
      await disableEndpoint(database, OWNER, { partnerId, endpointId }, 'a test');
      await client.confirm(newConfirmation());
      const [held] = await untilDeliveries(database, partnerId, ([first]) => first?.status === 'held');
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/webhooks/${partnerId}/deliveries/${held?.deliveryId}`);
      await page.getByText(none, { exact: true }).waitFor();
      assert.equal(await page.getByText(/^(no answer|بلا رد)$/).count(), 0);
    });
});

test('an endpoint to which nothing was sent says so, and of a filter only where there is one', needsBrowser, async () => {
  const { partner, endpointId } = await newEndpoint(service, endpointTools(service.database));
  const page = await browser.signedIn('viewer');
  await page.goto(`${browser.baseUrl}/webhooks/${partner.partnerId}/${endpointId}`);
  await page.getByText('Nothing was sent to this endpoint yet').waitFor();
  await page.goto(`${browser.baseUrl}/webhooks/${partner.partnerId}/${endpointId}?status=held`);
  await page.getByText('No delivery fits this filter').waitFor();
});

test('a test whose receiver takes long is looked at every two seconds, as what waits is', needsBrowser, async () => {
  const tools = endpointTools(service.database);
  const { partner, endpointId, receiver } = await newEndpoint(service, tools);
  const { partnerId } = partner;
  const { promise: isSeen, resolve: letGo } = Promise.withResolvers<void>();
  receiver.answer = (response) => void isSeen.then(() => response.end('noted'));
  const tested = testEndpoint(tools, OWNER, { partnerId, endpointId });
  const [sent] = await untilDeliveries(service.database, partnerId, ([first]) => first?.status === 'failed');
  const page = await browser.signedIn('viewer');
  await page.clock.install();
  await page.goto(`${browser.baseUrl}/webhooks/${partnerId}/deliveries/${sent?.deliveryId}`);
  await page.getByText('No attempt was made', { exact: true }).waitFor();
  // Ahead of the page's clock, however long the call takes.
  await page.clock.pauseAt(Date.now() + 60_000);
  const isRead = page.waitForResponse(
    async (response) =>
      response.url().endsWith(`/deliveries/${sent?.deliveryId}`) && (await response.json()).delivery.status === 'delivered',
  );
  letGo();
  await tested;
  // What was under way as the clock stopped is read before.
  for (let times = 0; times < 3; times++) await page.clock.runFor(2_000);
  await isRead;
});
