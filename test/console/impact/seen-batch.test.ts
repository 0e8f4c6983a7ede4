/** A step that says of a batch that what is shown of it is true: a change of a colleague meanwhile is looked at first. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { changeImpactBatch } from '../../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../../src/operations/impact/pool-contributions.ts';
import { signedIn } from '../../support/actor.ts';
import { needsBrowser, newPerson } from '../../support/console/browser.ts';
import { choose } from '../../support/console/choose.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

type Wanted = Parameters<typeof changeImpactBatch>[3];

const STEPS = ['allocated', 'funded', 'in_progress', 'delivered'] as const;

function newEvidence(name: string): Wanted {
  const file = { type: 'photo', url: `https://example.org/${name}`, fileName: name, byteCount: 7n };
  const sha256 = createHash('sha256').update(name).digest('hex');
  return { changeType: 'evidence_added', evidence: { ...file, sha256, capturedAt: new Date(0) }, reason: null };
}

async function newClosed() {
  const { partnerId, client, open } = await newSettledPartner(service);
  await client.confirm({ points: 150 });
  await closeThrough(service, open);
  return { partnerId, settlementIds: [open.settlementId] };
}

const newAuthor = async () => ({ ...signedIn('approver'), operatorId: (await newPerson(service, 'approver')).operatorId });

/** A batch of 500 trees without a project. */
async function newRecorded() {
  const { database } = service;
  const author = await newAuthor();
  const { impactBatchId } = await createImpactBatch(database, author, { name: 'Spring', quantity: 500n });
  await poolSettlements(database, author, { impactBatchId, ...(await newClosed()) });
  const { projectId } = await createProject(database, author, { nameEn: 'Coast', nameAr: 'الساحل', country: 'SA' });
  return { impactBatchId, author, projectId };
}

/** A batch in this status with one file of evidence, and who changes it beside the one who looks. */
async function newBatch(status: (typeof STEPS)[number]) {
  const { database } = service;
  const { impactBatchId, author, projectId } = await newRecorded();
  const other = await newAuthor();
  const change = (wanted: Wanted, actor = author) => changeImpactBatch(database, actor, impactBatchId, wanted);
  for (const to of STEPS.slice(0, STEPS.indexOf(status) + 1))
    await change({ changeType: 'advanced', to, reason: null, ...(to === 'allocated' && { projectId }) });
  await change(newEvidence('one.jpg'));
  const changeByOther = (wanted: Wanted) => change(wanted, other);
  return { id: impactBatchId, changeByOther };
}

async function statusOf(id: string): Promise<string> {
  const { rows } = await service.database.pool.query('select status from impact_batch where impact_batch_id = $1', [id]);
  return rows[0].status;
}

const CORRECTED: Wanted = { changeType: 'corrected', quantity: 5_000n, reason: null };
const DELAYED: Wanted = { changeType: 'delayed', expectedDeliveryPeriod: '2099-05', reason: null };

describe('a batch that a colleague changed while a dialog shows it as it was', needsBrowser, () => {
  for (const { status, step, changed, told, language, close } of [
    { status: 'delivered', step: 'Verify', changed: CORRECTED, told: 'Trees corrected by', language: 'en', close: 'Close' },
    {
      status: 'delivered',
      step: 'تحقّق',
      changed: newEvidence('two.jpg'),
      told: 'أضاف إليها دليلًا',
      language: 'ar',
      close: 'إغلاق',
    },
    {
      status: 'allocated',
      step: 'Record the funding',
      changed: CORRECTED,
      told: 'Trees corrected by',
      language: 'en',
      close: 'Close',
    },
    {
      status: 'in_progress',
      step: 'Record the delivery',
      changed: DELAYED,
      told: 'Delay recorded by',
      language: 'en',
      close: 'Close',
    },
  ] as const)
    test(`is not taken further: ${step}, ${told}`, async () => {
      const { id, changeByOther } = await newBatch(status);
      const page = await browser.signedIn('approver', { language });
      await page.goto(`${browser.baseUrl}/impact/${id}`);
      await page.getByRole('main').getByRole('button', { name: step, exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: step, exact: true }).waitFor();
      await changeByOther(changed);
      await dialog.getByRole('button', { name: step, exact: true }).click();
      await dialog.getByText(told).waitFor();
      assert.deepEqual(await dialog.locator('form').getByRole('button').allInnerTexts(), [close]);
      assert.equal(await statusOf(id), status);
    });

  test('is not allocated with settlements that a colleague adds while the dialog shows it without them', async () => {
    const { impactBatchId: id, author } = await newRecorded();
    const page = await browser.signedIn('approver');
    await page.goto(`${browser.baseUrl}/impact/${id}`);
    await page.getByRole('main').getByRole('button', { name: 'Allocate', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await choose(dialog, { field: 'Project', option: 'Coast' });
    await page.route('**/advance', async (route) => {
      await poolSettlements(service.database, author, { impactBatchId: id, ...(await newClosed()) });
      await route.fallback();
    });
    const answered = page.waitForResponse(/\/advance$/);
    await dialog.getByRole('button', { name: 'Allocate', exact: true }).click();
    const { error } = await (await answered).json();
    assert.deepEqual(
      error.details.map(({ field, code }: Record<string, string>) => [field, code]),
      [['expected_settlement_count', 'not_possible']],
    );
    await dialog.getByText('The batch now has 2 settlements.').waitFor();
    assert.equal(await statusOf(id), 'recorded');
  });

  test('after the console has looked for changes too: the service refuses the step, and the dialog says why', async () => {
    const { id, changeByOther } = await newBatch('delivered');
    const page = await browser.signedIn('approver');
    await page.goto(`${browser.baseUrl}/impact/${id}`);
    await page.getByRole('main').getByRole('button', { name: 'Verify', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await page.route('**/verify', async (route) => {
      await changeByOther(CORRECTED);
      await route.fallback();
    });
    const answered = page.waitForResponse(/\/verify$/);
    await dialog.getByRole('button', { name: 'Verify', exact: true }).click();
    const { error } = await (await answered).json();
    assert.deepEqual(
      error.details.map(({ field, code }: Record<string, string>) => [field, code]),
      [['expected_change_no', 'not_possible']],
    );
    await dialog.getByText('Trees corrected by').waitFor();
    assert.equal(await statusOf(id), 'delivered');
  });
});
