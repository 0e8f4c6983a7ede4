/** A new secret for an endpoint, from the page of the endpoint to the receiver that verifies by it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { removeEndpoint } from '../../../src/webhooks/endpoints/manage-endpoint.ts';
import { activateSecret, rotateSecret } from '../../../src/webhooks/endpoints/rotate-secret.ts';
import { OWNER } from '../../support/actor.ts';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { type Arrived, expectedSignature } from '../../support/webhooks/webhook-receiver.ts';
import { endpointTools, newEndpoint } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const WORDS = {
  en: { make: 'New secret', from: 'Only the new secret from', shown: 'The new secret of the endpoint', close: 'Close' },
  ar: { make: 'سرّ جديد', from: 'يسري السرّ الجديد وحده ابتداءً من', shown: 'السرّ الجديد لنقطة الاستقبال', close: 'إغلاق' },
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
      // Neither the key nor a click beside the dialog takes the secret away.
      await page.keyboard.press('Escape');
      await page.mouse.click(5, 5);
      assert.equal(await dialog.locator('.secret').innerText(), secret);
      await dialog.getByRole('button', { name: t.close, exact: true }).last().click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText(t.from, { exact: true }).waitFor();
      assert.equal(await make.getAttribute('aria-disabled'), 'true');
      const command = `endpoint rotate-secret --partner ${partner.partnerId} --endpoint ${endpointId} --replace`;
      assert.match((await make.getAttribute('data-hint')) ?? '', new RegExp(command));
      await make.click({ force: true });
      assert.equal(await dialog.count(), 0);
      assert.equal(await page.getByText(secret).count(), 0);
    },
  );

test('a viewer is offered neither one nor the removal of the endpoint', needsBrowser, async () => {
  const { partner, endpointId, receiver } = await newEndpoint(service, endpointTools(service.database));
  const page = await browser.signedIn('viewer');
  await page.goto(`${browser.baseUrl}/webhooks/${partner.partnerId}/${endpointId}`);
  await page.getByRole('heading', { level: 1, name: receiver.url }).waitFor();
  assert.equal(await page.getByRole('button', { name: /^(?:New secret|Remove)$/ }).count(), 0);
});

test('an answer that does not come is asked for again, and brings the secret that was made', needsBrowser, async () => {
  const { partner, endpointId } = await newEndpoint(service, endpointTools(service.database));
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/webhooks/${partner.partnerId}/${endpointId}`);
  const answers: string[] = [];
  await page.route('**/rotate-secret', async (route) => {
    const answer = await route.fetch();
    answers.push((await answer.json()).secret);
    if (answers.length === 1) await route.abort();
    else await route.fulfill({ response: answer });
  });
  const open = () => page.getByRole('main').getByRole('button', { name: 'New secret', exact: true }).click();
  await open();
  const dialog = page.getByRole('dialog');
  const send = () => dialog.getByRole('button', { name: 'New secret', exact: true }).click();
  await send();
  await dialog.getByText('the secret may have been made').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  // The page shows that the endpoint has it.
  await page.getByText('Only the new secret from', { exact: true }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Reviews', exact: true }).click();
  await dialog.getByText('if no answer comes, press the button again').waitFor();
  assert.equal(await dialog.getByText('not copied yet').count(), 0);
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await dialog.waitFor({ state: 'detached' });
  await open();
  await send();
  await dialog.locator('.secret').waitFor();
  const [made, again] = answers;
  assert.deepEqual([answers.length, again, await dialog.locator('.secret').innerText()], [2, made, made]);
  await dialog.getByRole('button', { name: 'Copy the secret' }).click();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.getByRole('navigation').getByRole('link', { name: 'Reviews', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
  await page.unrouteAll();
});

test(
  'where a colleague was faster the dialog says who, and nothing is made; so it does of a removed endpoint',
  needsBrowser,
  async () => {
    const tools = endpointTools(service.database);
    const { partner, endpointId } = await newEndpoint(service, tools);
    const { partnerId } = partner;
    const page = await browser.signedIn('operator');
    const address = `${browser.baseUrl}/webhooks/${partnerId}/${endpointId}`;
    const dialog = page.getByRole('dialog');
    const begin = async () => {
      await page.goto(address);
      await page.getByRole('main').getByRole('button', { name: 'New secret', exact: true }).click();
      await dialog.getByText('X-Service-Signature-Next').waitFor();
    };
    const end = async (by: string) => {
      await dialog.getByRole('button', { name: 'New secret', exact: true }).click();
      await dialog.getByText(by).waitFor();
      assert.equal(await dialog.getByRole('button', { name: 'New secret', exact: true }).count(), 0);
    };
    await begin();
    const { secret } = await rotateSecret(tools, OWNER, { partnerId, endpointId });
    await end('Made by:');
    const { rows } = await service.database.pool.query('select next_secret_sealed from webhook_endpoint where endpoint_id = $1', [
      endpointId,
    ]);
    assert.equal(tools.secretBox.open(endpointId, rows[0].next_secret_sealed), secret);
    await activateSecret(service.database, OWNER, { partnerId, endpointId });
    await begin();
    await removeEndpoint(service.database, OWNER, { partnerId, endpointId });
    await end('Removed by:');
  },
);
