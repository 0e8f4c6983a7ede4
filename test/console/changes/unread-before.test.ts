/** A change before which the console looks whether a colleague made it: it is not sent where that cannot be read, nor later unasked. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Role } from '../../../src/domain/access/role.ts';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import { changeImpactBatch } from '../../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../../src/operations/impact/pool-contributions.ts';
import { OWNER, signedIn } from '../../support/actor.ts';
import { needsBrowser, newPerson } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { OPEN_RATES } from '../../support/service.ts';
import { closeThrough, newSettledPartner } from '../../support/settlements.ts';
import { endpointTools, newEndpoint } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const V1 = '/operator/v1';
const NOT_SENT = 'so it was not sent';

async function timesDone(subjectId: string, action: string): Promise<number> {
  const text = 'select count(*)::int as times from audit_entry where subject_id = $1 and action = $2';
  const { rows } = await service.database.pool.query(text, [subjectId, action]);
  return rows[0].times;
}

/** Every read of these addresses is refused as by a service without its database. @returns Ends it. */
async function refuseReads(page: Page, paths: readonly string[]): Promise<() => Promise<void>> {
  const isRefused = ({ pathname }: URL) => paths.includes(pathname);
  const error = { code: 'internal_service_unavailable', message: 'The service could not complete the request.' };
  await page.route(isRefused, (route) =>
    route.request().method() === 'GET' ? route.fulfill({ status: 503, json: { error } }) : route.fallback(),
  );
  return () => page.unroute(isRefused);
}

async function newPartnerPage() {
  const { partnerId } = await createPartner(service.database, OWNER, 'Not Read', OPEN_RATES);
  return { subjectId: partnerId, address: `/partners/${partnerId}`, reads: [`${V1}/partners/${partnerId}`] };
}

async function newEndpointPage() {
  const { partner, endpointId } = await newEndpoint(service, endpointTools(service.database));
  const path = `partners/${partner.partnerId}/endpoints/${endpointId}`;
  return { subjectId: endpointId, address: `/webhooks/${partner.partnerId}/${endpointId}`, reads: [`${V1}/${path}`] };
}

async function newKeyPage() {
  const { partner, key } = await service.newPartner();
  return { subjectId: key.key.keyId, address: `/partners/${partner.partnerId}/set-up`, reads: [`${V1}/audit`] };
}

async function newPersonPage() {
  const { operatorId } = await newPerson(service, 'viewer', 'Nadia');
  return { subjectId: operatorId, address: '/operators', reads: [`${V1}/audit`] };
}

async function newAllocatedPage() {
  const { database } = service;
  const { partnerId, client, open } = await newSettledPartner(service);
  await client.confirm({ points: 150 });
  await closeThrough(service, open);
  const author = { ...signedIn('operator'), operatorId: (await newPerson(service, 'operator', 'Amal')).operatorId };
  const { impactBatchId } = await createImpactBatch(database, author, { name: 'Spring', quantity: 500n });
  await poolSettlements(database, author, { impactBatchId, partnerId, settlementIds: [open.settlementId] });
  const { projectId } = await createProject(database, author, { nameEn: 'Coast', nameAr: 'الساحل', country: 'SA' });
  const change = (wanted: Parameters<typeof changeImpactBatch>[3]) => changeImpactBatch(database, author, impactBatchId, wanted);
  await change({ changeType: 'advanced', to: 'allocated', projectId, reason: null });
  return {
    subjectId: impactBatchId,
    address: `/impact/${impactBatchId}`,
    reads: [`${V1}/impact-batches/${impactBatchId}`],
    change,
  };
}

/** Presses what opens the dialog of a step. */
async function openStep(page: Page, { menu, item }: { readonly menu?: string; readonly item: string }): Promise<void> {
  const main = page.getByRole('main');
  if (menu === undefined) return main.getByRole('button', { name: item, exact: true }).click();
  await main.getByRole('button', { name: menu }).first().click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

describe('a change that cannot be looked for first', needsBrowser, () => {
  for (const { what, role = 'operator', newPage, step, label, action, reason = false } of [
    {
      what: 'a partner that is suspended',
      newPage: newPartnerPage,
      step: { menu: 'Edit the partner', item: 'Suspend' },
      label: 'Suspend',
      action: 'partner.suspend',
    },
    {
      what: 'an endpoint that is disabled',
      newPage: newEndpointPage,
      step: { item: 'Disable' },
      label: 'Disable',
      action: 'endpoint.disable',
      reason: true,
    },
    {
      what: 'a new secret',
      newPage: newEndpointPage,
      step: { item: 'New secret' },
      label: 'New secret',
      action: 'endpoint.rotate-secret',
    },
    {
      what: 'an endpoint that is removed',
      newPage: newEndpointPage,
      step: { item: 'Remove' },
      label: 'Remove',
      action: 'endpoint.remove',
    },
    {
      what: 'a key that is revoked',
      newPage: newKeyPage,
      step: { item: 'Revoke: test' },
      label: 'Revoke',
      action: 'key.revoke',
    },
    {
      what: 'a person who is disabled',
      role: 'admin',
      newPage: newPersonPage,
      step: { menu: 'Change: Nadia', item: 'Disable' },
      label: 'Disable',
      action: 'operator.disable',
    },
    {
      what: 'a role that is changed',
      role: 'admin',
      newPage: newPersonPage,
      step: { menu: 'Change: Nadia', item: 'Change the role' },
      label: 'Change the role',
      action: 'operator.change-role',
    },
  ] satisfies readonly {
    what: string;
    role?: Role;
    newPage: () => Promise<{ subjectId: string; address: string; reads: readonly string[] }>;
    step: { menu?: string; item: string };
    label: string;
    action: string;
    reason?: boolean;
  }[])
    test(`is not sent, says so, and is sent once it can be: ${what}`, async () => {
      const { subjectId, address, reads } = await newPage();
      const page = await browser.signedIn(role);
      await page.goto(browser.baseUrl + address);
      await openStep(page, step);
      const dialog = page.getByRole('dialog');
      if (reason) await dialog.getByLabel('Reason').fill('They asked.');
      const send = dialog.getByRole('button', { name: label, exact: true });
      await send.waitFor();
      const mend = await refuseReads(page, reads);
      await send.click();
      await dialog.getByRole('alert').getByText(NOT_SENT).waitFor();
      assert.equal(await timesDone(subjectId, action), 0);
      // No answer is awaited of what was not sent.
      if (reason) assert.equal(await dialog.getByLabel('Reason').isDisabled(), false);
      await mend();
      await send.click();
      await send.waitFor({ state: 'detached' });
      assert.equal(await timesDone(subjectId, action), 1);
    });

  for (const [language, words] of [
    ['en', { menu: 'Other changes', delay: 'Record a delay', field: 'Expected delivery', said: NOT_SENT }],
    ['ar', { menu: 'تغييرات أخرى', delay: 'تسجيل تأخير', field: 'التنفيذ المتوقَّع', said: 'فلم يُرسَل' }],
  ] as const)
    test(`records no second delay over that of a colleague, which the page has not read, ${language}`, async () => {
      const { subjectId, address, reads, change } = await newAllocatedPage();
      const page = await browser.signedIn('operator', { language });
      await page.goto(browser.baseUrl + address);
      await openStep(page, { menu: words.menu, item: words.delay });
      const dialog = page.getByRole('dialog');
      const period = dialog.getByLabel(words.field);
      await period.fill('2027-11');
      const mend = await refuseReads(page, reads);
      await change({ changeType: 'delayed', expectedDeliveryPeriod: '2027-05', reason: null });
      const send = dialog.getByRole('button', { name: words.delay });
      await send.click();
      await dialog.getByRole('alert').getByText(words.said).waitFor();
      assert.equal(await period.isDisabled(), false);
      await mend();
      await send.click();
      await send.waitFor({ state: 'detached' });
      await dialog.getByText('Amal').waitFor();
      assert.equal(await timesDone(subjectId, 'impact-batch.delay'), 1);
    });

  test('is not sent when the network is back and the person comes back to the tab', async () => {
    const { subjectId, address, reads } = await newPartnerPage();
    const page = await browser.signedIn('operator');
    await page.goto(browser.baseUrl + address);
    await openStep(page, { menu: 'Edit the partner', item: 'Suspend' });
    const dialog = page.getByRole('dialog');
    const show = (state: 'hidden' | 'visible') =>
      page.evaluate(`{
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
        dispatchEvent(new Event('visibilitychange'));
      }`);
    await show('hidden');
    const lost = page.waitForEvent('requestfailed', (request) => new URL(request.url()).pathname === reads[0]);
    const isRead = ({ pathname }: URL) => reads.includes(pathname);
    await page.route(isRead, (route) => route.abort());
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await lost;
    await page.unroute(isRead);
    await show('visible');
    await dialog.getByRole('alert').getByText(NOT_SENT).waitFor();
    assert.equal(await timesDone(subjectId, 'partner.suspend'), 0);
  });
});
