/** What operators set up in the console: a partner to its first confirmation, an impact batch to its verification, people, rules and jobs. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { EVENT_TYPES } from '../../src/domain/events/event.ts';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { createPartner } from '../../src/operations/access/manage-partner.ts';
import type { Partner } from '../../src/store/access/partner.ts';
import { OWNER } from '../support/actor.ts';
import { uniqueId } from '../support/client.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { choose } from '../support/console/choose.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { copyBy } from '../support/console/copy-by.ts';
import { PASSWORD, signedInOperator } from '../support/operator-client.ts';
import { insertContributionRule, insertPrice } from '../support/rules.ts';
import { OPEN_RATES } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';

const priced: Partner[] = [];
const scene = needsBrowser.skip
  ? undefined
  : await openScene(async (database) => {
      for (const name of ['Rimal Market', 'Tamra Delivery']) {
        const partner = await createPartner(database, OWNER, name, { ...OPEN_RATES, currency: 'SAR' });
        const rule = { partnerId: partner.partnerId, starts: '-1 day' };
        await insertPrice(database, 'point_conversion', { ...rule, label: uniqueId('value'), price: '0.01' });
        await insertPrice(database, 'tree_cost', { ...rule, label: uniqueId('cost'), price: '0.50' });
        priced.push(partner);
      }
    });
const { service, browser, partner, client } = (scene ?? {}) as Scene;
const [one, other] = priced as [Partner, Partner];
if (scene) after(() => assert.deepEqual(browser.offences, []));

const THIS_YEAR = new Date().getFullYear();
/** The years of the beginning of a version or the end of a key, and of the moment before it. */
const [LATER, BEFORE] = [THIS_YEAR + 4, THIS_YEAR + 3];
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const rowsOf = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;

async function newClosed(of: Partner, points: number, acknowledgement?: object): Promise<void> {
  const { client } = await service.newPartner({ of });
  await client.confirm({ points });
  const approver = await signedInOperator(service, 'approver');
  const path = `/operator/v1/partners/${of.partnerId}/settlements`;
  const [open] = (await approver.get(path)).body.settlements;
  assert.equal((await approver.postOnce(`${path}/${open.settlement_id}/close`, undefined)).status, 200);
  if (acknowledgement) await client.post(`/v1/settlements/${open.settlement_id}/acknowledgement`, acknowledgement);
}

describe('an impact batch', needsBrowser, () => {
  test('from its settlements to its verification, with a file that is hashed twice', async () => {
    await newClosed(one, 150, { status: 'disputed', note: 'One order is not ours.' });
    await newClosed(other, 120);
    await newClosed(one, 80);
    const page = await browser.signedIn('approver', {}, 'Who plants');
    await page.goto(`${browser.baseUrl}/impact`);
    await page.getByText('There is no batch yet').waitFor();
    await page.getByRole('button', { name: 'New project' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name in English').fill('Mangroves of the coast');
    await dialog.getByLabel('Name in Arabic').fill('قرم الساحل');
    await dialog.getByRole('button', { name: 'New project' }).click();
    await page.getByRole('table', { name: 'Projects' }).getByText('Mangroves of the coast').waitFor();
    await page.getByRole('cell', { name: 'Saudi Arabia (\u2066SA\u2069)', exact: true }).waitFor();

    await page.getByRole('link', { name: 'New batch' }).click();
    await heading(page, 'New batch');
    await page.getByText('No settlement is chosen').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Create the batch' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Create it without settlements' }).waitFor();
    const disputed = page.getByRole('row').filter({ hasText: 'Disputed' });
    await disputed.getByRole('checkbox').check();
    // Chosen once, a settlement stays chosen under another filter.
    await choose(page, { field: 'Partner', option: other.name, typed: other.name });
    await page.getByRole('row').filter({ hasText: other.name }).getByRole('checkbox').check();
    await page.getByText('2 settlements chosen, 270 points').waitFor();
    await page.getByText('The partner disputes 1 settlement of these.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Create it without settlements' }).count(), 0);
    await page.getByText('2.70 SAR · 0.50 SAR a tree · pays about 5 trees').waitFor();
    await page.getByRole('button', { name: 'Create the batch' }).click();
    await dialog.getByText('2 settlements of 2 partners will be in it for ever').waitFor();
    await dialog.getByText('The partner disputes 1 settlement of these.').waitFor();
    await dialog.getByLabel('Name').fill('Spring');
    await dialog.getByLabel('Trees ordered').fill('12 trees');
    await dialog.getByRole('button', { name: 'New batch' }).click();
    await dialog.getByText('quantity must be a whole number of trees').waitFor();
    await dialog.getByLabel('Trees ordered').fill('5');
    await dialog.getByRole('button', { name: 'New batch' }).click();
    await page.getByText(/The batch “.*Spring.*” is created/).waitFor();
    await heading(page, 'Spring');
    await page.getByRole('button', { name: 'Add to the batch', disabled: true }).waitFor();
    const [, batchId = ''] = /\/impact\/(\w+)/.exec(page.url()) ?? [];
    const stateOf = async () =>
      (await rowsOf('select status, quantity from impact_batch where impact_batch_id = $1', [batchId]))[0];
    assert.deepEqual(await stateOf(), { status: 'recorded', quantity: 5n });

    const pooled = async () => (await rowsOf('select from impact_batch_settlement where impact_batch_id = $1', [batchId])).length;
    assert.equal(await pooled(), 2);

    // The list as it was before is shown until it is read again.
    const toChoose = page.getByRole('table', { name: 'Settlements to choose' });
    await toChoose.getByText('Disputed').waitFor({ state: 'detached' });
    await page.getByLabel('All', { exact: true }).check();
    await page.getByText('1 settlement chosen, 80 points').waitFor();
    await page.getByRole('button', { name: 'Add to the batch' }).click();
    await dialog.getByText('1 settlement of 1 partner will be in this batch for ever').waitFor();
    await dialog.getByRole('button', { name: 'Add to the batch' }).click();
    await page.getByText('Added to the batch: 1 settlement.').waitFor();
    assert.equal(await pooled(), 3);

    const record = async (name: string, done: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      if (name === 'Allocate') {
        await choose(dialog, { field: 'Project', option: 'Mangroves of the coast' });
      }
      await dialog.getByText(name === 'Allocate' ? 'it can be given to another project' : 'This is final.').waitFor();
      await dialog.getByRole('button', { name, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal((await stateOf()).status, done);
    };
    await record('Allocate', 'allocated');
    await record('Record the funding', 'funded');
    await record('Record the start', 'in_progress');

    const photo = Buffer.alloc(200_000, 'mangroves');
    await page.getByRole('button', { name: 'Add evidence' }).click();
    await page.locator('input[type=file]').setInputFiles({ name: 'coast.jpg', mimeType: 'image/jpeg', buffer: photo });
    const sha256 = createHash('sha256').update(photo).digest('hex');
    await dialog.getByText(sha256.slice(-6)).waitFor();
    await dialog.getByLabel('Public address').fill('https://10.0.0.1/coast.jpg');
    await dialog.getByText(/^Your time: .Riyadh.\.$/).waitFor();
    await dialog.getByLabel('Captured: day').fill('2026-01-02');
    await dialog.getByLabel('Captured: time').fill('10:30');
    await dialog.getByRole('button', { name: 'Add evidence' }).click();
    await dialog.getByText('Put the file at a public address').waitFor();
    await dialog.getByLabel('Public address').fill('https://files.example.org/coast.jpg');
    await dialog.getByRole('button', { name: 'Add evidence' }).click();
    await page.getByText('is recorded. The service did not open its address.').waitFor();
    const [kept] = await rowsOf('select sha256, byte_count, captured_at from impact_evidence where impact_batch_id = $1', [
      batchId,
    ]);
    assert.deepEqual(
      [kept.sha256, kept.byte_count, kept.captured_at.toISOString()],
      [sha256, 200_000n, '2026-01-02T07:30:00.000Z'],
    );

    await record('Record the delivery', 'delivered');
    await page.getByText('You recorded the delivery, so another person verifies it.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Verify' }).count(), 0);
    const second = await browser.signedIn('approver', {}, 'Who verifies');
    await second.goto(page.url());
    await second.getByRole('button', { name: 'Verify' }).click();
    await second.getByRole('dialog').getByText('you checked the evidence').waitFor();
    await second.getByRole('dialog').getByRole('link', { name: 'coast.jpg' }).waitFor();
    await second.getByRole('dialog').getByRole('button', { name: 'Verify' }).click();
    await second.getByText(/^Batch “.+”: Verified\.$/).waitFor();
    assert.equal((await stateOf()).status, 'verified');
    await second.getByRole('button', { name: 'Add evidence' }).waitFor({ state: 'detached' });
  });

  test('a viewer looks, and is offered no change', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/impact`);
    await page.getByRole('link', { name: 'Spring' }).click();
    await heading(page, 'Spring');
    await page.getByRole('link', { name: 'coast.jpg' }).waitFor();
    for (const role of ['button', 'link'] as const)
      assert.equal(await page.getByRole(role, { name: /^(?:New|Add|Verify|Record|Allocate|Create)\b/ }).count(), 0);
  });
});

describe('a new partner', needsBrowser, () => {
  test('from its name to its first confirmation, with a key that ends and an endpoint of one type of events, on one page that can be left and opened again', async () => {
    const receiver = await WebhookReceiver.open();
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/partners`);
    await page.getByRole('button', { name: 'New partner' }).click();
    await heading(page, 'New partner');
    const step = (name: string) => page.getByRole('region', { name, exact: true });
    await step('Partner').getByLabel('Name').fill('Noon of the desert');
    await step('Partner').getByLabel('Currency').fill('XYQ');
    await step('Partner').getByText('Requests a second: 100 confirmations').waitFor();
    assert.equal(await step('Partner').getByLabel('Look-ups').count(), 0);
    await step('API key').getByText('After step 1').waitFor();
    await step('Partner').getByRole('button', { name: 'Create the partner' }).click();
    await step('Partner').getByText('currency must be an ISO 4217 currency').waitFor();
    await step('Partner').getByLabel('Currency').fill('sar');
    await step('Partner').getByRole('button', { name: 'Create the partner' }).click();
    await page.getByRole('heading', { level: 1, name: 'Set-up of \u2068Noon of the desert\u2069' }).waitFor();
    const [, partnerId = ''] = /\/partners\/(\w+)\/set-up/.exec(page.url()) ?? [];
    const [made] = await rowsOf('select currency, time_zone from partner where partner_id = $1', [partnerId]);
    assert.deepEqual(made, { currency: 'SAR', time_zone: 'Asia/Riyadh' });
    await step('Partner').getByText('Confirmations and estimates a second').waitFor();
    await step('Rule').getByText('No rule was made for it').waitFor();
    await step('Rule').getByText('An administrator creates rules.').waitFor();

    const ends = step('API key').getByLabel('Ends: day');
    await ends.fill('2020-01-01');
    await step('API key').getByRole('button', { name: 'Issue a key' }).click();
    await step('API key').getByText('Ends must be in the future.').waitFor();
    await ends.fill(`${LATER}-01-01`);
    await step('API key').getByRole('button', { name: 'Issue a key' }).click();
    await step('API key').getByText('It is shown this once').waitFor();
    const [issued] = await rowsOf('select expires_at from api_key where partner_id = $1', [partnerId]);
    // Midnight in Riyadh, where the person is.
    assert.equal(issued.expires_at.toISOString(), `${BEFORE}-12-31T21:00:00.000Z`);
    const apiKey = await step('API key').locator('.secret').innerText();
    assert.match(apiKey, /^pi_sandbox_/);
    await step('First confirmation').getByText('The one that was just issued is filled in.').waitFor();

    const endpoint = step('Webhook endpoint');
    await endpoint.getByText('A sandbox for this machine alone also takes http://127.0.0.1:PORT/').waitFor();
    await endpoint.getByText('Response.json({ challenge: event.data.challenge })').waitFor();
    await endpoint.getByText('Without a choice it gets all').waitFor();
    assert.equal(await endpoint.getByRole('checkbox').count(), EVENT_TYPES.length);
    await endpoint.getByRole('checkbox', { name: 'Contribution confirmed' }).check();
    await endpoint.getByLabel('Address').fill('https://nobody.invalid/hook');
    await endpoint.getByRole('button', { name: 'Challenge and add' }).click();
    await endpoint.getByText('Nothing was stored.').waitFor();
    await endpoint.getByLabel('Address').fill(receiver.url);
    await endpoint.getByRole('button', { name: 'Challenge and add' }).click();
    await endpoint.locator('.secret').getByText('whsec_').waitFor();
    assert.equal(receiver.challenges.length, 1);
    const [stored] = await rowsOf('select event_types from webhook_endpoint where partner_id = $1', [partnerId]);
    assert.deepEqual(stored.event_types, ['impact.transaction.confirmed']);
    for (const [name, region] of [
      ['Copy the key', step('API key')],
      ['Copy the secret', endpoint],
    ] as const) {
      await copyBy(region, name);
    }
    await page.reload();
    await step('API key').getByText('server', { exact: true }).waitFor();
    const address = endpoint.getByText(receiver.url);
    await address.waitFor();
    assert.equal(await address.evaluate((shown) => shown.scrollWidth > shown.clientWidth && shown.clientWidth > 0), false);
    assert.equal(await page.locator('.secret').count(), 0);
    const first = step('First confirmation');
    await first.getByText('It is sent with this confirmation, and not kept.').waitFor();
    await first.getByLabel('A key of the partner').fill('pi_sandbox_mistyped');
    await first.getByRole('button', { name: 'Send a test confirmation' }).click();
    await first.getByText('api_key must be a key of this partner').waitFor();
    await first.getByLabel('A key of the partner').fill(apiKey);
    await first.getByRole('button', { name: 'Send a test confirmation' }).click();
    await first.getByText('The latest contribution').waitFor();
    await first.getByRole('status').getByText('10 points', { exact: true }).waitFor();
    const [contribution] = await rowsOf('select status, points, transaction_id as id from contribution where partner_id = $1', [
      partnerId,
    ]);
    assert.deepEqual([contribution.status, contribution.points], ['confirmed', 10n]);
    await first.getByRole('link', { name: 'Its events and deliveries' }).click();
    await page.waitForURL(`**/contributions/${partnerId}/${contribution.id}#timeline`);
    await page.locator('#timeline').getByText('Event published').waitFor();
    await page.goBack();
    assert.equal(await first.getByRole('link').first().getAttribute('href'), `/contributions/${partnerId}/${contribution.id}`);
    await receiver.until(1);
    const entries = await rowsOf(
      "select action from audit_entry where action = 'sandbox.test-confirmation' and partner_id = $1",
      [partnerId],
    );
    assert.equal(entries.length, 1);
  });

  test('its rule is made on the same page; one that starts later is named with its start', async () => {
    const own = await createPartner(service.database, OWNER, uniqueId('Shop'), { ...OPEN_RATES, currency: 'SAR' });
    const page = await browser.signedIn('admin');
    await page.goto(`${browser.baseUrl}/partners/${own.partnerId}/set-up`);
    const rule = page.getByRole('region', { name: 'Rule', exact: true });
    await rule.getByText('No rule was made for it').waitFor();
    await rule.getByRole('button', { name: 'New version for this partner' }).click();
    await rule.getByLabel('Version').fill('first-of-it');
    await rule.getByLabel('Review threshold').fill('900');
    await rule.getByLabel('Starts: day').fill(`${LATER}-01-01`);
    await rule.getByLabel('Starts: time, 24 hours').fill('00:00');
    await rule.getByRole('button', { name: 'New version', exact: true }).click();
    const dialog = page.getByRole('dialog');
    for (const stated of [own.name, `1 Jan ${LATER}, 00:00`, '900']) await dialog.getByText(stated, { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'New version' }).click();
    const row = rule.getByRole('table', { name: 'Starts later' }).getByRole('row', { name: /first-of-it/ });
    await row.getByText(`1 Jan ${LATER}, 00:00`).waitFor();
    await rule.getByText('Until the versions below start, every number of points is taken without a review.').waitFor();
    assert.equal(await rule.getByText('No rule was made for it').count(), 0);
    // A price in another currency is nothing to this partner.
    const dirham = {
      kind: 'tree_cost',
      version: 'in-dirham',
      tree_cost: '2',
      currency: 'AED',
      starts_at: `${LATER}-01-01T00:00:00Z`,
    };
    const admin = await signedInOperator(service, 'admin');
    assert.equal((await admin.postOnce('/operator/v1/rules', dirham, uniqueId('key'))).status, 200);
    await page.reload();
    await rule.getByText('Without a version yet: Value of a point, Cost of a tree.').waitFor();
    await rule.getByText('Done').waitFor();
    const later = page.getByRole('region', { name: 'First confirmation' });
    await later.getByText(`Contribution rule first-of-it: 1 Jan ${LATER}, 00:00:00`).waitFor();
    await later.getByText('A confirmation before that is taken under what is in force now.').waitFor();
    for (const [kind, version] of [
      ['Value of a point', 'first-value'],
      ['Cost of a tree', 'first-cost'],
    ] as const) {
      await rule.getByRole('button', { name: 'New version for this partner' }).click();
      await choose(rule, { field: 'Kind', option: kind });
      await rule.getByLabel('Version').fill(version);
      await rule.getByLabel(kind).fill('0.01');
      await rule.getByRole('button', { name: 'New version', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'New version' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await rule
      .getByText(
        'Until the versions below start, every number of points is taken without a review, points have no value, and the cost of a tree is not known.',
      )
      .waitFor();
    const [kept] = await rowsOf("select partner_id, review_threshold from rule_version where version = 'first-of-it'");
    assert.deepEqual(kept, { partner_id: own.partnerId, review_threshold: 900n });
    await rule.getByRole('link', { name: 'All versions' }).click();
    await heading(page, 'Rules');
    await page.getByRole('link', { name: 'Set-up of this partner' }).click();
    await rule.waitFor();
  });

  test('the first confirmation says under which versions it was taken, and what is in force since then', async () => {
    const { partner: own, client: its } = await service.newPartner();
    await its.confirm({ points: 10 });
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners/${own.partnerId}/set-up`);
    const first = page.getByRole('region', { name: 'First confirmation' });
    await first.getByText('Taken under: Contribution rule default-1 · Value of a point default-1').waitFor();
    assert.equal(await first.getByText('In force since then').count(), 0);
    const version = await insertContributionRule(service.database, { partnerId: own.partnerId, review_threshold: 200 });
    await first.getByText(`In force since then: Contribution rule ${version}`).waitFor({ timeout: 40_000 });
  });

  test('of versions that start later it says what they change, and no more', async () => {
    const own = await createPartner(service.database, OWNER, uniqueId('Shop'), { ...OPEN_RATES, currency: 'SAR' });
    const page = await browser.signedIn('viewer');
    const rule = page.getByRole('region', { name: 'Rule', exact: true });
    await page.goto(`${browser.baseUrl}/partners/${own.partnerId}/set-up`);
    await rule.getByText('Optional').waitFor();
    const admin = await signedInOperator(service, 'admin');
    const value = { kind: 'point_conversion', version: uniqueId('value'), point_value: '0.01', currency: 'SAR' };
    const starts = { partner_id: own.partnerId, starts_at: `${LATER}-01-01T00:00:00Z` };
    assert.equal((await admin.postOnce('/operator/v1/rules', { ...value, ...starts }, uniqueId('key'))).status, 200);
    await page.reload();
    await rule.getByText('Until the versions below start, points have no value.').waitFor();
    await rule.getByText('Without a version yet: Contribution rule, Cost of a tree.').waitFor();
    await rule.getByText('Done').waitFor();
  });

  test('a partner without a currency is done with its contribution rule, and is offered no value of a point', async () => {
    const { partner: own } = await service.newPartner();
    const page = await browser.signedIn('admin');
    await page.goto(`${browser.baseUrl}/partners/${own.partnerId}/set-up`);
    const rule = page.getByRole('region', { name: 'Rule', exact: true });
    await rule.getByRole('button', { name: 'New version for this partner' }).click();
    await rule.getByText('A value or a cost needs a currency.').waitFor();
    await rule.getByRole('combobox', { name: 'Kind' }).click();
    const offered = page.getByRole('option', { name: 'Value of a point' });
    await offered.waitFor();
    assert.equal(await offered.getAttribute('data-combobox-disabled'), 'true');
    await page.keyboard.press('Escape');
    await rule.getByLabel('Version').fill('only-rule');
    await rule.getByRole('button', { name: 'New version', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New version' }).click();
    await rule.getByText('Done').waitFor();
  });

  test('a key that has ended or ends within a day is not offered to be replaced, and the dialog of another one names the end of both', async () => {
    const { partner: own } = await service.newPartner();
    const { partnerId } = own;
    const hours = { past: -1, soon: 23, later: 48 };
    for (const [name, count] of Object.entries(hours))
      await service.newPartner({ of: own, key: { name, expiresAt: new Date(Date.now() + count * 3_600_000) } });
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/partners/${partnerId}/set-up`);
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    for (const [name, isOffered] of [
      ['past', false],
      ['soon', false],
      ['later', true],
    ] as const) {
      await row(name)
        .getByRole('button', { name: `Revoke: ${name}` })
        .waitFor();
      assert.equal(
        await row(name)
          .getByRole('button', { name: `Replace: ${name}` })
          .count(),
        isOffered ? 1 : 0,
        name,
      );
      assert.equal(
        await row(name).getByText('If no key has followed it yet, issue another key').count(),
        isOffered ? 0 : 1,
        name,
      );
    }
    await page.getByRole('button', { name: 'Replace: later' }).click();
    const end = page.getByRole('dialog').getByText('The new key ends when the old one would have:');
    const [{ expires_at }] = await rowsOf("select expires_at from api_key where partner_id = $1 and name = 'later'", [partnerId]);
    assert.equal(await end.locator('time').getAttribute('datetime'), expires_at.toISOString());
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Replace: test' }).click();
    await page.getByRole('dialog').getByText('The old one works for 24 hours more.').waitFor();
    assert.equal(await end.count(), 0);
  });

  test('a key is replaced and revoked; the partner is suspended and resumed', async () => {
    const { partner: own } = await service.newPartner();
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/partners/${own.partnerId}/set-up`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Replace: test' }).click();
    await dialog.getByText('The old one works for 24 hours more.').waitFor();
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await page.locator('.secret').waitFor();
    await copyBy(page, 'Copy the key');
    await page.getByRole('button', { name: 'Revoke: test' }).first().click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText(/^The key “.+” is revoked\.$/).waitFor();
    const keys = await rowsOf('select revoked_at is null as active from api_key where partner_id = $1', [own.partnerId]);
    assert.deepEqual(keys.map(({ active }) => active).toSorted(), [false, true]);
    await page.goto(`${browser.baseUrl}/partners/${own.partnerId}`);
    for (const [name, isSuspended] of [
      ['Suspend', true],
      ['Resume', false],
    ] as const) {
      await page.getByRole('button', { name: 'Edit the partner' }).click();
      await page.getByRole('menuitem', { name }).click();
      await dialog.getByText('within ten seconds').waitFor();
      await dialog.getByRole('button', { name }).click();
      await dialog.waitFor({ state: 'detached' });
      const [row] = await rowsOf('select suspended_at is not null as suspended from partner where partner_id = $1', [
        own.partnerId,
      ]);
      assert.equal(row.suspended, isSuspended);
    }
  });

  test('a viewer sees the steps and from where each key is allowed, and is offered no step', async () => {
    await client.confirm({ points: 10 });
    const { partnerId } = partner;
    const key = {
      name: 'office',
      permission: 'read_only',
      allowedAddresses: ['203.0.113.0/24', '2001:db8::7'],
      expiresAt: null,
    } as const;
    await issueApiKey(service.database, OWNER, { ...key, environment: 'sandbox', partnerId });
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/partners/${partnerId}/set-up`);
    await page.getByText('The latest contribution').waitFor();
    const keys = page.getByRole('table', { name: 'API key' });
    await keys.getByRole('columnheader', { name: 'Allowed from' }).waitFor();
    for (const address of key.allowedAddresses)
      await keys
        .getByRole('row', { name: /office/ })
        .getByText(address)
        .waitFor();
    await keys.getByRole('row', { name: /test/ }).getByText('every address').waitFor();
    assert.equal(await page.getByRole('button', { name: /^(?:Issue|Challenge|Send|Create)\b/ }).count(), 0);
    await page.goto(`${browser.baseUrl}/partners/new`);
    await page.getByText('This takes the role operator.').waitFor();
  });
});

describe('an operator', needsBrowser, () => {
  for (const [language, words] of [
    ['en', 'gives a person without an e-mail address one with'],
    ['ar', 'بريدًا إلكترونيًا لمن ليس له بريد'],
  ] as const)
    test(`an administrator is told the commands for what the page does not offer, and nobody else is, ${language}`, async () => {
      const command = (page: Page) => page.getByRole('main').locator('code').filter({ hasText: 'operator set-email' });
      const page = await browser.signedIn('admin', { language });
      await page.goto(`${browser.baseUrl}/operators`);
      await command(page).waitFor();
      await page.getByText(words).last().waitFor();
      const other = await browser.signedIn('approver', { language });
      await other.goto(`${browser.baseUrl}/operators`);
      await other.locator('tbody tr').first().waitFor();
      assert.equal(await command(other).count(), 0);
      assert.equal(await other.getByRole('button', { name: /^(?:Change|تعديل): / }).count(), 0);
    });

  for (const [language, words] of [
    [
      'en',
      {
        change: 'Change',
        role: 'Change the role',
        link: 'New sign-in',
        disable: 'Disable',
        field: 'Role',
        to: 'Viewer',
        copy: 'Copy the link',
      },
    ],
    [
      'ar',
      {
        change: 'تعديل',
        role: 'تغيير الدور',
        link: 'دخول جديد',
        disable: 'تعطيل',
        field: 'الدور',
        to: 'مُطّلع',
        copy: 'نسخ الرابط',
      },
    ],
  ] as const)
    test(`gets another role, a new sign-in, and is disabled by an administrator, ${language}`, async () => {
      const name = uniqueId('Person');
      const { operatorId } = await signedInOperator(service, 'operator', name);
      const kept = async () =>
        (
          await rowsOf(
            `select o.role, o.disabled_at is not null as disabled,
              (select count(*)::int4 from operator_credential c where c.operator_id = o.operator_id and c.kind = 'session' and c.ended_at is null) as sessions
            from operator o where o.operator_id = $1`,
            [operatorId],
          )
        )[0];
      const page = await browser.signedIn('admin', { language });
      await page.goto(`${browser.baseUrl}/operators`);
      const dialog = page.getByRole('dialog');
      const menu = page.getByRole('button', { name: `${words.change}: ${name}` });
      const begin = async (label: string) => {
        await menu.click();
        await page.getByRole('menuitem', { name: label }).click();
      };
      const confirm = (label: string) => dialog.getByRole('button', { name: label, exact: true }).click();
      await begin(words.role);
      await choose(dialog, { field: words.field, option: words.to });
      await confirm(words.role);
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual(await kept(), { role: 'viewer', disabled: false, sessions: 1 });
      await begin(words.link);
      await confirm(words.link);
      await dialog.getByText(/\/sign-in#/).waitFor();
      assert.deepEqual(await kept(), { role: 'viewer', disabled: false, sessions: 0 });
      await copyBy(dialog, words.copy);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await begin(words.disable);
      await confirm(words.disable);
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual(await kept(), { role: 'viewer', disabled: true, sessions: 0 });
      await menu.waitFor({ state: 'detached' });
    });

  test('whose role a colleague changes meanwhile keeps that role, and the dialog names the colleague', async () => {
    const name = uniqueId('Person');
    const { operatorId } = await signedInOperator(service, 'approver', name);
    const colleague = await signedInOperator(service, 'admin', 'Amal');
    const page = await browser.signedIn('admin');
    await page.goto(`${browser.baseUrl}/operators`);
    await page.getByRole('button', { name: `Change: ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Change the role' }).click();
    const dialog = page.getByRole('dialog');
    await choose(dialog, { field: 'Role', option: 'Operator' });
    const { status, text } = await colleague.send('PUT', `/operator/v1/operators/${operatorId}/role`, {
      body: { role: 'viewer' },
    });
    assert.equal(status, 200, text);
    await dialog.getByRole('button', { name: 'Change the role', exact: true }).click();
    await dialog.getByText('Role changed by Amal').waitFor();
    assert.deepEqual(await rowsOf('select role from operator where operator_id = $1', [operatorId]), [{ role: 'viewer' }]);
  });

  test('who approves is added with an address alone, and signs in by the link that is shown once', async () => {
    // The page knows the clock of the service to the second.
    const openedAt = Math.floor(Date.now() / 1_000) * 1_000;
    const page = await browser.signedIn('admin');
    await page.goto(`${browser.baseUrl}/operators`);
    await page.getByRole('button', { name: 'Add an operator' }).click();
    const dialog = page.getByRole('dialog');
    const consequence = dialog.getByText('neither of you can be the second person for what the other did');
    const [, until = ''] = /Until (.+?, \d\d:\d\d), 7 days after the person is added/.exec(await consequence.innerText()) ?? [];
    const inDays = (Date.parse(`${until} GMT+0300`) - openedAt) / 86_400_000;
    assert.ok(inDays >= 7 && inDays < 7.01, until);
    await dialog.getByText('For everybody else the person can be the second at once.').waitFor();
    const name = uniqueId('Person');
    await dialog.getByLabel('Name').fill(name);
    await choose(dialog, { field: 'Role', option: 'Approver' });
    await dialog.getByRole('button', { name: 'Add an operator' }).click();
    const address = dialog.getByLabel('E-mail address');
    assert.equal(
      await page.evaluate('document.activeElement.type === "email" && document.activeElement.validity.valueMissing'),
      true,
    );
    const kept = () => rowsOf('select role, email from operator where name = $1', [name]);
    assert.deepEqual(await kept(), []);
    const email = `${name}@example.org`.toLowerCase();
    await address.fill(email);
    await dialog.getByRole('button', { name: 'Add an operator' }).click();
    const link = (await dialog.getByText(/^http:\/\/localhost:\d+\/sign-in#/).textContent()) ?? '';
    assert.deepEqual(await kept(), [{ role: 'approver', email }]);
    const own = await browser.open();
    await own.goto(link);
    for (const label of ['New password', 'The same password again']) await own.getByLabel(label).fill(PASSWORD);
    await own.getByRole('button', { name: 'Set the password and sign in' }).click();
    await heading(own, 'Overview');
    await copyBy(dialog, 'Copy the link');
    await page.reload();
    await page.getByText(name, { exact: true }).waitFor();
    assert.equal(await page.getByText('sign-in#').count(), 0);
  });
});

describe('rules', needsBrowser, () => {
  test('who may not create a version is offered a preview, and told of no button that is not there', async () => {
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/rules`);
    await page.getByRole('button', { name: 'Preview a version' }).click();
    await heading(page, 'Preview a version');
    await page.getByText('It stores nothing.').waitFor();
    assert.equal(await page.getByRole('main').getByText('New version').count(), 0);
    await page.getByRole('button', { name: 'Preview', exact: true }).waitFor();
  });

  test('a version is previewed over last month and over the last 30 days, created, and withdrawn before it starts', async () => {
    // Its last month does not become another during the test.
    const { partner: own, client: its } = await service.newPartner();
    await insertContributionRule(service.database, { partnerId: own.partnerId, review_threshold: 200 });
    for (const points of [150, 120]) await its.confirm({ points });
    const page = await browser.signedIn('admin');
    await page.goto(`${browser.baseUrl}/rules?partner=${own.partnerId}`);
    await page.getByText('In force for this partner now').waitFor();
    await page.getByRole('button', { name: 'New version' }).click();
    await heading(page, 'New version of a rule');
    await page.getByLabel('Version').fill('autumn-1');
    await page.getByLabel('Review threshold').fill('140');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('No contribution of this time is concerned.').waitFor();
    await page.getByText('Last 30 days').click();
    await page.getByRole('cell', { name: 'Reviewed: at or above the threshold' }).waitFor();
    const [{ count }] = await rowsOf(
      "select count(*)::int as count from contribution where partner_id = $1 and points >= 140 and created_at > now() - interval '30 days'",
      [own.partnerId],
    );
    const row = page.getByRole('row', { name: 'Reviewed: at or above the threshold' });
    assert.equal(await row.getByRole('cell').nth(1).innerText(), String(count));
    await page.getByLabel('Starts: day').fill(`${LATER}-01-01`);
    await page.getByRole('button', { name: 'New version' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('What is recorded keeps its own.').waitFor();
    await dialog.getByRole('button', { name: 'New version' }).click();
    await page.getByText(/^The version .+ is created\.$/).waitFor();
    const version = page.getByRole('row', { name: /autumn-1/ });
    await version.getByText('Not started').waitFor();
    await version.getByRole('button', { name: 'Withdraw' }).click();
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await version.getByText('Withdrawn').waitFor();
    const soon = await insertContributionRule(service.database, { partnerId: own.partnerId, starts: '50 seconds' });
    await page.reload();
    const starting = page.getByRole('row', { name: soon });
    await starting.getByText('Not started').waitFor();
    assert.equal(await starting.getByRole('button', { name: 'Withdraw' }).count(), 0, 'too late');
    const [kept] = await rowsOf("select partner_id, review_threshold, withdrawn_at from rule_version where version = 'autumn-1'");
    assert.deepEqual([kept.partner_id, kept.review_threshold, kept.withdrawn_at instanceof Date], [own.partnerId, 140n, true]);
  });
});

describe('jobs', needsBrowser, () => {
  test('the verification is run by hand, and its result stands on top', async () => {
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/jobs`);
    await page.getByText('No verification has succeeded yet. Run “Verify all records” by hand').waitFor();
    const row = page
      .getByRole('row')
      .filter({ has: page.getByRole('button', { name: 'Run now: Verify all records', exact: true }) });
    assert.match((await row.innerText()).replaceAll(/\s+/g, ' '), /authorises\. Not run yet not yet – Run now$/);
    await page.getByRole('button', { name: 'Run now: Verify all records', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.getByText(/^The run of “.Verify all records.” has begun\.$/).waitFor();
    await page.getByText('None was modified outside of the service.').waitFor();
    const [run] = await rowsOf("select trigger, outcome from job_run where job_name = 'verify' order by run_no desc limit 1");
    assert.deepEqual(run, { trigger: 'hand', outcome: 'succeeded' });
    assert.equal(await page.getByText('The latest run did not succeed').count(), 0);
    await rowsOf(
      `insert into job_run (job_name, run_no, trigger, started_at, ended_at, outcome, error)
      select job_name, run_no + 1000, 'schedule', now(), now(), 'failed', 'The disk is full.' from job_run where job_name = 'verify'`,
    );
    await page.reload();
    await page.getByText('The latest run did not succeed').waitFor();
    await page.getByText('None was modified outside of the service.').waitFor();
  });

  test('a job has its name in Arabic, for the eye and for a screen reader', async () => {
    const page = await browser.signedIn('operator', { language: 'ar' });
    await page.goto(`${browser.baseUrl}/jobs`);
    await page.getByRole('button', { name: 'تشغيل الآن: إقفال التسويات', exact: true }).click();
    await page.getByRole('dialog', { name: 'تشغيل الآن: إقفال التسويات', exact: true }).waitFor();
  });

  for (const [language, button, said] of [
    [
      'en',
      'Run now: Fail undecided contributions',
      'Fails for good what no operator decided within 72 hours. The job begins at once',
    ],
    ['ar', 'تشغيل الآن: تسجيل فشل المساهمات التي لم يُبتّ فيها', 'تسجّل نهائيًا فشل ما لم يُبتّ فيه خلال 72 ساعة. تبدأ المهمة فورًا'],
  ] as const)
    test(`before it is run by hand, a job says what it does for good, ${language}`, async () => {
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/jobs`);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('dialog').getByText(said).waitFor();
    });

  test('a viewer sees the runs, and starts none', async () => {
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}/jobs?job=verify`);
    await page.getByRole('cell', { name: 'An operator', exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Run now/ }).count(), 0);
  });
});
