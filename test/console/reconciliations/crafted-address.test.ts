/** An address of the console that somebody else made: a list goes to a settlement, whatever the address names. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner, newPending } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

describe('a list that is sent from an address of another path of the service', needsBrowser, () => {
  for (const [what, named] of [
    ['settlement', { partner: 'PARTNER', settlement: '../../../reviews/decisions#' }],
    ['partner', { partner: '../reviews/decisions?', settlement: 'stl_01KAHT0A1C3E5G7J9M2P4R6T8V' }],
  ] as const)
    test(`as its ${what} decides nothing in the name of the person`, async () => {
      const { transactionId } = await newPending();
      const page = await browser.signedIn('operator');
      const sent: string[] = [];
      page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
      const address = new URLSearchParams({ ...named, partner: named.partner.replace('PARTNER', partner.partnerId) });
      await page.goto(`${browser.baseUrl}/reconciliations/new?${address}`);
      await page.getByText('Choose the file').waitFor();
      const decision = {
        decision: 'confirm',
        reason: 'The list says so.',
        contributions: [{ partner_id: partner.partnerId, transaction_id: transactionId }],
      };
      const buffer = Buffer.from(JSON.stringify(decision));
      await page.locator('input[type=file]').setInputFiles({ name: 'list.json', mimeType: 'application/json', buffer });
      // What is read of another page is asked for after it.
      await page.getByRole('link', { name: 'Partners' }).click();
      await page.getByRole('link', { name: partner.name }).waitFor();
      assert.deepEqual(sent, []);
      const text = 'select status from contribution where transaction_id = $1';
      const { rows } = await service.database.pool.query(text, [transactionId]);
      assert.deepEqual(rows, [{ status: 'pending' }]);
    });
});
