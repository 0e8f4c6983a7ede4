import type { AdjustmentReason } from '../domain/adjustments/adjustment.ts';
import type { NewAdjustment } from '../domain/adjustments/new-adjustment.ts';
import {
  approveAdjustment,
  draftAdjustment,
  oppositeOf,
  postAdjustment,
  rejectAdjustment,
} from '../operations/adjustments/manage-adjustment.ts';
import { findContributionsByEvent } from '../store/contributions/contribution.ts';
import { HOUR_MS, type Plan, type Sale } from './plan.ts';
import type { Sample, Scene } from './sample.ts';
import { PARTNERS, type Slug } from './sample-partners.ts';

type Step = 'approved' | 'posted' | 'rejected';

interface Correction {
  readonly number: number;
  readonly slug: Slug;
  /** How many days before the end the contribution was made, and the adjustment drafted. */
  readonly saleDays: number;
  readonly draftDays: number;
  readonly steps: readonly Step[];
  readonly reasonCode: AdjustmentReason;
  readonly reasonEn: string;
  readonly reasonAr: string;
  /**
   * A share of the contribution's points in percent; the amount of a restatement; or the number of the correction that it reverses.
   */
  readonly change: { readonly share: bigint } | { readonly amount: string } | { readonly reverses: number };
}

const DUPLICATE = {
  reasonCode: 'duplicate_report',
  reasonEn: 'The order was reported twice under two numbers.',
  reasonAr: 'أُبلغ عن الطلب مرتين برقمين مختلفين.',
} as const;
const RETURNED = {
  reasonCode: 'partner_reporting_error',
  reasonEn: 'A part of the order was returned, and the points were given back by the shop.',
  reasonAr: 'أُعيد جزء من الطلب، وأعاد المتجر نقاطه.',
} as const;
const MISTAKEN = {
  reasonCode: 'operator_error',
  reasonEn: 'The earlier adjustment concerned another order.',
  reasonAr: 'كان التعديل السابق يخصّ طلبًا آخر.',
} as const;
const RESTATED = {
  reasonCode: 'conversion_restatement',
  reasonEn: 'The value of a point was agreed after the month had been closed.',
  reasonAr: 'اتُّفق على قيمة النقطة بعد إقفال الشهر.',
} as const;

/** All, half and a quarter of the points, in percent. */
const [ALL, HALF, QUARTER] = [-100n, -50n, -25n];

const CORRECTIONS: readonly Correction[] = [
  {
    number: 1,
    slug: 'brightline',
    saleDays: 80,
    draftDays: 50,
    steps: ['approved', 'posted'],
    ...DUPLICATE,
    change: { share: ALL },
  },
  {
    number: 2,
    slug: 'nordlicht',
    saleDays: 70,
    draftDays: 45,
    steps: ['approved', 'posted'],
    ...RETURNED,
    change: { share: HALF },
  },
  {
    number: 3,
    slug: 'nordlicht',
    saleDays: 64,
    draftDays: 40,
    steps: ['approved', 'posted'],
    ...RESTATED,
    change: { amount: '0.01' },
  },
  {
    number: 4,
    slug: 'kiku',
    saleDays: 66,
    draftDays: 38,
    steps: ['approved', 'posted'],
    ...RETURNED,
    change: { share: QUARTER },
  },
  { number: 5, slug: 'kiku', saleDays: 66, draftDays: 30, steps: ['approved', 'posted'], ...MISTAKEN, change: { reverses: 4 } },
  { number: 6, slug: 'oasis', saleDays: 60, draftDays: 25, steps: ['rejected'], ...DUPLICATE, change: { share: ALL } },
  {
    number: 7,
    slug: 'brightline',
    saleDays: 20,
    draftDays: 9,
    steps: ['approved', 'posted'],
    ...RETURNED,
    change: { share: QUARTER },
  },
  { number: 8, slug: 'oasis', saleDays: 48, draftDays: 3, steps: ['approved'], ...DUPLICATE, change: { share: ALL } },
  { number: 9, slug: 'brightline', saleDays: 30, draftDays: 1.2, steps: [], ...RETURNED, change: { share: HALF } },
  { number: 10, slug: 'nordlicht', saleDays: 40, draftDays: 0.4, steps: [], ...DUPLICATE, change: { share: ALL } },
];

/** Operators correct contributions: posted, waiting for the second of them, and rejected. */
export function correctionScenes(plan: Plan): Scene[] {
  return CORRECTIONS.flatMap((correction) => {
    const before = (days: number) => new Date(plan.endsAt.getTime() - days * 24 * HOUR_MS);
    const draftAt = before(correction.draftDays);
    const scenes: Scene[] = [{ at: draftAt, run: (sample) => draft(sample, correction) }];
    correction.steps.forEach((step, index) => {
      const at = new Date(draftAt.getTime() + (index + 1) * 2 * HOUR_MS);
      scenes.push({ at, run: (sample) => take(sample, correction, step) });
    });
    return scenes;
  });
}

async function draft(sample: Sample, correction: Correction): Promise<void> {
  const { number, slug } = correction;
  const partnerId = await sample.partnerId(slug);
  const operator = await sample.person('operator');
  const { settlementTools } = sample.tools;
  const wanted = await adjustmentOf(sample, correction);
  await sample.once(
    `adjustment ${number}`,
    (database) => draftAdjustment(database, operator, { partnerId, ...wanted }, settlementTools),
    ({ adjustmentId }: { adjustmentId: string }) => adjustmentId,
  );
}

async function adjustmentOf(
  sample: Sample,
  { slug, saleDays, change, reasonCode, reasonEn, reasonAr }: Correction,
): Promise<NewAdjustment & { readonly transactionId: string }> {
  const { pool } = sample.past;
  const partnerId = await sample.partnerId(slug);
  const reason = { reasonCode, reasonEn, reasonAr };
  if ('reverses' in change) {
    const adjustmentId = await sample.resultOf(`adjustment ${change.reverses}`);
    return { ...reason, ...(await oppositeOf(pool, { partnerId, adjustmentId })) };
  }
  const { partnerEventId, points } = findSale(sample.plan, slug, saleDays);
  const [record] = await findContributionsByEvent(pool, [{ partnerId, partnerEventId }]);
  const { transactionId } = (record as NonNullable<typeof record>).contribution;
  if ('amount' in change) return { ...reason, transactionId, pointsDelta: 0n, amountDelta: change.amount, reversalOf: null };
  return { ...reason, transactionId, pointsDelta: (points * change.share) / 100n, amountDelta: null, reversalOf: null };
}

/** The first order after that day that needed no review. */
function findSale({ sales, endsAt }: Plan, slug: Slug, daysBefore: number): Sale {
  const from = endsAt.getTime() - daysBefore * 24 * HOUR_MS;
  const threshold = PARTNERS.find((partner) => partner.slug === slug)?.reviewThreshold ?? 0;
  const found = sales.find((sale) => sale.slug === slug && sale.at.getTime() >= from && sale.points < BigInt(threshold));
  if (!found) throw new Error(`The sample data have no order of ${slug} ${daysBefore} days before their end.`);
  return found;
}

async function take(sample: Sample, { number, slug }: Correction, step: Step): Promise<void> {
  const id = { partnerId: await sample.partnerId(slug), adjustmentId: await sample.resultOf(`adjustment ${number}`) };
  const { settlementTools } = sample.tools;
  const approver = await sample.person('approver');
  const operator = await sample.person('operator');
  await sample.change(`adjustment ${number} ${step}`, async (database) => {
    if (step === 'approved') return approveAdjustment(database, approver, id, settlementTools);
    if (step === 'posted') return postAdjustment(database, operator, id, settlementTools);
    return rejectAdjustment(database, approver, id, 'The two orders are different ones.');
  });
}
