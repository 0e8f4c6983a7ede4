import { hash } from 'node:crypto';
import type { EnvironmentalStatus } from '../domain/impact/environmental-status.ts';
import { countWorth, treeCostsOf } from '../domain/impact/pooled-worth.ts';
import { type BatchChange, changeImpactBatch } from '../operations/impact/change-impact-batch.ts';
import { createProject } from '../operations/impact/manage-project.ts';
import { createImpactBatch, poolSettlements } from '../operations/impact/pool-contributions.ts';
import { listUnpooledOfAll } from '../operations/impact/read-pooled-worth.ts';
import { listRuleVersions } from '../store/rules/rule-version.ts';
import type { PoolableSettlement } from '../store/settlements/poolable-settlement.ts';
import { HOUR_MS, type Plan } from './plan.ts';
import type { Sample, Scene } from './sample.ts';
import { MARK, MARK_IN_ARABIC, type Person, type Slug } from './sample-partners.ts';

const PROJECTS = [
  { nameEn: `Mangroves of Jubail (${MARK})`, nameAr: `أشجار القرم في الجبيل (${MARK_IN_ARABIC})`, country: 'SA' },
  { nameEn: `Cedars of the North (${MARK})`, nameAr: `أرز الشمال (${MARK_IN_ARABIC})`, country: 'LB' },
] as const;

const FIRST_SLUGS: readonly Slug[] = ['brightline', 'oasis', 'nordlicht'];
const SECOND_SLUGS: readonly Slug[] = ['brightline', 'kiku'];
const [FIRST, SECOND] = ['First planting of the season', 'Second planting of the season'];

/** Batches of trees that settlements pay for: one is verified, the other one is delayed. */
export function plantingScenes({ endsAt }: Plan): Scene[] {
  const before = (days: number, run: Scene['run']): Scene => ({ at: new Date(endsAt.getTime() - days * 24 * HOUR_MS), run });
  const change = (days: number, batch: number, wanted: BatchChange, by: Person = 'operator') =>
    before(days, (sample) => advance(sample, batch, { wanted, by }));
  const advanced = (days: number, batch: number, to: EnvironmentalStatus, by?: Person) =>
    change(days, batch, { changeType: 'advanced', to, reason: null }, by);
  return [
    before(54, createProjects),
    before(53, (sample) => create(sample, 1, { name: `${FIRST} (${MARK})`, slugs: FIRST_SLUGS })),
    before(52.9, (sample) => pool(sample, 1, FIRST_SLUGS)),
    before(52, (sample) => allocate(sample, 1, 0)),
    advanced(47, 1, 'funded'),
    advanced(40, 1, 'in_progress'),
    before(28, (sample) => addEvidence(sample, 1, { type: 'photo', fileName: 'seedlings-north-plot.jpg' })),
    advanced(21, 1, 'delivered'),
    before(20, (sample) => addEvidence(sample, 1, { type: 'report', fileName: 'planting-report.pdf' })),
    advanced(16, 1, 'verified', 'approver'),
    before(20.5, (sample) => create(sample, 2, { name: `${SECOND} (${MARK})`, slugs: SECOND_SLUGS })),
    before(20.4, (sample) => pool(sample, 2, SECOND_SLUGS)),
    before(19, (sample) => allocate(sample, 2, 1)),
    advanced(12, 2, 'funded'),
    change(5, 2, {
      changeType: 'delayed',
      expectedDeliveryPeriod: nextYear(endsAt),
      reason: 'The seedlings come after the winter.',
    }),
  ];
}

function nextYear(endsAt: Date): string {
  return String(endsAt.getUTCFullYear() + 1);
}

async function createProjects(sample: Sample): Promise<void> {
  for (const [index, project] of PROJECTS.entries())
    await sample.once(
      `project ${index}`,
      async (database) => createProject(database, await sample.person('operator'), project),
      ({ projectId }: { projectId: string }) => projectId,
    );
}

/** For the trees that the settlements pay which it will get. */
async function create(
  sample: Sample,
  batch: number,
  { name, slugs }: { readonly name: string; readonly slugs: readonly Slug[] },
): Promise<void> {
  await sample.once(
    `batch ${batch}`,
    async (database) => {
      const counter = countWorth(treeCostsOf(await listRuleVersions(sample.past.pool)));
      for (const slug of slugs) for (const settlement of await listFree(sample, slug)) counter.add(settlement);
      const trees = counter.worth().reduce((sum, worth) => sum + (worth.trees ?? 0n), 0n);
      return createImpactBatch(database, await sample.person('operator'), { name, quantity: trees === 0n ? 1n : trees });
    },
    ({ impactBatchId }: { impactBatchId: string }) => impactBatchId,
  );
}

async function pool(sample: Sample, batch: number, slugs: readonly Slug[]): Promise<void> {
  const impactBatchId = await sample.resultOf(`batch ${batch}`);
  const operator = await sample.person('operator');
  for (const slug of slugs) {
    const partnerId = await sample.partnerId(slug);
    await sample.change(`batch ${batch} of ${slug}`, async (database) => {
      const settlementIds = (await listFree(sample, slug)).map(({ settlementId }) => settlementId);
      return poolSettlements(database, operator, { impactBatchId, partnerId, settlementIds });
    });
  }
}

/** The settlements of a partner that are closed, and in no batch, so far. */
async function listFree(sample: Sample, slug: Slug): Promise<PoolableSettlement[]> {
  const page = { order: { by: 'closed_at', isDescending: false }, after: undefined, limit: 100 } as const;
  const { page: free } = await listUnpooledOfAll(sample.past.pool, { partnerId: await sample.partnerId(slug) }, page);
  return free.map(({ settlement }) => settlement);
}

async function allocate(sample: Sample, batch: number, project: number): Promise<void> {
  const projectId = await sample.resultOf(`project ${project}`);
  await advance(sample, batch, { wanted: { changeType: 'advanced', to: 'allocated', projectId, reason: null }, by: 'operator' });
}

async function addEvidence(
  sample: Sample,
  batch: number,
  { type, fileName }: { readonly type: string; readonly fileName: string },
): Promise<void> {
  const evidence = {
    type,
    fileName,
    url: `https://example.com/sample-data/${fileName}`,
    byteCount: 184_320n,
    sha256: hash('sha256', fileName),
    capturedAt: new Date(sample.at.getTime() - 6 * HOUR_MS),
  };
  await advance(sample, batch, { wanted: { changeType: 'evidence_added', evidence, reason: null }, by: 'operator' });
}

async function advance(
  sample: Sample,
  batch: number,
  { wanted, by }: { readonly wanted: BatchChange; readonly by: Person },
): Promise<void> {
  const impactBatchId = await sample.resultOf(`batch ${batch}`);
  const what = 'to' in wanted ? wanted.to : `${wanted.changeType} ${'evidence' in wanted ? wanted.evidence.fileName : ''}`;
  const actor = await sample.person(by);
  await sample.change(`batch ${batch} ${what}`, (database) => changeImpactBatch(database, actor, impactBatchId, wanted));
}
