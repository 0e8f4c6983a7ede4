/** A step of a batch that the service refuses: the dialog says why, beside a field or below. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changeImpactBatch } from '../../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../../src/operations/impact/pool-contributions.ts';
import { attestRecord } from '../../../src/operations/verification/attest-record.ts';
import { OWNER, signedIn } from '../../support/actor.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { asSuperuser } from '../../support/postgres/superuser.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** A batch of 7 trees that is allocated, in a window of an operator. */
async function openAllocated() {
  const { partnerId, client, open } = await newSettledPartner(service);
  await client.confirm({ points: 70 });
  await closeThrough(service, open);
  const operator = signedIn('operator');
  const { impactBatchId } = await createImpactBatch(service.database, operator, { name: 'Refused', quantity: 7n });
  await poolSettlements(service.database, operator, { impactBatchId, partnerId, settlementIds: [open.settlementId] });
  const { projectId } = await createProject(service.database, operator, { nameEn: 'Coast', nameAr: 'الساحل', country: 'SA' });
  const allocated = { changeType: 'advanced', to: 'allocated', projectId, reason: null } as const;
  await changeImpactBatch(service.database, operator, impactBatchId, allocated);
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/impact/${impactBatchId}`);
  return { impactBatchId, page };
}

test('a refusal of what a step of a batch does not ask for is said in its dialog', needsBrowser, async () => {
  const { page } = await openAllocated();
  const details = [{ field: 'quantity', code: 'not_possible', message: 'quantity is not what is paid for.' }];
  const error = { code: 'invalid_request', message: 'The request was refused.', details };
  await page.route('**/advance', (route) => route.fulfill({ status: 422, json: { error } }));
  await page.getByRole('main').getByRole('button', { name: 'Record the funding' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('button[type=submit]').click();
  await dialog.getByRole('alert').getByText('quantity is not what is paid for.').waitFor();
});

test('a step of a batch that was edited in the database says so, and its dialog is not locked', needsBrowser, async () => {
  const { impactBatchId, page } = await openAllocated();
  await asSuperuser(service.database.pool, async (client) => {
    await client.query('update impact_batch set quantity = 8 where impact_batch_id = $1', [impactBatchId]);
  });
  await page.getByRole('main').getByRole('button', { name: 'Record the funding' }).click();
  const dialog = page.getByRole('dialog');
  const reason = dialog.getByRole('textbox');
  await reason.fill('paid');
  await dialog.locator('button[type=submit]').click();
  const said = dialog.getByRole('alert');
  await said.getByText(`The impact batch ${impactBatchId} differs from the audit`).waitFor();
  assert.match((await said.allInnerTexts()).join(' '), /Nothing was changed\..*verify.*attest/);
  await reason.fill('paid in full');
  await attestRecord(service.database, OWNER, { kind: 'impact_batch', id: impactBatchId, reason: 'as ordered' });
  await dialog.locator('button[type=submit]').click();
  await dialog.waitFor({ state: 'detached' });
});
