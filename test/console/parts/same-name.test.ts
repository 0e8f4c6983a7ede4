/** Two partners or two colleagues of one name: a person knows which one is chosen, and which one a step is about or was taken by. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { shortId } from '../../../console/src/format/short-id.ts';
import { createOperator } from '../../../src/operations/access/manage-operator.ts';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import { draftFailure } from '../../../src/operations/contributions/record-failure.ts';
import { OWNER, signedIn } from '../../support/actor.ts';
import { waitFor } from '../../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { choose } from '../../support/console/choose.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { signedInOperator } from '../../support/operator-client.ts';
import { OPEN_RATES } from '../../support/service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** A page looks every 15 s. */
const LOOKED_AGAIN_MS = 16_000;

async function newTwins(name: string) {
  const make = () => createPartner(service.database, OWNER, name, OPEN_RATES);
  const [first, second] = [await make(), await make()];
  return { name, first, second };
}

describe('partners of one name', needsBrowser, () => {
  test('are chosen by their ids, which the field of the chosen one shows', async () => {
    const { name, first, second } = await newTwins('Bait al Qahwa');
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/reviews`);
    const box = page.getByRole('combobox', { name: 'Partner' });
    await box.fill('bait al');
    const labels = [first, second].map(({ partnerId }) => `${name} · ${partnerId}`);
    const options = page.getByRole('option');
    await waitFor('both', async () => (await options.count()) === 2);
    assert.deepEqual((await options.allInnerTexts()).toSorted(), labels.toSorted());
    await options.filter({ hasText: second.partnerId }).click();
    await page.waitForURL(new RegExp(second.partnerId));
    await waitFor('the id', async () => (await box.inputValue()) === labels[1]);
    await page.reload();
    await waitFor('the id again', async () => (await box.inputValue()) === labels[1]);
    await box.fill('souq');
    await page.getByRole('option', { name: 'Souq Express', exact: true }).click();
    await waitFor('the name alone', async () => (await box.inputValue()) === 'Souq Express');
  });

  test('are shown with their ids where a failure is approved and where a rule is created', async () => {
    const { name, first } = await newTwins('Dar al Shay');
    const drafter = await signedInOperator(service, 'operator', 'Amal');
    const drafted = await drafter.postOnce('/operator/v1/failures', {
      partner_id: first.partnerId,
      partner_event_id: uniqueId('event'),
      partner_order_ref: uniqueId('order'),
      points: '5',
      reason: 'Another contribution holds the order.',
    });
    assert.equal(drafted.status, 200, drafted.text);
    const page = await browser.signedIn('admin');
    const dialog = page.getByRole('dialog');
    await page.goto(`${browser.baseUrl}/failures?partner=${first.partnerId}`);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await dialog.getByText(first.partnerId, { exact: true }).waitFor();
    await page.goto(`${browser.baseUrl}/rules/new?partner=${first.partnerId}`);
    await page.getByLabel('Version').fill(uniqueId('v'));
    await page.getByRole('main').getByRole('button', { name: 'New version', exact: true }).click();
    await dialog.getByText(name, { exact: true }).waitFor();
    await dialog.getByText(first.partnerId, { exact: true }).waitFor();
  });

  test('are shown with their ids on the page of an adjustment, and in the dialog of its last step', async () => {
    const { first: of } = await newTwins('Suq al Dar');
    const { client } = await service.newPartner({ of });
    const { transaction_id } = (await client.confirm({ ...newConfirmation(), points: 150 })).body.contribution;
    const drafter = await signedInOperator(service, 'operator', 'Amal');
    const drafted = await drafter.postOnce('/operator/v1/adjustments', {
      partner_id: of.partnerId,
      transaction_id,
      reason_code: 'other',
      reason_en: 'x',
      reason_ar: 'س',
      points_delta: '-50',
    });
    assert.equal(drafted.status, 200, drafted.text);
    const page = await browser.signedIn('approver');
    await page.goto(`${browser.baseUrl}/adjustments/${of.partnerId}/${drafted.body.adjustment.adjustment_id}`);
    await page.getByRole('main').getByRole('link', { name: 'Suq al Dar' }).waitFor();
    await page.getByRole('main').getByText(of.partnerId, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByRole('dialog').getByText(of.partnerId, { exact: true }).waitFor();
  });
});

describe('colleagues of one name', needsBrowser, () => {
  /** A new operator, who drafts a failure. */
  async function newDrafter(name: string) {
    const email = `${uniqueId('person').toLowerCase()}@example.org`;
    const { operator } = await createOperator(service.database, OWNER, { name, email, role: 'operator' });
    const event = uniqueId('event');
    const never = { partnerId: partner.partnerId, partnerEventId: event, partnerOrderRef: uniqueId('order'), points: 5n };
    const { operatorId } = operator;
    await draftFailure(service.database, { ...signedIn('operator'), operatorId }, { ...never, reason: 'a test' });
    return { operatorId, event };
  }

  for (const [language, schedule] of [
    ['en', 'The schedule of the service'],
    ['ar', 'الجدولة التلقائية في الخدمة'],
  ] as const)
    test(`are shown with their ids, as is one who is called as an account of the service, ${language}`, async () => {
      const name = uniqueId('Amal');
      const twins = [await newDrafter(name), await newDrafter(name), await newDrafter(schedule)];
      const alone = await newDrafter(uniqueId('Huda'));
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/failures?partner=${partner.partnerId}`);
      const personOf = (event: string) => page.getByRole('row').filter({ hasText: event }).locator('[data-hint^="opr_"]');
      for (const { operatorId, event } of twins) {
        await personOf(event).getByText(shortId(operatorId), { exact: true }).waitFor();
        assert.equal(await personOf(event).getAttribute('data-hint'), operatorId);
      }
      assert.equal(await personOf(alone.event).getAttribute('data-hint'), alone.operatorId);
      assert.ok(!(await personOf(alone.event).innerText()).includes('opr_'));
    });

  test('are shown with their ids in the dialog of a step with an account, and in the name of its button', async () => {
    const name = uniqueId('Amal');
    const twins = [await newDrafter(name), await newDrafter(name)];
    const page = await browser.signedIn('admin');
    await page.goto(`${browser.baseUrl}/operators`);
    for (const { operatorId } of twins)
      for (const step of ['Change the role', 'New sign-in', 'Disable']) {
        await page.getByRole('button', { name: new RegExp(`${name}.*${operatorId}`) }).click();
        await page.getByRole('menuitem', { name: step }).click();
        await page.getByRole('dialog').getByRole('heading').getByText(operatorId).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
  });

  test('are shown with their ids too where one of them was added after the page was loaded', async () => {
    const name = uniqueId('Amal');
    const first = await newDrafter(name);
    const page = await browser.signedIn('admin');
    await page.clock.install();
    await page.goto(`${browser.baseUrl}/operators`);
    await page.getByRole('button', { name: new RegExp(name) }).waitFor();
    await page.waitForLoadState('networkidle');
    const second = await newDrafter(name);
    await page.clock.fastForward(LOOKED_AGAIN_MS);
    for (const { operatorId } of [first, second])
      await page.getByRole('button', { name: new RegExp(`${name}.*${operatorId}`) }).waitFor();
  });

  test('are chosen by their ids in the filter of the audit', async () => {
    const name = uniqueId('Amal');
    const [one, other] = [await newDrafter(name), await newDrafter(name)];
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/audit`);
    for (const { operatorId } of [one, other]) {
      await choose(page, { field: 'By', option: `${name} · ${operatorId}` });
      await page.waitForURL(new RegExp(operatorId));
    }
  });
});
