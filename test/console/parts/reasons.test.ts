/** A reason that was pasted is sent as it is seen: what the service refuses and nobody sees goes on the way. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { endpointTools, newEndpoint } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

describe('a reason', needsBrowser, () => {
  test('is taken with a tab, an end of line and invisible marks in it, and stored without them', async () => {
    const { partner: owner, endpointId } = await newEndpoint(service, endpointTools(service.database));
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/webhooks/${owner.partnerId}/${endpointId}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('\u200fCase\t7:\r\nit \u2066fails\u2069.');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Its events are held.').waitFor();
    const reader = await signedInOperator(service, 'viewer');
    const { body } = await reader.get(`/operator/v1/partners/${owner.partnerId}/endpoints/${endpointId}`);
    assert.equal(body.status_reason, 'Case 7: it fails.');
  });
});
