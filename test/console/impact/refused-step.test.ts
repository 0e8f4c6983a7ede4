/** A step of a batch that the service refuses: the dialog says why, beside a field or below. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changeImpactBatch } from '../../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../../src/operations/impact/pool-contributions.ts';
import { signedIn } from '../../support/actor.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

test('a refusal of what a step of a batch does not ask for is said in its dialog', needsBrowser, async () => {
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
  const details = [{ field: 'quantity', code: 'not_possible', message: 'quantity is not what is paid for.' }];
  const error = { code: 'invalid_request', message: 'The request was refused.', details };
  await page.route('**/advance', (route) => route.fulfill({ status: 422, json: { error } }));
  await page.getByRole('main').getByRole('button', { name: 'Record the funding' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('button[type=submit]').click();
  await dialog.getByRole('alert').getByText('quantity is not what is paid for.').waitFor();
});
