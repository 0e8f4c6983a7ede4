/** An endpoint that is wanted no more is removed for good, from its page. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { disableEndpoint } from '../../../src/webhooks/endpoints/manage-endpoint.ts';
import { OWNER } from '../../support/actor.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { endpointTools, newEndpoint, untilDeliveries } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const WORDS = {
  en: { remove: 'Remove', never: 'are never sent', final: 'This is final.', held: 'Held deliveries: 1', list: 'Webhooks' },
  ar: { remove: 'إزالة', never: 'لا تُرسَل أبدًا', final: 'هذا نهائي.', held: 'العمليات المحجوزة: 1', list: 'الإشعارات' },
} as const;

const statusOf = async (endpointId: string) =>
  (await service.database.pool.query('select status from webhook_endpoint where endpoint_id = $1', [endpointId])).rows[0].status;

for (const language of ['en', 'ar'] as const)
  test(
    `is removed after the dialog said what is never sent, and the list has it no more, ${language}`,
    needsBrowser,
    async () => {
      const t = WORDS[language];
      const { client, receiver, partner, endpointId } = await newEndpoint(service, endpointTools(service.database));
      const { partnerId } = partner;
      await disableEndpoint(service.database, OWNER, { partnerId, endpointId }, 'Its server moves.');
      await client.confirm({ points: 10 });
      await untilDeliveries(service.database, partnerId, ([delivery]) => delivery?.status === 'held');
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/webhooks/${partnerId}/${endpointId}`);
      await page.getByRole('main').getByRole('button', { name: t.remove, exact: true }).click();
      const dialog = page.getByRole('dialog');
      for (const said of [t.never, t.final, t.held]) await dialog.getByText(said).waitFor();
      assert.equal(await statusOf(endpointId), 'disabled');
      await dialog.getByRole('button', { name: t.remove, exact: true }).click();
      await page.getByRole('heading', { level: 1, name: t.list, exact: true }).waitFor();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await statusOf(endpointId), 'removed');
      await page.locator('.records-status').waitFor();
      assert.equal(await page.getByText(receiver.url).count(), 0);
    },
  );

test('whose answer does not come is removed once, and the dialog says by whom', needsBrowser, async () => {
  const { partner, endpointId } = await newEndpoint(service, endpointTools(service.database));
  const page = await browser.signedIn('operator', {}, 'Who removes');
  await page.goto(`${browser.baseUrl}/webhooks/${partner.partnerId}/${endpointId}`);
  let sent = 0;
  await page.route(`**/endpoints/${endpointId}`, async (route) => {
    if (route.request().method() !== 'DELETE') return route.continue();
    sent++;
    await route.fetch();
    return route.abort();
  });
  await page.getByRole('main').getByRole('button', { name: 'Remove', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog.getByText('Removed by: Who removes').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Remove', exact: true }).count(), 0);
  assert.deepEqual([sent, await statusOf(endpointId)], [1, 'removed']);
  await page.unrouteAll();
});
