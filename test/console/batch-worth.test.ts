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
      const partner = await createPartner(database, OWNER, 'Rimal Market', { ...OPEN_RATES, currency: 'SAR' });
      const rule = { partnerId: partner.partnerId, starts: '-1 day' };
      await insertPrice(database, 'point_conversion', { ...rule, label: uniqueId('value'), price: '0.01' });
      await insertPrice(database, 'tree_cost', { ...rule, label: uniqueId('cost'), price: '0.50' });
      priced.push(partner);
    });
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const V1 = '/operator/v1';

/** A batch for 12 trees, with a settlement of 150 points that pays about 3. */
async function newBatch() {
  const [partner] = priced as [Partner];
  const { client } = await service.newPartner({ of: partner });
  await client.confirm({ points: 150 });
  const approver = await signedInOperator(service, 'approver');
  const done = async (path: string, body: object | undefined) => {
    const answer = await approver.postOnce(V1 + path, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const settlements = `/partners/${partner.partnerId}/settlements`;
  const [open] = (await approver.get(V1 + settlements)).body.settlements;
  await done(`${settlements}/${open.settlement_id}/close`, undefined);
  const { impact_batch_id: id } = await done('/impact-batches', { name: 'Spring', quantity: '12' });
  await done(`/impact-batches/${id}/settlements`, { partner_id: partner.partnerId, settlement_ids: [open.settlement_id] });
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
    open: 'الدفعة مخصّصة لعدد 12 شجرة، وقيمة تسوياتها لا تغطي إلا نحو 3 أشجار. أضف تسويات، أو صحّح عدد الأشجار.',
    final: 'الدفعة مخصّصة لعدد 12 شجرة، وقيمة تسوياتها لا تغطي إلا نحو 3 أشجار. لا تقبل تسويات أخرى، ويصحّح المشغّل عدد الأشجار.',
    enough: 'الدفعة مخصّصة لعدد 3 أشجار، وتغطي قيمة تسوياتها نحو 3 أشجار.',
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
