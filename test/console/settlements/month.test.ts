/** What the settlements of a month come to, where the finance person looks for it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newConfirmation } from '../../support/client.ts';
import { findBarriers, needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { closeNow, newSettledPartner, tools } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** Two periods of this month in a currency that no other partner has: each is billed 0.505. */
async function closeTwice(currency: string): Promise<[string, string]> {
  const { partnerId, client } = await newSettledPartner(service);
  const close = async () => {
    await client.confirm({ ...newConfirmation(), points: 101 });
    return (await closeNow(service.database, partnerId, tools('0.005', currency))).closed.period.label;
  };
  return [await close(), await close()];
}

// All are closed before anybody asks: the service shares what it has added up for some seconds.
const periods = scene && { BHD: await closeTwice('BHD'), OMR: await closeTwice('OMR') };

for (const [language, words] of [
  ['en', { currency: 'BHD', name: 'All partners in', together: 'Together', closed: /^Closed: \d+$/, period: 'Period' }],
  ['ar', { currency: 'OMR', name: 'جميع الشركاء في', together: 'المجموع', closed: /^مُقفلة: \d+$/, period: 'الفترة' }],
] as const)
  test(`the filter of a month adds up its settlements and lists every period in it: ${language}`, needsBrowser, async () => {
    const [first, second] = periods?.[words.currency] ?? ['', ''];
    const page = await browser.signedIn('viewer', { language });
    await page.goto(`${browser.baseUrl}/settlements?currency=${words.currency}`);
    const filter = page.getByRole('textbox', { name: words.period, exact: true });
    await filter.pressSequentially(first);
    const table = page.getByRole('table', { name: words.name });
    await table.waitFor();
    const cells = await table.locator('tbody tr').filter({ hasText: words.currency }).locator('th, td').allInnerTexts();
    assert.deepEqual(
      cells.map((text) => text.replace(/\s+/gu, ' ').trim()),
      [words.currency, '2', '2', '202', '202', `1.010 ${words.currency}`],
    );
    const together = await table.locator('tbody tr').last().locator('th, td').allInnerTexts();
    assert.deepEqual(
      together.map((text) => text.trim()),
      [words.together, '4', '4', '404', '404', '–'],
      'points add up over currencies, amounts do not',
    );
    await page.getByText(words.closed).waitFor();
    const rows = page.locator('.records tbody').getByRole('row');
    for (const label of [first, second]) await rows.getByText(label, { exact: true }).waitFor();
    await filter.fill(second);
    await rows.getByText(first, { exact: true }).waitFor({ state: 'detached' });
    await rows.getByText(second, { exact: true }).waitFor();
    assert.equal(await table.count(), 1, 'the totals are of the month');
  });

for (const [language, together] of [
  ['en', 'Together'],
  ['ar', 'المجموع'],
] as const)
  test(
    `on a telephone every total of a month is seen with its name, the payable amount too: ${language}`,
    needsBrowser,
    async () => {
      const [period = ''] = periods?.BHD ?? [];
      const page = await browser.signedIn('viewer', { language, width: 390 });
      await page.goto(`${browser.baseUrl}/settlements?period=${period}`);
      const table = page.locator('table.sum');
      const payable = table.locator('tbody tr').filter({ hasText: 'BHD' }).locator('td').last();
      await payable.waitFor();
      const { x = -1, width = 0 } = (await payable.boundingBox()) ?? {};
      assert.ok(x >= 0 && x + width <= 390, `the payable amount stands from ${x} to ${x + width}`);
      await table.getByRole('rowheader', { name: together }).waitFor();
      assert.deepEqual(await findBarriers(page), []);
    },
  );
