/** That the figures of a settlement add up where a person reads them, in points and as an amount. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { closeNow, newSettledPartner, tools } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const V1 = '/operator/v1';

describe('the sum of a settlement', needsBrowser, () => {
  test('names what was carried, and each amount, so that the payable figure can be checked', async () => {
    const { partnerId, client } = await newSettledPartner(service);
    const confirm = async (points: number) =>
      (await client.confirm({ ...newConfirmation(), points })).body.contribution.transaction_id as string;
    const close = async () => (await closeNow(service.database, partnerId, tools('0.0333'))).closed.settlementId;
    const first = await confirm(135);
    await close();
    const operator = await signedInOperator(service, 'operator');
    const approver = await signedInOperator(service, 'approver');
    const stated = { reason_code: 'other', points_delta: '-34', reason_en: 'x', reason_ar: 'س' };
    const drafted = await operator.postOnce(`${V1}/adjustments`, { partner_id: partnerId, transaction_id: first, ...stated });
    const adjustment = `${V1}/partners/${partnerId}/adjustments/${drafted.body.adjustment.adjustment_id}`;
    for (const step of ['approve', 'post'])
      assert.equal((await approver.postOnce(`${adjustment}/${step}`, undefined)).status, 200);
    await confirm(10);
    const second = await close();
    await confirm(1_000);
    const third = await close();
    const page = await browser.signedIn('viewer');
    const rowsOf = async (settlementId: string) => {
      await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${settlementId}`);
      const table = page.getByRole('table', { name: 'How it adds up' });
      await table.waitFor();
      const rows = await table.locator('tbody tr').all();
      return Promise.all(
        rows.map(async (row) => (await row.locator('th, td').allInnerTexts()).slice(1).map((text) => text.replace('−', '-'))),
      );
    };
    assert.deepEqual(await rowsOf(second), [
      ['10', ''],
      ['-34', ''],
      ['-24', '-0.80 SAR'],
      ['0', '0.00 SAR'],
      ['0', '0.00 SAR'],
      ['-24', '-0.80 SAR'],
    ]);
    assert.deepEqual(await rowsOf(third), [
      ['1,000', ''],
      ['0', ''],
      ['1,000', '33.30 SAR'],
      ['-24', '-0.80 SAR'],
      ['976', '32.50 SAR'],
      ['0', '0.00 SAR'],
    ]);
  });
});
