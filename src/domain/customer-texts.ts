/**
 * The one table of English and Arabic texts that partners show to customers; they await a native reader's approval.
 * Digits are Latin and without separators in both languages, so no formatter of the platform takes part:
 * its defaults differ between `ar-AE` and `ar-SA`.
 */

import type { ContributionStatus } from './contributions/contribution-status.ts';
import type { VehicleCategory } from './emissions/emission-factors.ts';
import type { EnvironmentalStatus } from './impact/environmental-status.ts';
import { arabicPlural } from './numbers/arabic-plural.ts';

/** A label in both languages. */
export interface Label {
  readonly en: string;
  readonly ar: string;
}

/**
 * What a contribution is expected to support, in both languages.
 *
 * @see docs/spec/interface.md#contribution, field expected_environmental_support.
 */
export interface SupportTexts {
  summaryEn: string;
  summaryAr: string;
}

/** @see docs/spec/interface.md#estimate-object-estimate, fields disclosure_en and disclosure_ar. */
export const DISCLOSURE_EN =
  'Estimated from delivery distance and vehicle type using well-to-wheel emission factors. For information only; it is not a measurement and is not linked to the points contributed.';
export const DISCLOSURE_AR =
  'قيمة تقديرية محسوبة من مسافة التوصيل ونوع المركبة، وفق معاملات انبعاثات تشمل إنتاج الوقود واستهلاكه في المركبة (Well-to-Wheel). القيمة للتوعية فقط، وليست قياسًا فعليًا، ولا ترتبط بعدد النقاط المقدَّمة في المساهمة.';

/**
 * The disclosure after a displayed emissions value.
 *
 * @see docs/spec/interface.md#estimate-object-estimate, field display.
 */
export const EMISSIONS_UNIT_EN = 'kg CO2e';
export const EMISSIONS_UNIT_AR = 'كجم من مكافئ ثاني أكسيد الكربون';

/**
 * The summaries of a contribution.
 *
 * @param points 1 or more.
 * @param trees Whole trees, rounded down; `0n` is less than one tree, `undefined` means that no conversion applies.
 * @see docs/spec/interface.md#contribution, field expected_environmental_support.
 */
export function supportTexts(points: bigint, trees: bigint | undefined): SupportTexts {
  const contributionEn = `This contribution of ${pointsEn(points)} is expected to`;
  const contributionAr = `هذه المساهمة، وقدرها ${pointsAr(points)}،`;
  if (trees === undefined) {
    return {
      summaryEn: `${contributionEn} support tree planting.`,
      summaryAr: `يُتوقَّع أن تدعم ${contributionAr} زراعة الأشجار.`,
    };
  }
  if (trees === 0n) {
    return {
      summaryEn: `${contributionEn} cover part of the cost of planting one tree.`,
      summaryAr: `يُتوقَّع أن تغطي ${contributionAr} جزءًا من تكلفة زراعة شجرة واحدة.`,
    };
  }
  return {
    summaryEn: `${contributionEn} support planting about ${treesEn(trees)}.`,
    summaryAr: `يُتوقَّع أن تدعم ${contributionAr} زراعة ${treesAr(trees)} تقريبًا.`,
  };
}

/** @see docs/spec/interface.md#estimate-object-estimate, field vehicle_category. */
export const VEHICLE_LABELS = {
  motorcycle_gasoline: { en: 'Gasoline motorcycle', ar: 'دراجة نارية تعمل بالبنزين' },
  car_gasoline: { en: 'Gasoline car', ar: 'سيارة تعمل بالبنزين' },
} as const satisfies Record<VehicleCategory, Label>;

/** In Arabic they agree with «مساهمة». @see docs/spec/interface.md#contribution, field status. */
export const CONTRIBUTION_STATUS_LABELS = {
  confirmed: { en: 'Confirmed', ar: 'مؤكَّدة' },
  pending: { en: 'Pending', ar: 'قيد المعالجة' },
  failed: { en: 'Failed', ar: 'فشلت' },
} as const satisfies Record<ContributionStatus, Label>;

/** In Arabic the statuses agree with «تسوية». @see docs/spec/settlements.md#2-settlement. */
export const SETTLEMENT_LABELS = {
  settlement: { en: 'Settlement', ar: 'تسوية' },
  open: { en: 'Open', ar: 'مفتوحة' },
  closed: { en: 'Closed', ar: 'مُقفلة' },
  statement: { en: 'Settlement statement', ar: 'كشف التسوية' },
  gross_points: { en: 'Gross points', ar: 'إجمالي النقاط' },
  net_points: { en: 'Net points', ar: 'صافي النقاط' },
  adjustment: { en: 'Adjustment', ar: 'تعديل' },
} as const satisfies Record<string, Label>;

/** In Arabic they agree with «مساهمة» and with «زراعة» alike. @see docs/spec/settlements.md#4-environmental-status. */
export const ENVIRONMENTAL_STATUS_LABELS = {
  recorded: { en: 'Recorded', ar: 'مُسجَّلة' },
  allocated: { en: 'Allocated', ar: 'مُخصَّصة' },
  funded: { en: 'Funded', ar: 'مُموَّلة' },
  in_progress: { en: 'In progress', ar: 'قيد التنفيذ' },
  delivered: { en: 'Delivered', ar: 'منفَّذة' },
  verified: { en: 'Verified', ar: 'متحقَّق منها' },
} as const satisfies Record<EnvironmentalStatus, Label>;

/**
 * The summaries of an impact batch: `Planting of 3 trees: in progress.`
 *
 * @param trees Whole trees, 0 or more; `undefined` while no number is known.
 * @see docs/spec/settlements.md#4-environmental-status, fields summary_en and summary_ar.
 */
export function environmentalSummary(status: EnvironmentalStatus, trees: bigint | undefined): SupportTexts {
  const { en, ar } = ENVIRONMENTAL_STATUS_LABELS[status];
  return {
    summaryEn: `${trees === undefined ? 'Tree planting' : `Planting of ${treesEn(trees)}`}: ${en.toLowerCase()}.`,
    summaryAr: `زراعة ${trees === undefined ? 'الأشجار' : treesAr(trees)}: ${ar}.`,
  };
}

function pointsEn(n: bigint): string {
  return n === 1n ? '1 point' : `${n} points`;
}

function treesEn(n: bigint): string {
  return n === 1n ? '1 tree' : `${n} trees`;
}

/** In the nominative, as after «وقدرها». For one and two the noun alone is written, without a digit. */
function pointsAr(n: bigint): string {
  const forms = { one: 'نقطة واحدة', two: 'نقطتان', few: `${n} نقاط`, many: `${n} نقطة`, other: `${n} نقطة` };
  return forms[arabicPlural(n)];
}

/** In the genitive, as after «زراعة». */
function treesAr(n: bigint): string {
  const forms = { one: 'شجرة واحدة', two: 'شجرتين', few: `${n} أشجار`, many: `${n} شجرة`, other: `${n} شجرة` };
  return forms[arabicPlural(n)];
}
