/** What the page of an impact batch says of its number of trees, while it takes settlements and afterwards. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { OWNER } from '../support/actor.ts';
import { uniqueId } from '../support/client.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { signedInOperator } from '../support/operator-client.ts';
import { insertPrice } from '../support/rules.ts';
import { OPEN_RATES } from '../support/service.ts';

const priced: Partner[] = [];
const scene = needsBrowser.skip
  ? undefined
  : await openScene(async (database) => {
      for (const [name, cost] of [
        ['Rimal Market', '0.50'],
        ['Nakheel', '0.50'],
        ['Nakheel', '0.50'],
        ['Wadi Stores', '0.25'],
      ] as const) {
        const partner = await createPartner(database, OWNER, name, { ...OPEN_RATES, currency: 'SAR' });
        const rule = { partnerId: partner.partnerId, starts: '-1 day' };
        await insertPrice(database, 'point_conversion', { ...rule, label: uniqueId('value'), price: '0.01' });
        await insertPrice(database, 'tree_cost', { ...rule, label: uniqueId('cost'), price: cost });
        priced.push(partner);
      }
    });
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const V1 = '/operator/v1';

/** A closed settlement of 150 points, which pays about 3 trees. */
async function newSettlement(partner = priced[0] as Partner) {
  const { partnerId } = partner;
  const { client } = await service.newPartner({ of: partner });
  await client.confirm({ points: 150 });
  const approver = await signedInOperator(service, 'approver');
  const settlements = `${V1}/partners/${partnerId}/settlements`;
  const [open] = (await approver.get(settlements)).body.settlements;
  const { status, text } = await approver.postOnce(`${settlements}/${open.settlement_id}/close`, undefined);
  assert.equal(status, 200, text);
  return { approver, partnerId, settlementId: open.settlement_id as string };
}

/** A batch for 12 trees, with a settlement of 150 points that pays about 3. */
async function newBatch() {
  const { approver, partnerId, settlementId } = await newSettlement();
  const done = async (path: string, body: object | undefined) => {
    const answer = await approver.postOnce(V1 + path, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const { impact_batch_id: id } = await done('/impact-batches', { name: 'Spring', quantity: '12' });
  await done(`/impact-batches/${id}/settlements`, { partner_id: partnerId, settlement_ids: [settlementId] });
  const project = await done('/projects', { name_en: 'Coast', name_ar: 'الساحل', country: 'SA' });
  return {
    id,
    allocate: () => done(`/impact-batches/${id}/advance`, { to: 'allocated', project_id: project.project_id }),
    correct: (quantity: string) => done(`/impact-batches/${id}/correct`, { quantity }),
  };
}

const SAID = {
  en: {
    open: 'The batch is for 12 trees, and its settlements pay about 3 trees. Add settlements, or correct the number of trees.',
    final:
      'The batch is for 12 trees, and its settlements pay about 3 trees. It takes no more settlements; an operator corrects the number of trees.',
    enough: 'The batch is for 3 trees. Its settlements pay about 3 trees.',
  },
  ar: {
    open: 'الدفعة لزراعة 12 شجرة، وقيمة تسوياتها لا تغطي إلا نحو 3 أشجار. أضف تسويات، أو صحّح عدد الأشجار.',
    final: 'الدفعة لزراعة 12 شجرة، وقيمة تسوياتها لا تغطي إلا نحو 3 أشجار. لا تقبل تسويات أخرى، ويصحّح المشغّل عدد الأشجار.',
    enough: 'الدفعة لزراعة 3 أشجار، وتغطي قيمة تسوياتها نحو 3 أشجار.',
  },
} as const;

describe('an impact batch whose settlements pay fewer trees than it is for', needsBrowser, () => {
  for (const language of ['en', 'ar'] as const)
    test(`asks for settlements, then for another number of trees, until they fit, ${language}`, async () => {
      const { id, allocate, correct } = await newBatch();
      const said = SAID[language];
      const page = await browser.signedIn('viewer', { language });
      const shows = async (wanted: keyof typeof said) => {
        await page.goto(`${browser.baseUrl}/impact/${id}`);
        await page.getByText(said[wanted], { exact: true }).waitFor();
        for (const other of (['open', 'final', 'enough'] as const).filter((each) => each !== wanted))
          assert.equal(await page.getByText(said[other], { exact: true }).count(), 0);
      };
      await shows('open');
      await allocate();
      await shows('final');
      await correct('3');
      await shows('enough');
    });
});

test('a batch of partners whose trees cost different amounts has each cost in a line of its own', needsBrowser, async () => {
  const { id } = await newBatch();
  const { approver, partnerId, settlementId } = await newSettlement(priced[3]);
  const added = { partner_id: partnerId, settlement_ids: [settlementId] };
  assert.equal((await approver.postOnce(`${V1}/impact-batches/${id}/settlements`, added)).status, 200);
  const page = await browser.signedIn('viewer');
  await page.goto(`${browser.baseUrl}/impact/${id}`);
  const cost = page.locator('dt', { hasText: 'Cost of a tree' }).locator('xpath=following-sibling::dd[1]');
  assert.deepEqual((await cost.innerText()).split('\n'), ['0.25 SAR', '0.50 SAR']);
});

describe('before money is bound', needsBrowser, () => {
  test('a new batch names two partners of one name with their ids', async () => {
    const [, one, other] = priced as [Partner, Partner, Partner];
    for (const partner of [one, other]) await newSettlement(partner);
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/impact/new`);
    const rows = page.locator('tbody tr').filter({ hasText: 'Nakheel' });
    await rows.nth(1).waitFor();
    for (const row of [0, 1]) await rows.nth(row).getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Create the batch' }).click();
    const named = page.getByRole('dialog', { name: 'New batch' }).getByText('Nakheel');
    await named.nth(1).waitFor();
    const wanted = [one, other].map(({ partnerId }) => `Nakheel (\u2066${partnerId}\u2069)`);
    assert.deepEqual((await named.allInnerTexts()).sort(), wanted.sort());
  });

  for (const [language, words] of [
    [
      'en',
      {
        choose: /^Choose/,
        create: 'Create the batch',
        dialog: 'New batch',
        fund: 'Record the funding',
        cost: '0.50 SAR a tree',
        alone: 'This settlement pays about 3 trees.',
        together: 'Together these settlements pay about 6 trees.',
      },
    ],
    [
      'ar',
      {
        choose: /^اختيار/,
        create: 'إنشاء الدفعة',
        dialog: 'دفعة أثر جديدة',
        fund: 'تسجيل التمويل',
        cost: '\u20660.50 SAR\u2069 للشجرة',
        alone: 'تغطي هذه التسوية نحو 3 أشجار.',
        together: 'تغطي هذه التسويات معًا نحو 6 أشجار.',
      },
    ],
  ] as const)
    test(`a new batch names the partner and the sum of the trees, and the funding the trees and the amount, ${language}`, async () => {
      const { partnerId } = await newSettlement();
      await newSettlement();
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/impact/new?partner=${partnerId}`);
      const boxes = page.getByRole('checkbox', { name: words.choose });
      await boxes.nth(1).waitFor();
      const chosen = page.locator('tbody').getByRole('checkbox');
      const dialog = page.getByRole('dialog', { name: words.dialog });
      await chosen.nth(0).click();
      await page.getByText(words.cost).waitFor();
      await page.getByRole('button', { name: words.create }).click();
      await dialog.getByText(words.alone, { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await chosen.nth(1).click();
      await page.getByRole('button', { name: words.create }).click();
      await dialog.getByText('Rimal Market', { exact: true }).waitFor();
      await dialog.getByText(words.together, { exact: true }).waitFor();

      const { id, allocate } = await newBatch();
      await allocate();
      await page.goto(`${browser.baseUrl}/impact/${id}`);
      await page.getByRole('button', { name: words.fund }).click();
      const figures = await page.getByRole('dialog', { name: words.fund }).locator('dd').allInnerTexts();
      assert.deepEqual(figures, ['12', '150', '1.50 SAR', '0.50 SAR', '3']);
    });
});
