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

/** Figures of which a part is beyond what is seen: of the screen, or of a table that scrolls. */
const BEYOND = `[...document.querySelectorAll('main .figure')].filter((figure) => {
  const frame = figure.closest('.mantine-Paper-root').getBoundingClientRect();
  const { left, right } = figure.getBoundingClientRect();
  return left < frame.left || right > frame.right || right > innerWidth;
}).map(({ textContent }) => textContent)`;

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

  for (const language of ['en', 'ar'] as const)
    test(`of the largest points is read whole on a narrow screen, while it is open and closed, ${language}`, async () => {
      const { partnerId, client, open } = await newSettledPartner(service);
      for (let number = 0; number < 3; number++) {
        const { status } = await client.confirm({ points: 2n ** 63n - 1n });
        assert.equal(status, 201);
      }
      const page = await browser.signedIn('approver', { language, width: 390 });
      const look = async (price: string) => {
        await page.goto(`${browser.baseUrl}/settlements/${partnerId}/${open.settlementId}`);
        await page.locator('table.sum').getByText('27,670,116,110,564,327,421').first().waitFor();
        await page.waitForLoadState('networkidle');
        assert.deepEqual(await page.evaluate<string[]>(BEYOND), [], price);
      };
      await look('open');
      await page
        .getByText(
          language === 'en' ? 'There is no amount: no value of a point was in force.' : 'لا مبلغ: لم تكن للنقطة قيمة سارية.',
        )
        .waitFor();
      const { closed } = await closeNow(service.database, partnerId, tools('0.0333'));
      await look('closed');
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(`${browser.baseUrl}/settlements?period=${closed.period.label.slice(0, 7)}`);
      await page.locator('table.sum').waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0);
    });
});
