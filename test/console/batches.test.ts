/** What an operator sees of impact batches in the console, in their list and on the page of one. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { disableOperator } from '../../src/operations/access/manage-operator.ts';
import { changeImpactBatch } from '../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../src/operations/impact/pool-contributions.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { listOperators } from '../../src/store/access/operator.ts';
import { OWNER, signedIn } from '../support/actor.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ageSession } from '../support/console/age-session.ts';
import { needsBrowser } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { PASSWORD } from '../support/operator-client.ts';
import { closeThrough, newSettledPartner } from '../support/settlements.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const withoutSigns = (text: string) => text.replaceAll(/[\u2066-\u2069]/g, '');

/** A closed settlement of 40 points. */
async function newSettlement() {
  const { partnerId, client, open } = await newSettledPartner(service);
  const { transaction_id: transactionId, partner_order_ref: order } = (await client.confirm({ points: 40 })).body.contribution;
  await closeThrough(service, open);
  return { partnerId, settlementId: open.settlementId, transactionId, order };
}

/** A batch that was given to a project, and is late. */
async function newLateBatch() {
  const { database } = service;
  const operator = signedIn('operator');
  const { partnerId, settlementId, transactionId, order } = await newSettlement();
  const project = { nameEn: 'Mangroves of the coast', nameAr: 'قرم الساحل', country: 'SA' };
  const { projectId } = await createProject(database, operator, project);
  const { impactBatchId } = await createImpactBatch(database, operator, { name: 'Spring', quantity: 12n });
  await poolSettlements(database, operator, { impactBatchId, partnerId, settlementIds: [settlementId] });
  const allocate = { changeType: 'advanced', to: 'allocated', projectId, reason: null } as const;
  await changeImpactBatch(database, operator, impactBatchId, allocate);
  const delay = { changeType: 'delayed', expectedDeliveryPeriod: '2031-Q2', reason: null } as const;
  await changeImpactBatch(database, operator, impactBatchId, delay);
  return { impactBatchId, address: `/contributions/${partnerId}/${transactionId}`, order: order as string };
}

test(
  'the list says whose project a batch is and when a late one is expected, and the page what its step is',
  needsBrowser,
  async () => {
    const { impactBatchId } = await newLateBatch();
    for (const [language, project] of [
      ['en', 'Mangroves of the coast'],
      ['ar', 'قرم الساحل'],
    ] as const) {
      const page = await browser.signedIn('viewer', { language });
      await page.goto(`${browser.baseUrl}/impact`);
      const row = page.getByRole('row').filter({ hasText: 'Spring' });
      await row.getByText(project).waitFor();
      await row.getByText('2031-Q2').waitFor();
      await page.goto(`${browser.baseUrl}/impact/${impactBatchId}`);
      const step = page.locator('.planting [aria-current=step]');
      await step.waitFor();
      assert.equal((await step.innerText()).replaceAll(/\s+/g, ' '), language === 'en' ? '2 Allocated' : '2 مُخصَّصة');
      // Nobody knows what its points are worth: no card of dashes.
      await page.getByText(language === 'en' ? 'The cost of a tree is not known' : 'تكلفة الشجرة غير معروفة').waitFor();
      const figures = page.getByRole('heading', { name: language === 'en' ? 'What its settlements are worth' : 'قيمة تسوياتها' });
      assert.deepEqual(await figures.locator('xpath=ancestor::section').locator('dd').allInnerTexts(), ['40']);
    }
  },
);

test('a new batch takes an operator: a viewer is told so before a choice', needsBrowser, async () => {
  const page = await browser.signedIn('viewer');
  await page.goto(`${browser.baseUrl}/impact/new`);
  await page.getByText('Creating a batch takes the role operator.').waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 0);
});

/** The dialog that asks for the password before a batch is created, with the page below it. */
async function openStepUp(name: string, batch: string) {
  const { partnerId } = await newSettlement();
  const page = await browser.signedIn('operator', {}, name);
  await page.clock.install();
  await page.goto(`${browser.baseUrl}/impact/new?partner=${partnerId}`);
  await page
    .getByRole('checkbox', { name: /^Choose/ })
    .last()
    .click();
  await page.getByRole('button', { name: 'Create the batch' }).click();
  const dialog = page.getByRole('dialog', { name: 'New batch' });
  await dialog.getByLabel('Name').fill(batch);
  await dialog.getByLabel('Trees ordered').fill('7');
  await ageSession(service, name);
  await dialog.getByRole('button', { name: 'New batch' }).click();
  const again = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await again.waitFor();
  return { page, dialog, again };
}

test('a session that ends while the password is asked for shows the sign-in, and not the page', needsBrowser, async () => {
  const { page, dialog, again } = await openStepUp('Leaves the desk', 'Winter');
  await page.context().clearCookies();
  // The session is read four times a minute.
  await page.clock.fastForward(20_000);
  await page.getByText('Your session has ended.').waitFor();
  assert.deepEqual([await again.isVisible(), await dialog.isVisible()], [false, false]);
});

test('a new batch with settlements asks for the password first: who gives up there leaves no batch', needsBrowser, async () => {
  const { page, dialog, again } = await openStepUp('Orders trees', 'Autumn');
  await again.locator('.mantine-Modal-close').click();
  await again.waitFor({ state: 'detached' });
  const batches = async () => {
    const text = "select quantity from impact_batch where name = 'Autumn'";
    return (await service.database.pool.query(text)).rows;
  };
  assert.deepEqual(await batches(), []);
  await dialog.getByRole('button', { name: 'New batch' }).click();
  await again.locator('input[type=password]').fill(PASSWORD);
  await again.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { level: 1, name: 'Autumn' }).waitFor();
  await page.getByRole('table', { name: 'Settlements' }).getByRole('row').nth(1).waitFor();
  assert.deepEqual(await batches(), [{ quantity: 7n }]);
});

test(
  'a new batch of which the answer was lost is created once, also with another choice of settlements',
  needsBrowser,
  async () => {
    const { partnerId } = await newSettlement();
    const page = await browser.signedIn('operator');
    await page.goto(`${browser.baseUrl}/impact/new?partner=${partnerId}`);
    const tick = page.getByRole('checkbox', { name: /^Choose/ }).last();
    await tick.check();
    await page.getByRole('button', { name: 'Create the batch' }).click();
    const dialog = page.getByRole('dialog', { name: 'New batch' });
    await dialog.getByLabel('Name').fill('Once');
    await dialog.getByLabel('Trees ordered').fill('7');
    const batches = /\/operator\/v1\/impact-batches$/;
    await page.route(batches, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    const send = dialog.getByRole('button', { name: 'New batch' });
    await send.click();
    await dialog.getByRole('alert').getByText('the batch may have been created').waitFor();
    await page.unroute(batches);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await tick.uncheck();
    await page.getByRole('button', { name: 'Create it without settlements' }).click();
    await send.click();
    await page.getByRole('heading', { level: 1, name: 'Once' }).waitFor();
    const { rows } = await service.database.pool.query("select from impact_batch where name = 'Once'");
    assert.equal(rows.length, 1);
  },
);

test(
  'a contribution names its order in its heading and each step of its batch, and folds all but the latest',
  needsBrowser,
  async () => {
    const { impactBatchId, address, order } = await newLateBatch();
    const page = await browser.signedIn('viewer');
    await page.goto(`${browser.baseUrl}${address}`);
    const heading = page.getByRole('heading', { level: 1 });
    await heading.filter({ hasText: order }).waitFor();
    const steps = page.locator('.mantine-Timeline-itemTitle').filter({ hasText: 'Impact batch: ' });
    await steps.nth(1).waitFor();
    assert.deepEqual(await steps.allInnerTexts(), ['Impact batch: Allocated', 'Impact batch: Delay']);
    const advance = { changeType: 'advanced', projectId: undefined, reason: null } as const;
    for (const to of ['funded', 'in_progress'] as const)
      await changeImpactBatch(service.database, signedIn('operator'), impactBatchId, { ...advance, to });
    await page.reload();
    await steps.waitFor();
    assert.deepEqual(await steps.allInnerTexts(), ['Impact batch: In progress']);
    const unfold = page.getByRole('button', { name: '3 earlier changes of the batch' });
    assert.equal(await unfold.getAttribute('aria-expanded'), 'false');
    await unfold.press('Enter');
    assert.deepEqual(await steps.allInnerTexts(), [
      ...['Impact batch: Allocated', 'Impact batch: Delay', 'Impact batch: Funded', 'Impact batch: In progress'],
    ]);
    assert.equal(await unfold.getAttribute('aria-expanded'), 'true');
    // What was pressed has the focus still, so that the next press folds them again.
    await page.keyboard.press('Enter');
    assert.deepEqual(await steps.allInnerTexts(), ['Impact batch: In progress']);
    const settled = page.locator('.mantine-Timeline-itemTitle').filter({ hasText: /^Settlement .+ closed$/ });
    assert.equal(await settled.count(), 1);
  },
);

test('the audit says which step of a batch was recorded', needsBrowser, async () => {
  const { impactBatchId } = await newLateBatch();
  for (const [language, text] of [
    ['en', 'Step of an impact batch recorded: Allocated'],
    ['ar', 'سُجّلت خطوة لدفعة أثر: مُخصَّصة'],
  ] as const) {
    const page = await browser.signedIn('viewer', { language });
    await page.goto(`${browser.baseUrl}/audit?subject=${impactBatchId}`);
    await page.getByRole('row').filter({ hasText: 'impact-batch.advance' }).getByRole('button', { name: text }).waitFor();
  }
});

for (const [language, words] of [
  [
    'en',
    {
      own: 'You recorded the delivery',
      wanted: 'Who can verify the batch: Huda Checks en.',
      nobody: 'Nobody who has signed in can verify the batch now.',
      unread: 'Who can verify the batch could not be read.',
    },
  ],
  [
    'ar',
    {
      own: 'أنت من سجّل التنفيذ',
      wanted: 'من يستطيع التحقّق من الدفعة: Huda Checks ar.',
      nobody: 'لا يوجد الآن من يستطيع التحقّق من الدفعة ممن سجّلوا الدخول.',
      unread: 'تعذّرت قراءة أسماء من يستطيع التحقّق من الدفعة.',
    },
  ],
] as const)
  test(
    `who recorded the delivery reads which colleague can verify it, or how to get one, ${language}`,
    needsBrowser,
    async () => {
      const { database } = service;
      const page = await browser.signedIn('approver', { language }, `Records ${language}`);
      const { impactBatchId } = await newLateBatch();
      const everybody = await listOperators(database.pool);
      const operatorId = everybody.find(({ name }) => name === `Records ${language}`)?.operatorId as string;
      for (const other of everybody)
        if (other.operatorId !== operatorId && other.disabledAt === null)
          await disableOperator(database, OWNER, other.operatorId);
      const recorder = { ...signedIn('approver'), operatorId };
      for (const to of ['funded', 'in_progress', 'delivered'] as const)
        await changeImpactBatch(database, recorder, impactBatchId, { changeType: 'advanced', to, reason: null });
      await page.goto(`${browser.baseUrl}/impact/${impactBatchId}`);
      const note = page.getByRole('alert').filter({ hasText: words.own });
      await note.getByText(words.nobody).waitFor();
      await note.getByText('npx partner-impact operator create').waitFor();
      await browser.signedIn('approver', {}, `Huda Checks ${language}`);
      await page.reload();
      await waitFor('the colleague', async () => withoutSigns(await note.innerText()).includes(words.wanted));
      assert.equal(await note.getByText('npx partner-impact').count(), 0);
      const huda = (await listOperators(database.pool)).find(
        ({ name, disabledAt }) => name === `Huda Checks ${language}` && disabledAt === null,
      );
      const corrector = { ...signedIn('approver'), operatorId: huda?.operatorId as string };
      await changeImpactBatch(database, corrector, impactBatchId, { changeType: 'corrected', quantity: 2n, reason: null });
      await page.reload();
      await note.getByText(words.nobody).waitFor();
      const removed = 'update operator set email = null, email_canonical = null where operator_id = $1';
      await database.pool.query(removed, [operatorId]);
      await attestRecord(database, OWNER, { kind: 'operator', id: operatorId, reason: 'as an early release made it' });
      await page.reload();
      await note.getByText(`npx partner-impact operator set-email --operator ${operatorId} --email ADDRESS`).waitFor();
      assert.equal(await note.getByText(words.nobody).count(), 0);
      await page.route('**/operator/v1/second-people?**', (route) => route.abort());
      await page.reload();
      await note.getByText(words.unread).waitFor();
      await note.getByText('npx partner-impact operator create').waitFor();
    },
  );
