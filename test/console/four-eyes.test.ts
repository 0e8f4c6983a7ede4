/** A step for two people and one person: the console says why in names, and until when, before the step and when it is refused. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Actor } from '../../src/domain/access/role.ts';
import { createOperator, disableOperator } from '../../src/operations/access/manage-operator.ts';
import { draftAdjustment } from '../../src/operations/adjustments/manage-adjustment.ts';
import { draftFailure } from '../../src/operations/contributions/record-failure.ts';
import { enrolled, OWNER, signedIn } from '../support/actor.ts';
import { uniqueId } from '../support/client.ts';
import { needsBrowser, newPerson } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { PASSWORD } from '../support/operator-client.ts';
import { openFirst, tools } from '../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

async function idOf(name: string): Promise<string> {
  const { rows } = await service.database.pool.query('select operator_id from operator where name = $1', [name]);
  return rows[0].operator_id;
}

async function madeBy(maker: Actor, name: string): Promise<Actor> {
  const email = `${uniqueId('person').toLowerCase()}@example.org`;
  const { operator } = await createOperator(service.database, maker, { name, email, role: 'approver' });
  return { ...signedIn('approver'), operatorId: operator.operatorId };
}

/** @returns The event of the draft. */
async function draftedBy(drafter: Actor): Promise<string> {
  const event = uniqueId('event');
  const never = { partnerId: partner.partnerId, partnerEventId: event, partnerOrderRef: uniqueId('order'), points: 5n };
  await draftFailure(service.database, drafter, { ...never, reason: 'a test' });
  return event;
}

/** What the list says of a failure that the person at the page cannot approve; the refusal of the step repeats it. */
async function refusalOf(page: Page, event: string, approve: string): Promise<string> {
  await page.goto(`${browser.baseUrl}/failures?status=drafted`);
  const row = page.getByRole('row').filter({ hasText: event });
  const why = row.locator('details');
  await why.locator('summary').click();
  const told = (await why.innerText()).replaceAll(/[\u2066-\u2069]/g, '');
  const [short = '', before] = told.split('\n');
  assert.match(short, WHO_IS_NOT_SECOND);
  await row.getByRole('button').waitFor();
  assert.equal(await row.getByRole('button', { name: approve }).count(), 0);
  // As when it changes after the page has asked.
  await page.route('**/second-person?*', (route) => route.fulfill({ json: { is_allowed: true, message: null, details: [] } }));
  await page.reload();
  await row.getByRole('button', { name: approve }).click();
  await page.getByRole('dialog').getByRole('button', { name: approve }).click();
  // The first one says what the step brings.
  const said = (await page.getByRole('alert').nth(1).innerText()).replaceAll(/[\u2066-\u2069]/g, '');
  const [sentence = '', command] = said.split(/\n+.*:\n+/);
  assert.equal(command, 'npx partner-impact operator create --name NAME --email ADDRESS --role approver');
  assert.equal(before, sentence);
  return sentence;
}

async function signInWith(page: Page, code: string): Promise<void> {
  await page.goto(`${browser.baseUrl}/sign-in#${code}`);
  const passwords = page.locator('input[type=password]');
  for (const field of [passwords.first(), passwords.last()]) await field.fill(PASSWORD);
  await page.locator('form:has(input[type=password]) button[type=submit]').click();
  await page.locator('nav').first().waitFor({ state: 'attached' });
}

const WHO_IS_NOT_SECOND = /^(?:You cannot be the second person|لا يمكنك أن تكون الشخص الثاني)(?: (?:until|حتى) .*\d\d:\d\d)?$/;
const UNTIL = String.raw`\d{1,2} \p{L}+ \d{4}[,،] \d\d:\d\d`;

describe('a step for two people', needsBrowser, () => {
  test('who made the account of the drafter reads the name, the time as the console writes it, and what was tried', async () => {
    const page = await browser.signedIn('admin', {}, 'Maker of accounts');
    const maker = { ...signedIn('admin'), operatorId: await idOf('Maker of accounts') };
    const text = await refusalOf(page, await draftedBy(await madeBy(maker, 'Badr Made')), 'Approve');
    const began = 'You created the account of Badr Made, who drafted the failure, or reset its sign-in less than 7 days ago';
    assert.match(
      text,
      new RegExp(
        `^${began}, directly or through other accounts. Until ${UNTIL}, another person has to approve the failure.$`,
        'u',
      ),
    );
  });

  test('an adjustment is not offered to who made the account of the drafter, and the page says why', async () => {
    const page = await browser.signedIn('admin', {}, 'Maker who looks');
    const maker = { ...signedIn('admin'), operatorId: await idOf('Maker who looks') };
    const { partner: own, client } = await service.newPartner();
    await openFirst(service.database, own);
    const { transaction_id: transactionId } = (await client.confirm({ points: 100 })).body.contribution;
    const draft = async (drafter: Actor) => {
      const why = { reasonCode: 'duplicate_report', reasonEn: 'Reported twice.', reasonAr: 'أُبلغ عنها مرتين.' } as const;
      const change = { pointsDelta: -1n, amountDelta: null, reversalOf: null };
      const { partnerId } = own;
      const { adjustmentId } = await draftAdjustment(
        service.database,
        drafter,
        { partnerId, transactionId, ...why, ...change },
        tools(),
      );
      return `${browser.baseUrl}/adjustments/${partnerId}/${adjustmentId}`;
    };
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await page.goto(await draft(await madeBy(maker, 'Huda Made')));
    await page.getByText(/^You created the account of .*Huda Made.*, who drafted the adjustment/).waitFor();
    assert.equal(await approve.count(), 0);
    await page.getByRole('button', { name: 'Reject' }).waitFor();
    const [other] = await enrolled(service.database, 'operator');
    await page.goto(await draft(other));
    await approve.waitFor();
  });

  test('two accounts of one maker, in Arabic', async () => {
    const [admin] = await enrolled(service.database, 'admin');
    const wanted = { name: 'Second of two', email: `${uniqueId('person').toLowerCase()}@example.org`, role: 'approver' } as const;
    const { signInCode } = await createOperator(service.database, admin, wanted);
    const page = await browser.open({ language: 'ar' });
    await signInWith(page, signInCode);
    const text = await refusalOf(page, await draftedBy(await madeBy(admin, 'First of two')), 'اعتماد');
    assert.match(text, /^أُعدّت مسودة الإخفاق بواسطة First of two، وadmin هو من أنشأ حسابك/);
    assert.match(text, new RegExp(`حتى ${UNTIL} يتولى شخص آخر اعتماد الإخفاق.$`, 'u'));
  });

  test('who has the address of the drafter in another form', async () => {
    const { email, operatorId } = await newPerson(service, 'operator', 'Same mailbox');
    const event = await draftedBy({ ...signedIn('operator'), operatorId });
    await disableOperator(service.database, OWNER, operatorId);
    const wanted = { name: 'Same mailbox again', email: email.replace('@', '+2@'), role: 'approver' } as const;
    const { operator, signInCode } = await createOperator(service.database, OWNER, wanted);
    assert.notEqual(operator.operatorId, operatorId);
    const page = await browser.open();
    await signInWith(page, signInCode);
    const text = await refusalOf(page, event, 'Approve');
    assert.equal(
      text,
      'Same mailbox, who drafted the failure, has the same e-mail address as you. Another person has to approve the failure.',
    );
  });
});
