/** Two people do the same to a partner, a key, a rule, an endpoint or a batch: the second is told who was faster and when, and sends nothing again. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Role } from '../../../src/domain/access/role.ts';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import { changeImpactBatch } from '../../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../../src/operations/impact/pool-contributions.ts';
import { completeReconciliations } from '../../../src/operations/reconciliations/complete-reconciliations.ts';
import { OWNER, signedIn } from '../../support/actor.ts';
import { newConfirmation } from '../../support/client.ts';
import { needsBrowser, newPerson } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { type SignedInOperator, signedInOperator } from '../../support/operator-client.ts';
import { insertContributionRule } from '../../support/rules.ts';
import { OPEN_RATES } from '../../support/service.ts';
import { closeThrough, getOpen, newSettledPartner } from '../../support/settlements.ts';
import { endpointTools, newEndpoint } from '../../support/webhooks/webhook-service.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const V1 = '/operator/v1';
const CLOCK = /\d{1,2}:\d{2}/;
const POLLED_MS = 16_000;
const CLOSE = { en: 'Close', ar: 'إغلاق' } as const;
const MEANWHILE = {
  en: 'This changed meanwhile. Nothing is left to do in this dialog.',
  ar: 'تغيّر هذا في هذه الأثناء، ولم يبقَ ما يُفعل في هذه النافذة.',
} as const;

type Language = keyof typeof CLOSE;
/** Whether the operator is told as the step is sent, or before, as the page is read again. */
type How = 'by the step' | 'as it is read again';

interface Opened {
  readonly page: Page;
  readonly dialog: Locator;
  readonly colleague: SignedInOperator;
}

async function open(language: Language, path: string, role: Role = 'operator'): Promise<Opened> {
  const colleague = await signedInOperator(service, role, 'Amal');
  const page = await browser.signedIn(role, { language });
  await page.clock.install();
  await page.goto(browser.baseUrl + path);
  return { page, dialog: page.getByRole('dialog'), colleague };
}

async function look(page: Page, how: How, step: Locator): Promise<void> {
  // On a machine that is slow enough the page has read it by itself before the click.
  if (how === 'by the step') await Promise.race([step.click(), step.waitFor({ state: 'detached' })]);
  else await page.clock.fastForward(POLLED_MS);
}

/** The dialog says it, and can only be closed. */
async function assertTold(dialog: Locator, language: Language, by: string): Promise<void> {
  const told = dialog.getByText(by);
  // Sooner than the page is read again by itself.
  await told.waitFor({ timeout: 10_000 });
  assert.match(await told.innerText(), CLOCK);
  await dialog.getByText(MEANWHILE[language], { exact: true }).waitFor();
  const form = dialog.locator('form');
  assert.deepEqual(await form.getByRole('button').allInnerTexts(), [CLOSE[language]]);
  assert.equal(await dialog.getByRole('textbox').count(), 0);
  await form.getByRole('button').click();
  await dialog.waitFor({ state: 'detached' });
}

async function timesDone(subjectId: string, action: string): Promise<number> {
  const text = 'select count(*)::int as times from audit_entry where subject_id = $1 and action = $2';
  const { rows } = await service.database.pool.query<{ times: number }>(text, [subjectId, action]);
  return rows[0]?.times ?? 0;
}

describe('a partner that a colleague suspended or resumed first', needsBrowser, () => {
  for (const { language, how, menu, suspend, suspendedBy, resume, resumedBy } of [
    {
      language: 'en',
      how: 'by the step',
      menu: 'Edit the partner',
      suspend: 'Suspend',
      suspendedBy: 'Suspended by Amal',
      resume: 'Resume',
      resumedBy: 'Resumed by Amal',
    },
    {
      language: 'ar',
      how: 'as it is read again',
      menu: 'تعديل بيانات الشريك',
      suspend: 'إيقاف',
      suspendedBy: 'أوقفه Amal',
      resume: 'استئناف العمل',
      resumedBy: 'استأنف العمل معه Amal',
    },
  ] as const)
    test(`is told ${how}, ${language}`, async () => {
      const { partnerId } = await createPartner(service.database, OWNER, 'Two Minds', OPEN_RATES);
      const { page, dialog, colleague } = await open(language, `/partners/${partnerId}`);
      for (const [action, label, by] of [
        ['suspend', suspend, suspendedBy],
        ['resume', resume, resumedBy],
      ] as const) {
        await page.getByRole('button', { name: menu }).click();
        await page.getByRole('menuitem', { name: label }).click();
        const step = dialog.getByRole('button', { name: label, exact: true });
        await step.waitFor();
        assert.equal((await colleague.post(`${V1}/partners/${partnerId}/${action}`)).status, 200);
        await look(page, how, step);
        await assertTold(dialog, language, by);
        assert.equal(await timesDone(partnerId, `partner.${action}`), 1);
      }
    });
});

describe('a key that a colleague revoked first', needsBrowser, () => {
  for (const { language, how, filter, action, label, by } of [
    { language: 'en', how: 'by the step', filter: '', action: 'Revoke: test', label: 'Revoke', by: 'Revoked by Amal' },
    { language: 'en', how: 'by the step', filter: '', action: 'Replace: test', label: 'Replace', by: 'Revoked by Amal' },
    {
      language: 'ar',
      how: 'as it is read again',
      filter: '?status=active',
      action: 'إلغاء المفتاح: test',
      label: 'إلغاء المفتاح',
      by: 'ألغاه Amal',
    },
  ] as const)
    test(`keeps its dialog, which tells it ${how}, ${action}`, async () => {
      const { partner, key } = await service.newPartner();
      const { keyId } = key.key;
      const { page, dialog, colleague } = await open(language, `/partners/${partner.partnerId}/set-up${filter}`);
      const opened = page.getByRole('button', { name: action });
      await opened.click();
      const step = dialog.getByRole('button', { name: label, exact: true });
      await step.waitFor();
      assert.equal((await colleague.postOnce(`${V1}/keys/${keyId}/revoke`, undefined)).status, 200);
      await look(page, how, step);
      if (filter) await opened.waitFor({ state: 'detached' });
      await assertTold(dialog, language, by);
      assert.equal(await timesDone(keyId, 'key.revoke'), 1);
      assert.equal(await timesDone(keyId, 'key.rotate'), 0);
      assert.equal(await opened.count(), 0);
    });
});

describe('a version of a rule that a colleague withdrew first', needsBrowser, () => {
  for (const { language, how, filter, withdraw, by } of [
    { language: 'en', how: 'by the step', filter: '', withdraw: 'Withdraw', by: 'Withdrawn by Amal' },
    { language: 'ar', how: 'as it is read again', filter: '?standing=upcoming', withdraw: 'سحب', by: 'سحبه Amal' },
  ] as const)
    test(`keeps its dialog, which tells it ${how}, ${language}`, async () => {
      const version = await insertContributionRule(service.database, { starts: '1 day' });
      const { page, dialog, colleague } = await open(language, `/rules${filter}`, 'admin');
      const opened = page.getByRole('button', { name: `${withdraw}: ${version}` });
      await opened.click();
      const step = dialog.getByRole('button', { name: withdraw, exact: true });
      await step.waitFor();
      const withdrawn = await colleague.postOnce(`${V1}/rules/contribution_rule/${version}/withdraw`, undefined);
      assert.equal(withdrawn.status, 200, withdrawn.text);
      await look(page, how, step);
      await assertTold(dialog, language, by);
      assert.equal(await timesDone(`contribution_rule/${version}`, 'rule.withdraw'), 1);
      assert.equal(await opened.count(), 0);
    });
});

describe('an endpoint that a colleague changed first', needsBrowser, () => {
  const texts = {
    en: {
      enable: 'Enable',
      disable: 'Disable',
      enabledBy: 'Enabled by: Amal',
      disabledBy: 'Disabled by: Amal',
      removedBy: 'Removed by: Amal',
    },
    ar: { enable: 'تفعيل', disable: 'تعطيل', enabledBy: 'فعّلها: Amal', disabledBy: 'عطّلها: Amal', removedBy: 'أزالها: Amal' },
  } as const;
  const reasons = { en: 'Reason', ar: 'السبب' } as const;

  for (const [language, how] of [
    ['en', 'by the step'],
    ['ar', 'as it is read again'],
  ] as const)
    test(`is told ${how} of a disabling, an enabling and a removal, ${language}`, async () => {
      const { partner, endpointId } = await newEndpoint(service, endpointTools(service.database));
      const path = `${V1}/partners/${partner.partnerId}/endpoints/${endpointId}`;
      const { page, dialog, colleague } = await open(language, `/webhooks/${partner.partnerId}/${endpointId}`);
      const t = texts[language];
      const main = page.getByRole('main');
      await main.getByRole('button', { name: t.disable, exact: true }).click();
      await dialog.getByLabel(reasons[language]).fill('It fails.');
      assert.equal((await colleague.post(`${path}/disable`, { reason: 'They asked.' })).status, 200);
      await look(page, how, dialog.getByRole('button', { name: t.disable, exact: true }));
      await assertTold(dialog, language, t.disabledBy);
      assert.equal((await colleague.get(path)).body.status_reason, 'They asked.');

      await main.getByRole('button', { name: t.enable, exact: true }).click();
      const enable = dialog.getByRole('button', { name: t.enable, exact: true });
      await enable.waitFor();
      assert.equal((await colleague.post(`${path}/enable`)).status, 200);
      await look(page, how, enable);
      await assertTold(dialog, language, t.enabledBy);
      assert.equal(await timesDone(endpointId, 'endpoint.enable'), 1);

      await main.getByRole('button', { name: t.disable, exact: true }).click();
      await dialog.getByLabel(reasons[language]).fill('It fails.');
      const removed = await colleague.send('DELETE', path, { headers: { 'idempotency-key': `remove-${endpointId}` } });
      assert.equal(removed.status, 200, removed.text);
      await look(page, how, dialog.getByRole('button', { name: t.disable, exact: true }));
      await assertTold(dialog, language, t.removedBy);
      assert.equal(await timesDone(endpointId, 'endpoint.disable'), 1);
      assert.equal(await main.getByRole('button', { name: t.disable, exact: true }).count(), 0);
    });
});

async function newAllocated() {
  const { database } = service;
  const { partner, client } = await service.newPartner();
  const author = signedIn('operator');
  const { impactBatchId } = await createImpactBatch(database, author, { name: 'Spring', quantity: 7n });
  await client.confirm({ points: 150 });
  const { partnerId } = partner;
  const open = await getOpen(database, partnerId);
  await closeThrough(service, open);
  await poolSettlements(database, author, { impactBatchId, partnerId, settlementIds: [open.settlementId] });
  const { projectId } = await createProject(database, author, { nameEn: 'Coast', nameAr: 'الساحل', country: 'SA' });
  return { id: impactBatchId, projectId };
}

describe('a batch that a colleague advanced first', needsBrowser, () => {
  for (const { language, how, allocate, allocatedBy, fund, fundedBy, others, correct, trees, correctedBy } of [
    {
      language: 'en',
      how: 'by the step',
      allocate: 'Allocate',
      allocatedBy: 'Allocated by Amal',
      fund: 'Record the funding',
      fundedBy: 'Funding recorded by Amal',
      others: 'Other changes',
      correct: 'Correct the trees',
      trees: 'Trees ordered',
      correctedBy: 'Trees corrected by Amal',
    },
    {
      language: 'ar',
      how: 'as it is read again',
      allocate: 'تخصيص',
      allocatedBy: 'خصّصها Amal',
      fund: 'تسجيل التمويل',
      fundedBy: 'سجّل تمويلها Amal',
      others: 'تغييرات أخرى',
      correct: 'تصحيح عدد الأشجار',
      trees: 'الأشجار المطلوبة',
      correctedBy: 'صحّح عدد أشجارها Amal',
    },
  ] as const)
    test(`is told ${how} of an allocation, a funding and a correction, ${language}`, async () => {
      const { id, projectId } = await newAllocated();
      const { page, dialog, colleague } = await open(language, `/impact/${id}`);
      const does = async (step: string, body: object) => {
        const answer = await colleague.postOnce(`${V1}/impact-batches/${id}/${step}`, body);
        assert.equal(answer.status, 200, answer.text);
      };
      const main = page.getByRole('main');
      const button = (name: string) => dialog.getByRole('button', { name, exact: true });
      await main.getByRole('button', { name: allocate, exact: true }).click();
      await button(allocate).waitFor();
      await does('advance', { to: 'allocated', project_id: projectId });
      if (how === 'by the step') {
        await dialog.getByRole('combobox').click();
        await page.getByRole('option').first().click();
      }
      await look(page, how, button(allocate));
      await assertTold(dialog, language, allocatedBy);

      await main.getByRole('button', { name: fund, exact: true }).click();
      await button(fund).waitFor();
      await does('advance', { to: 'funded' });
      await look(page, how, button(fund));
      await assertTold(dialog, language, fundedBy);

      await page.getByRole('button', { name: others }).click();
      await page.getByRole('menuitem', { name: correct }).click();
      await dialog.getByLabel(trees).fill('9');
      await does('correct', { quantity: '9' });
      await look(page, how, button(correct));
      await assertTold(dialog, language, correctedBy);
      assert.equal(await timesDone(id, 'impact-batch.correct'), 1);
    });

  for (const { change, field, typed, step, body, by } of [
    {
      change: 'Correct the trees',
      field: 'Trees ordered',
      typed: '11',
      step: 'correct',
      body: { quantity: '9' },
      by: 'Trees corrected by Amal',
    },
    {
      change: 'Record a delay',
      field: 'Expected delivery',
      typed: '2027-11',
      step: 'delay',
      body: { expected_delivery_period: '2027-05' },
      by: 'Delay recorded by Amal',
    },
  ])
    test(`is not changed once more by what was stated before the colleague's, ${step}`, async () => {
      const { id, projectId } = await newAllocated();
      const { page, dialog, colleague } = await open('en', `/impact/${id}`);
      const does = async (name: string, sent: object) => {
        const answer = await colleague.postOnce(`${V1}/impact-batches/${id}/${name}`, sent);
        assert.equal(answer.status, 200, answer.text);
      };
      await does('advance', { to: 'allocated', project_id: projectId });
      await page.reload();
      await page.getByRole('button', { name: 'Other changes' }).click();
      await page.getByRole('menuitem', { name: change }).click();
      await dialog.getByLabel(field).fill(typed);
      await does(step, body);
      await dialog.getByRole('button', { name: change }).click();
      await assertTold(dialog, 'en', by);
      assert.equal(await timesDone(id, `impact-batch.${step}`), 1);
    });
});

describe('settlements that are added to a batch that a colleague allocated first', needsBrowser, () => {
  for (const { language, how, choose, add, allocatedBy } of [
    { language: 'en', how: 'by the step', choose: 'Choose', add: 'Add to the batch', allocatedBy: 'Allocated by Amal' },
    { language: 'ar', how: 'as it is read again', choose: 'اختيار', add: 'إضافة إلى الدفعة', allocatedBy: 'خصّصها Amal' },
  ] as const)
    test(`are not added, and the dialog is told ${how}, ${language}`, async () => {
      const { id, projectId } = await newAllocated();
      const { partnerId, client, open: other } = await newSettledPartner(service);
      await client.confirm({ points: 150 });
      await closeThrough(service, other);
      const { page, dialog, colleague } = await open(language, `/impact/${id}?partner=${partnerId}`);
      await page.getByRole('checkbox', { name: new RegExp(`^${choose}:`) }).check();
      await page.getByRole('main').getByRole('button', { name: add }).click();
      const step = dialog.getByRole('button', { name: add });
      await step.waitFor();
      const answer = await colleague.postOnce(`${V1}/impact-batches/${id}/advance`, { to: 'allocated', project_id: projectId });
      assert.equal(answer.status, 200, answer.text);
      await look(page, how, step);
      await assertTold(dialog, language, allocatedBy);
      await page.getByRole('main').getByRole('button', { name: add }).waitFor({ state: 'detached' });
      assert.equal(await timesDone(id, 'impact-batch.add'), 1);
    });
});

describe('what is typed', needsBrowser, () => {
  const SHA256 = '0'.repeat(64);

  test('into a file of evidence: who verified the batch meanwhile is told in its dialog', async () => {
    const { id, projectId } = await newAllocated();
    const { page, dialog, colleague } = await open('en', `/impact/${id}`, 'approver');
    const { operatorId } = await newPerson(service, 'operator');
    const author = { ...signedIn('operator'), operatorId };
    const change = (wanted: Parameters<typeof changeImpactBatch>[3]) => changeImpactBatch(service.database, author, id, wanted);
    await change({ changeType: 'advanced', to: 'allocated', projectId, reason: null });
    for (const to of ['funded', 'in_progress'] as const) await change({ changeType: 'advanced', to, reason: null });
    const file = { type: 'photo', url: 'https://example.org/one.jpg', fileName: 'one.jpg', byteCount: 7n };
    const evidence = { ...file, sha256: SHA256, capturedAt: new Date(0) };
    await change({ changeType: 'evidence_added', evidence, reason: null });
    await change({ changeType: 'advanced', to: 'delivered', reason: null });
    await page.reload();
    await page.getByRole('main').getByRole('button', { name: 'Add evidence' }).click();
    await dialog.getByLabel('Public address').fill('https://example.org/two.jpg');
    const verified = await colleague.postOnce(`${V1}/impact-batches/${id}/verify`, {});
    assert.equal(verified.status, 200, verified.text);
    await page.clock.fastForward(POLLED_MS);
    await assertTold(dialog, 'en', 'Verified by Amal');
    assert.equal(await page.getByRole('main').getByRole('button', { name: 'Add evidence' }).count(), 0);
  });

  /** A contribution of a closed settlement, and the same with other points in a list of the partner that was compared with it. */
  async function newDiffering() {
    const { partnerId, client, open: first } = await newSettledPartner(service);
    const sent = { ...newConfirmation(), points: 150 };
    const { transaction_id: transactionId } = (await client.confirm(sent)).body.contribution;
    await closeThrough(service, first);
    const operator = await signedInOperator(service, 'operator');
    const list = `partner_event_id,partner_order_ref,points\n${sent.partner_event_id},${sent.partner_order_ref},100\n`;
    const lists = `${V1}/partners/${partnerId}/settlements/${first.settlementId}/reconciliations`;
    const { reconciliation_id: reconciliationId } = (await operator.postList(lists, list)).body;
    await completeReconciliations(service.database, new AbortController().signal);
    return { partnerId, transactionId, settlementId: first.settlementId, reconciliationId };
  }

  for (const { of, pathOf, lines } of [
    {
      of: 'a settlement',
      pathOf: ({ partnerId, settlementId }: Awaited<ReturnType<typeof newDiffering>>) =>
        `/settlements/${partnerId}/${settlementId}`,
      lines: 'section#lines',
    },
    {
      of: 'a reconciliation',
      pathOf: ({ partnerId, reconciliationId }: Awaited<ReturnType<typeof newDiffering>>) =>
        `/reconciliations/${partnerId}/${reconciliationId}?verdict=points_mismatch`,
      lines: 'main',
    },
  ])
    test(`into an adjustment of a line of ${of} stays, with the way to the one that a colleague drafted meanwhile`, async () => {
      const differing = await newDiffering();
      const { partnerId, transactionId } = differing;
      const { page, dialog, colleague } = await open('en', pathOf(differing));
      await page
        .getByRole('main')
        .getByRole('button', { name: /^Draft an adjustment/ })
        .click();
      await dialog.getByLabel('Reason for the partner, in English').fill('The shop called.');
      const draft = {
        partner_id: partnerId,
        transaction_id: transactionId,
        reason_code: 'other',
        reason_en: 'x',
        reason_ar: 'س',
        points_delta: '-50',
      };
      const drafted = await colleague.postOnce(`${V1}/adjustments`, draft);
      assert.equal(drafted.status, 200, drafted.text);
      // As when the person looks into the mail of the partner and comes back.
      await page.clock.fastForward(POLLED_MS);
      await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
      const link = `a[href$="/adjustments/${partnerId}/${drafted.body.adjustment.adjustment_id}"]`;
      await page.locator(lines).locator(link).first().waitFor();
      await dialog.locator(link).waitFor();
      assert.equal(await dialog.getByLabel('Reason for the partner, in English').inputValue(), 'The shop called.');
    });

  test('as an answer stays where the partner accepts meanwhile, which is said beside it', async () => {
    const { partnerId, client, open: first } = await newSettledPartner(service);
    await client.confirm({ points: 150 });
    await closeThrough(service, first);
    const says = (status: 'disputed' | 'accepted', note: string) =>
      client.post(`/v1/settlements/${first.settlementId}/acknowledgement`, { status, note });
    assert.ok((await says('disputed', 'Too much.')).status < 300);
    const { page } = await open('en', `/settlements/${partnerId}/${first.settlementId}`);
    const answer = page.getByRole('textbox', { name: 'Answer to the partner' });
    const composed = await answer.inputValue();
    assert.ok(composed.includes('Too much.'), composed);
    await answer.fill('We looked at all lines.');
    assert.ok((await says('accepted', 'All is well.')).status < 300);
    await page.clock.fastForward(POLLED_MS);
    await page.getByText('The partner has accepted this settlement meanwhile').waitFor();
    assert.equal(await answer.inputValue(), 'We looked at all lines.');
    await page.getByRole('button', { name: 'Undo my changes' }).click();
    assert.equal(await answer.inputValue(), composed, 'it is about the dispute, not about the acceptance');
  });
});

describe('rates of a partner that a colleague changed meanwhile', needsBrowser, () => {
  test('stay as the colleague set them where this person typed nothing', async () => {
    const { partnerId } = await createPartner(service.database, OWNER, 'Two Rates', OPEN_RATES);
    const colleague = await signedInOperator(service, 'admin', 'Amal');
    const page = await browser.signedIn('admin');
    await page.goto(`${browser.baseUrl}/partners/${partnerId}`);
    await page.getByRole('button', { name: 'Edit the partner' }).click();
    await page.getByRole('menuitem', { name: 'Requests a second' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Look-ups').fill('40');
    const path = `${V1}/partners/${partnerId}/rates`;
    const set = await colleague.send('PUT', path, { body: { writes_per_second: '5' } });
    assert.equal(set.status, 200, set.text);
    await dialog.locator('button[type=submit]').click();
    await dialog.waitFor({ state: 'detached' });
    const { writes_per_second, lookups_per_second } = (await colleague.get(`${V1}/partners/${partnerId}`)).body;
    assert.deepEqual({ writes_per_second, lookups_per_second }, { writes_per_second: 5, lookups_per_second: 40 });
  });
});

describe('a settlement that a colleague puts into another batch first', needsBrowser, () => {
  /** Two closed settlements, of which a colleague takes the second, with the page that has chosen both, or that one alone. */
  async function openChosen(path: string, { isAlone = false } = {}) {
    const taken = await Promise.all(
      [40, 50].map(async (points) => {
        const { partnerId, client, open: first } = await newSettledPartner(service);
        await client.confirm({ points });
        await closeThrough(service, first);
        return { partnerId, settlementId: first.settlementId };
      }),
    );
    const { page, dialog, colleague } = await open('en', path);
    const { partnerId, settlementId } = taken[1] as (typeof taken)[number];
    const theirs = page.getByRole('row').filter({ has: page.locator(`a[href$="/partners/${partnerId}"]`) });
    await (isAlone ? theirs.getByRole('checkbox') : page.getByRole('checkbox', { name: 'All' })).check();
    const other = await colleague.postOnce(`${V1}/impact-batches`, { name: 'Theirs', quantity: '3' });
    const added = await colleague.postOnce(`${V1}/impact-batches/${other.body.impact_batch_id}/settlements`, {
      partner_id: partnerId,
      settlement_ids: [settlementId],
    });
    assert.equal(added.status, 200, added.text);
    return { page, dialog, theirs };
  }

  test('leaves nobody with a new batch that nothing tells of: its page opens, and says what is left to do', async () => {
    const { page, dialog } = await openChosen('/impact/new');
    await page.getByRole('button', { name: 'Create the batch' }).click();
    await dialog.getByLabel('Name').fill('Mine of two');
    await dialog.getByLabel('Trees ordered').fill('5');
    await dialog.getByRole('button', { name: 'New batch' }).click();
    await page.getByText('is created. Not every settlement was added to it').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Mine of two' }).waitFor();
    await page.getByText('No settlement is chosen').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText('Not every settlement was added').waitFor({ state: 'detached' });
  });

  test('can be left out of the choice, of which nothing is added, although it is listed no more', async () => {
    const { impactBatchId } = await createImpactBatch(service.database, signedIn('operator'), { name: 'Left', quantity: 7n });
    const { page, dialog, theirs } = await openChosen(`/impact/${impactBatchId}`, { isAlone: true });
    const add = page.getByRole('main').getByRole('button', { name: 'Add to the batch' });
    await add.click();
    await dialog.getByRole('button', { name: 'Add to the batch' }).click();
    await dialog.getByText('is already in a batch, permanently').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await theirs.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Choose none' }).click();
    await page.getByText('No settlement is chosen').waitFor();
  });
});
