import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as texts from './customer-texts.ts';
import {
  CONTRIBUTION_STATUS_LABELS,
  DISCLOSURE_AR,
  DISCLOSURE_EN,
  ENVIRONMENTAL_STATUS_LABELS,
  environmentalSummary,
  type Label,
  SETTLEMENT_LABELS,
  supportTexts,
  VEHICLE_LABELS,
} from './customer-texts.ts';
import { ENVIRONMENTAL_STATUSES } from './impact/environmental-status.ts';
import { POINTS_MAX } from './numbers/points.ts';

const counts = fc.bigInt({ min: 1n, max: POINTS_MAX });
const smallCounts = fc.bigInt({ min: 1n, max: 400n });
const trees = fc.option(fc.oneof(fc.constant(0n), smallCounts, counts), { nil: undefined });
const pointsAr = (n: bigint) => / وقدرها (.*)، /.exec(supportTexts(n, undefined).summaryAr)?.[1];
const treesAr = (n: bigint) => /، (زراعة .*) تقريبًا/.exec(supportTexts(1n, n).summaryAr)?.[1];

/** Every string of a table, however deep it stands. */
function listTexts(table: unknown): string[] {
  if (typeof table === 'string') return [table];
  return typeof table === 'object' && table !== null ? Object.values(table).flatMap(listTexts) : [];
}

test('Contribution, expected_environmental_support: the English summaries, word for word', () => {
  const summary = (points: bigint, of: bigint | undefined) => supportTexts(points, of).summaryEn;
  assert.equal(summary(250n, 3n), 'This contribution of 250 points is expected to support planting about 3 trees.');
  assert.equal(summary(1n, 1n), 'This contribution of 1 point is expected to support planting about 1 tree.');
  assert.equal(summary(250n, undefined), 'This contribution of 250 points is expected to support tree planting.');
  assert.equal(summary(1n, undefined), 'This contribution of 1 point is expected to support tree planting.');
  assert.equal(summary(5n, 0n), 'This contribution of 5 points is expected to cover part of the cost of planting one tree.');
  assert.equal(summary(1n, 0n), 'This contribution of 1 point is expected to cover part of the cost of planting one tree.');
  assert.equal(
    summary(POINTS_MAX, 2n),
    'This contribution of 9223372036854775807 points is expected to support planting about 2 trees.',
  );
});

test('Contribution, expected_environmental_support: the Arabic summaries, word for word', () => {
  const summary = (points: bigint, of: bigint | undefined) => supportTexts(points, of).summaryAr;
  assert.equal(summary(250n, 3n), 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها 250 نقطة، زراعة 3 أشجار تقريبًا.');
  assert.equal(summary(250n, undefined), 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها 250 نقطة، زراعة الأشجار.');
  assert.equal(summary(5n, 0n), 'يُتوقَّع أن تغطي هذه المساهمة، وقدرها 5 نقاط، جزءًا من تكلفة زراعة شجرة واحدة.');
  assert.equal(summary(2n, 2n), 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها نقطتان، زراعة شجرتين تقريبًا.');
  assert.equal(summary(1n, 1n), 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها نقطة واحدة، زراعة شجرة واحدة تقريبًا.');
});

test('Contribution, summary_ar: points in the nominative and trees in the genitive, for every plural form', () => {
  assert.equal(pointsAr(1n), 'نقطة واحدة');
  assert.equal(pointsAr(2n), 'نقطتان');
  assert.equal(treesAr(1n), 'زراعة شجرة واحدة');
  assert.equal(treesAr(2n), 'زراعة شجرتين');
  for (const n of [3n, 10n, 103n, 110n, 1003n]) {
    assert.equal(pointsAr(n), `${n} نقاط`);
    assert.equal(treesAr(n), `زراعة ${n} أشجار`);
  }
  for (const n of [11n, 12n, 99n, 111n, 199n, 100n, 101n, 102n, 200n, 1000n, 1001n, 1002n, POINTS_MAX]) {
    assert.equal(pointsAr(n), n % 100n >= 3n && n % 100n <= 10n ? `${n} نقاط` : `${n} نقطة`);
    assert.equal(treesAr(n), n % 100n >= 3n && n % 100n <= 10n ? `زراعة ${n} أشجار` : `زراعة ${n} شجرة`);
  }
});

test('Contribution, expected_environmental_support: numbers are Latin digits without separators, and one and two have none in Arabic', () => {
  fc.assert(
    fc.property(fc.oneof(smallCounts, counts), trees, (points, of) => {
      const { summaryEn, summaryAr } = supportTexts(points, of);
      const shown = of === undefined || of === 0n ? [points] : [points, of];
      assert.deepEqual(summaryEn.match(/\d+/g), shown.map(String));
      assert.deepEqual(summaryAr.match(/\d+/g) ?? [], shown.filter((n) => n > 2n).map(String));
      assert.doesNotMatch(summaryEn + summaryAr, /[\u0660-\u0669\u06F0-\u06F9\u066B\u066C]|\d[,.\s]\d/);
    }),
  );
});

test('Contribution, expected_environmental_support: no text holds a claim that arabic.md forbids', () => {
  const forbidden = /تعويض|محايد|حياد|صديق للبيئة|offset|neutral|compensat/i;
  // Vowel marks must not hide a word from the search.
  const bare = (text: string) => text.normalize('NFC').replace(/[\u064B-\u065F\u0670\u0640]/g, '');
  const assertClean = (text: string) => assert.doesNotMatch(bare(text), forbidden);
  assert.match(bare('تَعْوِيض'), forbidden, 'the search itself finds a word with vowel marks');
  const table = listTexts(texts);
  assert.ok(table.length >= 40 && table.includes('Gasoline car') && table.includes('متحقَّق منها'), 'the search sees the labels');
  for (const text of table) assertClean(text);
  fc.assert(
    fc.property(fc.oneof(smallCounts, counts), trees, (points, of) => {
      for (const text of Object.values(supportTexts(points, of))) assertClean(text);
      for (const status of ENVIRONMENTAL_STATUSES)
        for (const text of Object.values(environmentalSummary(status, of))) assertClean(text);
    }),
    { numRuns: 1000 },
  );
});

test('What the service does, 4: no summary speaks of emissions, and the disclosure denies a link to points', () => {
  fc.assert(
    fc.property(smallCounts, trees, (points, of) => {
      const { summaryEn, summaryAr } = supportTexts(points, of);
      assert.doesNotMatch(summaryEn, /emission|carbon|CO2|climate/i);
      assert.doesNotMatch(summaryAr, /انبعاث|كربون/);
    }),
  );
  assert.match(DISCLOSURE_EN, /not linked to the points contributed/);
  assert.match(DISCLOSURE_AR, /ولا ترتبط بعدد النقاط/);
});

test('Estimate, disclosure_en and disclosure_ar: word for word, from distance and vehicle type', () => {
  assert.equal(
    DISCLOSURE_EN,
    'Estimated from delivery distance and vehicle type using well-to-wheel emission factors. For information only; it is not a measurement and is not linked to the points contributed.',
  );
  assert.equal(
    DISCLOSURE_AR,
    'قيمة تقديرية محسوبة من مسافة التوصيل ونوع المركبة، وفق معاملات انبعاثات تشمل إنتاج الوقود واستهلاكه في المركبة (Well-to-Wheel). القيمة للتوعية فقط، وليست قياسًا فعليًا، ولا ترتبط بعدد النقاط المقدَّمة في المساهمة.',
  );
});

test('arabic.md: the labels, word for word', () => {
  const ar = (labels: Record<string, Label>) => Object.values(labels).map((label) => label.ar);
  assert.equal(ar(VEHICLE_LABELS).join(' · '), 'دراجة نارية تعمل بالبنزين · سيارة تعمل بالبنزين');
  assert.equal(ar(CONTRIBUTION_STATUS_LABELS).join(' · '), 'مؤكَّدة · قيد المعالجة · فشلت');
  assert.equal(ar(SETTLEMENT_LABELS).join(' · '), 'تسوية · مفتوحة · مُقفلة · كشف التسوية · إجمالي النقاط · صافي النقاط · تعديل');
  assert.equal(ar(ENVIRONMENTAL_STATUS_LABELS).join(' · '), 'مُسجَّلة · مُخصَّصة · مُموَّلة · قيد التنفيذ · منفَّذة · متحقَّق منها');
});

test('settlements, section 4, summary_en and summary_ar: the planting and how far it has come', () => {
  assert.deepEqual(environmentalSummary('in_progress', 3n), {
    summaryEn: 'Planting of 3 trees: in progress.',
    summaryAr: 'زراعة 3 أشجار: قيد التنفيذ.',
  });
  assert.deepEqual(environmentalSummary('funded', 1n), {
    summaryEn: 'Planting of 1 tree: funded.',
    summaryAr: 'زراعة شجرة واحدة: مُموَّلة.',
  });
  assert.deepEqual(environmentalSummary('recorded', undefined), {
    summaryEn: 'Tree planting: recorded.',
    summaryAr: 'زراعة الأشجار: مُسجَّلة.',
  });
});
