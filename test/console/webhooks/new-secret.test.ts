/** A new secret for an endpoint, from the page of the endpoint to the receiver that verifies by it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { type Arrived, expectedSignature } from '../../support/webhooks/webhook-receiver.ts';
import { endpointTools, newEndpoint } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const WORDS = {
  en: { make: 'New secret', from: 'New secret from', shown: 'The new secret of the endpoint', close: 'Close' },
  ar: { make: 'سرّ جديد', from: 'سرّ جديد من', shown: 'السرّ الجديد لنقطة الاستقبال', close: 'إغلاق' },
} as const;

for (const language of ['en', 'ar'] as const)
  test(
    `is shown once and signs the next delivery beside the old one, and there is no third, ${language}`,
    needsBrowser,
    async () => {
      const t = WORDS[language];
      const { client, receiver, partner, endpointId } = await newEndpoint(service, endpointTools(service.database));
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/webhooks/${partner.partnerId}/${endpointId}`);
      const make = page.getByRole('main').getByRole('button', { name: t.make, exact: true });
      await make.click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('X-Service-Signature-Next').waitFor();
      await dialog.getByRole('button', { name: t.make, exact: true }).click();
      await dialog.getByText(t.shown).waitFor();
      const secret = await dialog.locator('.secret').innerText();
      await client.confirm(newConfirmation());
      const [arrived] = (await receiver.until(1)) as [Arrived];
      const { 'x-service-signature': old, 'x-service-signature-next': next } = arrived.headers;
      assert.equal(next, expectedSignature(secret, arrived));
      assert.match(String(old), /^v1=/);
      assert.notEqual(old, next);
      await dialog.getByRole('button', { name: t.close, exact: true }).last().click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(t.from, { exact: true }).waitFor();
      assert.equal(await make.getAttribute('aria-disabled'), 'true');
      await make.click({ force: true });
      assert.equal(await dialog.count(), 0);
      assert.equal(await page.getByText(secret).count(), 0);
    },
  );

test('a viewer is not offered one', needsBrowser, async () => {
  const { partner, endpointId, receiver } = await newEndpoint(service, endpointTools(service.database));
  const page = await browser.signedIn('viewer');
  await page.goto(`${browser.baseUrl}/webhooks/${partner.partnerId}/${endpointId}`);
  await page.getByRole('heading', { level: 1, name: receiver.url }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'New secret' }).count(), 0);
});
