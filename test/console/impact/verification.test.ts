/** What leads an approver to a batch that waits for its verification, and what its page says of where it comes from. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { impactBatchCommand } from '../../../src/commands/impact/impact-batch.ts';
import { createOperator } from '../../../src/operations/access/manage-operator.ts';
import { createPartner } from '../../../src/operations/access/manage-partner.ts';
import { changeImpactBatch } from '../../../src/operations/impact/change-impact-batch.ts';
import { createProject } from '../../../src/operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../../../src/operations/impact/pool-contributions.ts';
import type { Partner } from '../../../src/store/access/partner.ts';
import { OWNER, signedIn } from '../../support/actor.ts';
import { uniqueId } from '../../support/client.ts';
import { needsBrowser } from '../../support/console/browser.ts';
import { openScene, type Scene } from '../../support/console/console-scene.ts';
import { insertPrice } from '../../support/rules.ts';
import { OPEN_RATES } from '../../support/service.ts';
import { closeThrough, getOpen } from '../../support/settlements.ts';

const priced: Partner[] = [];
const scene = needsBrowser.skip
  ? undefined
  : await openScene(async (database) => {
      for (const currency of ['SAR', 'AED']) {
        const partner = await createPartner(database, OWNER, `Store in ${currency}`, { ...OPEN_RATES, currency });
        const rule = { partnerId: partner.partnerId, starts: '-1 day', currency };
        await insertPrice(database, 'point_conversion', { ...rule, label: uniqueId('value'), price: '0.01' });
        await insertPrice(database, 'tree_cost', { ...rule, label: uniqueId('cost'), price: '0.50' });
        priced.push(partner);
      }
    });
const { service, browser } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

const SHA256 = createHash('sha256').update('a photo').digest('hex');
const URL = 'https://files.example.org/coast/one.jpg';

/** A batch for 7 trees that a colleague made, allocated, with a settlement of 150 points in each currency. */
async function newAllocated(name: string) {
  const { database } = service;
  const email = `${uniqueId('person').toLowerCase()}@example.org`;
  const { operator } = await createOperator(database, OWNER, { name: 'Omar Plants', email, role: 'operator' });
  const author = { ...signedIn('operator'), operatorId: operator.operatorId };
  const { impactBatchId } = await createImpactBatch(database, author, { name, quantity: 7n });
  for (const of of priced) {
    const { partnerId } = of;
    const { client } = await service.newPartner({ of });
    await client.confirm({ points: 150 });
    const open = await getOpen(database, partnerId);
    await closeThrough(service, open);
    await poolSettlements(database, author, { impactBatchId, partnerId, settlementIds: [open.settlementId] });
  }
  const { projectId } = await createProject(database, author, { nameEn: 'Coast', nameAr: 'الساحل', country: 'SA' });
  const change = (wanted: Parameters<typeof changeImpactBatch>[3]) => changeImpactBatch(database, author, impactBatchId, wanted);
  await change({ changeType: 'advanced', to: 'allocated', projectId, reason: null });
  return { impactBatchId, change };
}

for (const [language, words] of [
  [
    'en',
    {
      card: 'Batches to verify',
      name: 'Spring',
      verify: 'Verify',
      trees: 'Trees ordered',
      created: 'Created',
      notOpened: 'The service has not opened the addresses. Compare the file at each with its SHA-256.',
      others: 'Other changes',
      corrects: 'An approver other than the one who verified it corrects its number of trees.',
    },
  ],
  [
    'ar',
    {
      card: 'دفعات بانتظار التحقّق',
      name: 'Summer',
      verify: 'تحقّق',
      trees: 'الأشجار المطلوبة',
      created: 'وقت الإنشاء',
      notOpened: 'لم تفتح الخدمة هذه العناوين. قارن الملف الموجود في كل منها ببصمته SHA-256.',
      others: 'تغييرات أخرى',
      corrects: 'يصحّح عدد أشجارها مُعتمِد غير الذي تحقّق منها.',
    },
  ],
] as const)
  test(
    `an approver finds a delivered batch from the overview, and verifies trees, address and SHA-256; another corrects it, ${language}`,
    needsBrowser,
    async () => {
      const { impactBatchId, change } = await newAllocated(words.name);
      for (const to of ['funded', 'in_progress'] as const) await change({ changeType: 'advanced', to, reason: null });
      const evidence = { type: 'photo', url: URL, fileName: 'one.jpg', byteCount: 7n, sha256: SHA256, capturedAt: new Date(0) };
      await change({ changeType: 'evidence_added', evidence, reason: null });
      await change({ changeType: 'advanced', to: 'delivered', reason: null });
      const page = await browser.signedIn('approver', { language });
      await page.goto(browser.baseUrl);
      const card = page.getByRole('link').filter({ hasText: words.card });
      assert.equal(await card.locator('.tile-number').innerText(), '1');
      await card.click();
      await page.getByRole('link', { name: words.name, exact: true }).click();
      const facts = page.locator('dl div').filter({ hasText: 'Omar Plants' });
      await facts.waitFor();
      assert.match(await facts.innerText(), new RegExp(`^${words.created}\n`));
      await page.getByRole('row').filter({ hasText: 'one.jpg' }).filter({ hasText: 'Omar Plants' }).waitFor();
      await page.getByRole('button', { name: words.verify, exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(words.notOpened).waitFor();
      for (const text of [URL, SHA256]) await dialog.getByText(text, { exact: true }).waitFor();
      assert.deepEqual(await dialog.locator('dd').allInnerTexts(), ['7']);
      await dialog.getByRole('button', { name: words.verify, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.goto(browser.baseUrl);
      assert.equal(await card.locator('.tile-number').innerText(), '0');

      // Its correction takes an approver once more, and another one.
      const isCorrectable = async (by: typeof page) => {
        await by.goto(`${browser.baseUrl}/impact/${impactBatchId}`);
        const others = by.getByRole('button', { name: words.others });
        const told = by.getByText(words.corrects);
        await others.or(told).waitFor();
        return [await others.count(), await told.count()];
      };
      assert.deepEqual(await isCorrectable(page), [0, 1]);
      assert.deepEqual(await isCorrectable(await browser.signedIn('operator', { language })), [0, 1]);
      assert.deepEqual(await isCorrectable(await browser.signedIn('approver', { language })), [1, 0]);
    },
  );

test(
  'a batch that was given to another project is not offered for verification by the evidence of the first; who may not verify it reads who may',
  needsBrowser,
  async () => {
    const { impactBatchId, change } = await newAllocated('Winter');
    const add = (fileName: string) => {
      const sha256 = createHash('sha256').update(fileName).digest('hex');
      const evidence = { type: 'photo', url: URL, fileName, byteCount: 7n, sha256, capturedAt: new Date(0) };
      return change({ changeType: 'evidence_added', evidence, reason: null });
    };
    await add('first.jpg');
    const { projectId } = await createProject(service.database, OWNER, { nameEn: 'Hills', nameAr: 'التلال', country: 'SA' });
    await change({ changeType: 'reallocated', projectId, reason: null });
    for (const to of ['funded', 'in_progress', 'delivered'] as const) await change({ changeType: 'advanced', to, reason: null });
    const page = await browser.signedIn('approver');
    await page.goto(`${browser.baseUrl}/impact/${impactBatchId}`);
    await page.getByText('It needs evidence of its project before it is verified.').waitFor();
    const viewer = await browser.signedIn('viewer');
    await viewer.goto(page.url());
    await viewer.getByText('Your role lets you look. An operator records what becomes of it.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Verify', exact: true }).count(), 0);
    await add('second.jpg');
    const operator = await browser.signedIn('operator');
    await operator.goto(page.url());
    await operator.getByText('An approver other than the one who recorded the delivery verifies it.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: 'second.jpg' }).waitFor();
    assert.equal(await dialog.getByRole('link', { name: 'first.jpg' }).count(), 0);
  },
);

test('of two currencies the dialog that records the funding says how many trees they pay together', needsBrowser, async () => {
  const { impactBatchId } = await newAllocated('Autumn');
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/impact/${impactBatchId}`);
  await page.getByRole('button', { name: 'Record the funding' }).click();
  const dialog = page.getByRole('dialog', { name: 'Record the funding' });
  await dialog.getByText('Together these settlements pay about 6 trees.', { exact: true }).waitFor();
});

test('the bar under the settlements of a new batch says how many trees two currencies pay together', needsBrowser, async () => {
  for (const of of priced) {
    const { client } = await service.newPartner({ of });
    await client.confirm({ points: 150 });
    await closeThrough(service, await getOpen(service.database, of.partnerId));
  }
  const page = await browser.signedIn('operator');
  await page.goto(`${browser.baseUrl}/impact/new`);
  for (const { name } of priced) await page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').click();
  await page.getByText('Together these settlements pay about 6 trees.', { exact: true }).waitFor();
});

for (const [language, add, told] of [
  ['en', 'Add evidence', 'The file has more than 256 MiB. Record it with the command below, which reads a file of any size.'],
  ['ar', 'إضافة دليل', 'حجم الملف أكبر من 256 MiB. سجّله بالأمر أدناه، فهو يقرأ ملفًا بأي حجم.'],
] as const)
  test(
    `evidence of more than 256 MiB is refused as it is chosen, with the command that takes it, ${language}`,
    needsBrowser,
    async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'evidence-'));
      t.after(() => rm(folder, { recursive: true }));
      const path = join(folder, 'film.mp4');
      const file = await open(path, 'w');
      await file.truncate(256 * 1024 * 1024 + 1);
      await file.close();
      const { impactBatchId } = await newAllocated('Film');
      const page = await browser.signedIn('operator', { language });
      await page.goto(`${browser.baseUrl}/impact/${impactBatchId}`);
      await page.getByRole('main').getByRole('button', { name: add }).click();
      await page.locator('input[type=file]').setInputFiles(path);
      const dialog = page.getByRole('dialog');
      const shown = dialog.getByText(`npx partner-impact impact-batch add-evidence --batch ${impactBatchId} --file FILE`);
      const words = (await shown.innerText()).split(' ');
      const addEvidence = impactBatchCommand().commands.find((command) => command.name() === 'add-evidence');
      const needed = addEvidence?.options.filter(({ mandatory }) => mandatory).map(({ long }) => long);
      assert.deepEqual(
        words.filter((word) => word.startsWith('--')),
        needed,
      );
      const said = (await dialog.innerText()).replaceAll(/[\u2066-\u2069]/g, '');
      assert.ok(said.includes(told), said);
      assert.doesNotMatch(said, /SHA-256 [0-9a-f]/);
    },
  );
