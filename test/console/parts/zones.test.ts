/** Times in the zone of a partner name its city wherever it is not the reader's zone, in texts that hold no element too. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { cityOf } from '../../../console/src/format/time.ts';
import { completeReconciliations } from '../../../src/operations/reconciliations/complete-reconciliations.ts';
import type { Partner } from '../../../src/store/access/partner.ts';
import { addEndpoint } from '../../../src/webhooks/endpoints/add-endpoint.ts';
import { OWNER } from '../../support/actor.ts';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { closeThrough, openFirst } from '../../support/settlements.ts';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';
import { endpointTools } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** The browser is in Riyadh. */
const ZONE = 'Asia/Dubai';
const LIST = 'partner_event_id,partner_order_ref,points\n';

/** A partner with a disputed settlement of which two lists were compared. */
async function newDisputed() {
  const { partner, client } = await service.newPartner({ timeZone: ZONE });
  const { partnerId, settlementId } = await openFirst(service.database, partner);
  await client.confirm({ ...newConfirmation(), points: 100 });
  await closeThrough(service, { partnerId, settlementId });
  await client.post(`/v1/settlements/${settlementId}/acknowledgement`, { status: 'disputed' });
  const operator = await signedInOperator(service, 'operator');
  const path = `/operator/v1/partners/${partnerId}/settlements/${settlementId}/reconciliations`;
  for (const line of ['event-of-nobody,order-1,7\n', 'event-of-somebody,order-2,9\n']) {
    await operator.postList(path, LIST + line);
    await completeReconciliations(service.database, new AbortController().signal);
  }
  return { partner, settlementId };
}

describe('the city of the partner', needsBrowser, () => {
  let [partner, settlementId] = [{} as Partner, ''];
  before(async () => {
    ({ partner, settlementId } = await newDisputed());
  });

  for (const language of ['en', 'ar'] as const) {
    const city = cityOf(ZONE, language);
    test(`stands beside the time of each compared list, ${language}`, async () => {
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/settlements/${partner.partnerId}/${settlementId}`);
      const choice = page.locator('#reply').getByRole('combobox').first();
      await choice.waitFor();
      assert.ok((await choice.inputValue()).includes(city), await choice.inputValue());
    });

    test(`stands beside the times between which the preview of a rule looks, ${language}`, async () => {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/rules/new?partner=${partner.partnerId}`);
      await page.getByRole('main').locator('button[type=submit]').click();
      const between = page.getByText(language === 'en' ? /^From .+ to .+\.$/ : /^من .+ إلى .+\.$/);
      await between.waitFor();
      assert.equal((await between.innerText()).split(city).length, 3, await between.innerText());
    });

    test(`stands beside the hours of an endpoint, which are read in a table too, ${language}`, async () => {
      const { url } = await WebhookReceiver.open();
      const tools = endpointTools(service.database);
      const { endpointId } = await addEndpoint(tools, OWNER, { partnerId: partner.partnerId, url, eventTypes: [] });
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/webhooks/${partner.partnerId}/${endpointId}`);
      await page.locator('.hours-chart-hour').first().hover();
      await page.getByRole('tooltip').getByText(city).waitFor();
      const summary = page.locator('summary').filter({ hasText: language === 'en' ? 'Events of each hour' : 'إشعارات كل ساعة' });
      await summary.focus();
      await page.keyboard.press('Enter');
      const rows = page.getByRole('table', { name: await summary.innerText() }).locator('tbody tr');
      await rows.nth(23).waitFor();
      for (const row of await rows.allInnerTexts()) assert.ok(row.includes(city), row);
    });
  }
});
