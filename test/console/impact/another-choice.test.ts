/** Settlements that are added to a batch of which one request got no answer, or was refused: the others are added all the same. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createImpactBatch, poolSettlements } from '../../../src/operations/impact/pool-contributions.ts';
import { signedIn } from '../../support/actor.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

test('another settlement that is chosen after an answer was lost is added with the others', needsBrowser, async () => {
  for (const points of [40, 50, 60]) {
    const { client, open } = await newSettledPartner(service);
    await client.confirm({ points });
    await closeThrough(service, open);
  }
  const { impactBatchId } = await createImpactBatch(service.database, signedIn('operator'), { name: 'Again', quantity: 7n });
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/impact/${impactBatchId}`);
  let requests = 0;
  await page.route(/\/settlements$/, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    requests += 1;
    const response = await route.fetch();
    await (requests === 2 ? route.abort() : route.fulfill({ response }));
  });
  const boxes = page.getByRole('checkbox', { name: /^Choose:/ });
  const add = page.getByRole('main').getByRole('button', { name: 'Add to the batch' });
  const dialog = page.getByRole('dialog');
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await add.click();
  await dialog.getByRole('button', { name: 'Add to the batch' }).click();
  await dialog.getByText('so the change may have been made').waitFor();
  await dialog.getByText('what was made is not made twice').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });

  await boxes.last().check();
  await add.click();
  await dialog.getByRole('button', { name: 'Add to the batch' }).click();
  await dialog.waitFor({ state: 'detached' });
  const text = 'select count(*)::int as count from impact_batch_settlement where impact_batch_id = $1';
  const { rows } = await service.database.pool.query(text, [impactBatchId]);
  assert.deepEqual([rows[0].count, requests], [3, 4]);
});

for (const [language, add, told] of [
  ['en', 'Add to the batch', 'Added to the batch: 1 settlement. The service refused others'],
  ['ar', 'إضافة إلى الدفعة', 'أُضيف إلى الدفعة: تسوية واحدة. ورفضت الخدمة غيرها'],
] as const)
  test(
    `of the chosen settlements one that a colleague added to another batch first holds up no other, ${language}`,
    needsBrowser,
    async () => {
      const operator = signedIn('operator');
      const settled: { readonly partnerId: string; readonly settlementId: string }[] = [];
      for (const points of [70, 80]) {
        const { client, open } = await newSettledPartner(service);
        await client.confirm({ points });
        await closeThrough(service, open);
        settled.push(open);
      }
      const [mine, other] = [await newBatch('Mine'), await newBatch('Of a colleague')];
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/impact/${mine}`);
      await page.getByRole('checkbox').nth(1).waitFor();
      // The first to be sent is the first that is listed.
      for (const nth of [1, 2]) await page.getByRole('checkbox').nth(nth).check();
      const [, colleagues] = settled;
      const { partnerId, settlementId } = colleagues as (typeof settled)[number];
      await poolSettlements(service.database, operator, { impactBatchId: other, partnerId, settlementIds: [settlementId] });
      await page.getByRole('main').getByRole('button', { name: add }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: add }).click();
      await page.getByText(told).waitFor();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 0);
      const text = 'select settlement_id as "settlementId" from impact_batch_settlement where impact_batch_id = $1';
      assert.deepEqual((await service.database.pool.query(text, [mine])).rows, [{ settlementId: settled[0]?.settlementId }]);
    },
  );

async function newBatch(name: string): Promise<string> {
  return (await createImpactBatch(service.database, signedIn('operator'), { name, quantity: 7n })).impactBatchId;
}
