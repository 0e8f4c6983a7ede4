/** How the console shows values: exactly, and in both languages with Latin digits. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { countArabic, countEnglish } from '../../console/src/format/plural.ts';
import {
  addDecimals,
  addWhole,
  chartScale,
  compareDecimals,
  formatDecimal,
  formatWhole,
  padDecimal,
  roundDecimal,
  subtractDecimals,
} from '../../console/src/format/points.ts';
import { cityOf, formatMonth, formatRelative, formatTime, formatUtc } from '../../console/src/format/time.ts';
import { deltaOf, type ReconciliationLine } from '../../console/src/pages/reconciliations/verdicts.ts';
import { whyUnreadable } from '../../console/src/pages/reconciliations/wrong-line.ts';
import { type DifferingLine, describeLines } from '../../console/src/pages/settlements/reply-lines.ts';
import { composeReply } from '../../console/src/pages/settlements/reply-text.ts';
import type { Texts } from '../../console/src/texts/text.ts';
import { findMinorUnits } from '../../src/domain/numbers/currency.ts';
import { amountText, totalText } from '../../src/domain/numbers/money.ts';
import { describeListProblem, type ListProblem } from '../../src/domain/reconciliations/list-problem.ts';
import {
  LIST_FIELDS,
  type LineValues,
  readListLine,
  STATEMENT_FIELDS,
  unreadableLine,
} from '../../src/domain/reconciliations/partner-list.ts';
import { LINE_TYPES, type LineType } from '../../src/domain/settlements/settlement-line.ts';

const CONSOLE = join(import.meta.dirname, '../../console/src');
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const ISOLATES = /[\u2066-\u2069]/g;
/** Of a line of a list that differs. */
const NOTHING = {
  ...{ line_type: 'contribution' as const, line_no: null, partner_event_id: null, partner_order_ref: null, points: null },
  ...{ recorded_order_ref: null, recorded_points: null, recorded_net_points: null },
};
const POINTS = ['نقطة واحدة', 'نقطتان', 'نقاط', 'نقطة', 'نقطة'] as const;

describe('whole numbers', () => {
  test('have separators, and every digit of an int64', () => {
    assert.equal(formatWhole('9223372036854775807'), '9,223,372,036,854,775,807');
    assert.equal(formatWhole('-1234'), '-1,234');
    assert.equal(formatWhole('999'), '999');
    assert.equal(formatDecimal('1234567.500'), '1,234,567.500');
    fc.assert(fc.property(int64, (value) => BigInt(formatWhole(String(value)).replaceAll(',', '')) === value));
  });

  test('are added without loss', () => {
    assert.equal(addWhole(['9223372036854775807', '9223372036854775807']), 18446744073709551614n);
  });

  test('with decimals are added and ordered without loss', () => {
    assert.equal(addDecimals(['9223372036854775807.5', '0.25']), '9223372036854775807.75');
    const ordered = ['-10.5', '-10.25', '0', '0.10', '7.5', '15', '9223372036854775807.000000000001'];
    assert.deepEqual(ordered.toReversed().sort(compareDecimals), ordered);
    assert.deepEqual(
      [padDecimal('7.5', 2), padDecimal('7', 2), padDecimal('0.125', 2), padDecimal('7', 0)],
      ['7.50', '7.00', '0.125', '7'],
    );
  });

  test('decimals are subtracted without loss', () => {
    assert.equal(subtractDecimals('0.5', '12.25'), '-11.75');
    assert.equal(subtractDecimals('9223372036854775807.01', '-0.000000000001'), '9223372036854775807.010000000001');
  });

  test('a total is rounded as the service rounds what is payable', () => {
    assert.equal(roundDecimal('0.5', 0), '1');
    assert.equal(roundDecimal('-0.004', 2), '0.00');
    const amounts = fc.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.constantFrom('JPY', 'SAR', 'KWD', 'IQD'));
    fc.assert(
      fc.property(amounts, ([amount, currency]) => {
        const places = findMinorUnits(currency) as number;
        assert.equal(roundDecimal(amountText(amount), places), totalText(amount, currency));
      }),
    );
  });

  test('give the height of a bar whatever their length', () => {
    const { toHeight } = chartScale(['9223372036854775807', '4611686018427387903']);
    assert.equal(Math.round((toHeight('4611686018427387903') / toHeight('9223372036854775807')) * 1000), 500);
    assert.equal(chartScale(['12']).toHeight('12'), 12);
  });

  test('no source of the console makes a floating-point number of text', () => {
    const allowed = ['format/points.ts'];
    const found = globSync('**/*.{ts,tsx}', { cwd: CONSOLE }).filter(
      (path) => !allowed.includes(path) && /\b(?:Number|parseFloat|parseInt)\(/.test(readFileSync(join(CONSOLE, path), 'utf8')),
    );
    assert.deepEqual(found, []);
  });
});

describe('counted nouns', () => {
  test('English has two forms', () => {
    assert.equal(countEnglish('1', 'point'), '1 point');
    assert.equal(countEnglish('1200', 'point'), '1,200 points');
  });

  test('Arabic has five, as in the table of the specification', () => {
    const forms = (count: string) => countArabic(count, POINTS);
    assert.equal(forms('1'), 'نقطة واحدة');
    assert.equal(forms('2'), 'نقطتان');
    for (const few of ['3', '10', '103']) assert.equal(forms(few), `${few} نقاط`);
    for (const many of ['11', '99', '111']) assert.equal(forms(many), `${many} نقطة`);
    for (const other of ['100', '101', '102', '200']) assert.equal(forms(other), `${other} نقطة`);
    assert.equal(forms('9223372036854775807'), '9,223,372,036,854,775,807 نقاط');
  });
});

describe('times', () => {
  const at = '2026-03-01T22:30:05.000Z';

  test('stand in the zone of the partner, with Latin digits, and in UTC beside it', () => {
    assert.equal(formatTime(at, { language: 'en', zone: 'Asia/Riyadh' }), '2 Mar 2026, 01:30');
    const arabic = formatTime(at, { language: 'ar', zone: 'Asia/Riyadh' });
    assert.match(arabic, /2026/);
    assert.doesNotMatch(arabic, /[٠-٩]/);
    assert.equal(formatUtc(at), '2026-03-01 22:30:05 UTC');
    assert.equal(formatMonth('2026-03', 'en'), 'March 2026');
  });

  test('say how far away they are', () => {
    const now = Date.parse(at);
    assert.equal(formatRelative('2026-03-02T01:30:05Z', now, 'en'), 'in 3 hours');
    assert.equal(formatRelative('2026-02-27T22:30:05Z', now, 'en'), '2 days ago');
    // A second before it is three days: as the date beside it says.
    assert.equal(formatRelative('2026-03-04T22:30:04Z', now, 'en'), 'in 3 days');
    assert.equal(formatRelative('2026-03-03T22:30:05Z', now, 'ar'), 'خلال يومين');
    assert.equal(formatRelative('2026-03-01T22:29:03Z', now, 'en'), '1 minute ago');
    assert.equal(formatRelative(at, now, 'en'), 'now');
    assert.doesNotMatch(formatRelative('2026-03-02T04:30:05Z', now, 'ar'), /[٠-٩]/);
  });
});

test('a zone is named by its city', () => {
  assert.deepEqual(
    ['Asia/Dubai', 'America/Lima'].map((zone) => cityOf(zone, 'ar')),
    ['دبي', 'Lima'],
  );
  assert.deepEqual(
    ['Asia/Riyadh', 'America/Argentina/Buenos_Aires', 'UTC'].map((zone) => cityOf(zone)),
    ['Riyadh', 'Buenos Aires', 'UTC'],
  );
});

describe('what a file says and what is settled', () => {
  const line: ReconciliationLine = {
    position: '1',
    line_no: '2',
    line_type: 'contribution',
    verdict: 'points_mismatch',
    partner_event_id: 'event-01',
    partner_order_ref: 'order-1',
    adjustment_id: null,
    points: '60',
    matched_points: null,
    transaction_id: 'txn_1',
    recorded_order_ref: 'order-1',
    recorded_points: '100',
    recorded_net_points: '90',
    recorded_settlement_id: 'stl_1',
    details: [],
  };

  test('the change that an adjustment would make, from the net points, over the whole int64 range', () => {
    assert.equal(deltaOf(line), '-30');
    const most = '9223372036854775807';
    assert.equal(deltaOf({ ...line, points: most, recorded_points: most, recorded_net_points: '0' }), most);
    assert.equal(deltaOf({ ...line, points: '100' }), '10');
    assert.equal(deltaOf({ ...line, points: '101' }), undefined, 'more than was contributed is never settled');
    assert.equal(deltaOf({ ...line, verdict: 'missing_in_partner_file', points: null }), '-90');
    assert.equal(deltaOf({ ...line, verdict: 'missing_in_service', transaction_id: null }), undefined);
    assert.equal(deltaOf({ ...line, verdict: 'matched' }), undefined);
    assert.equal(deltaOf({ ...line, line_type: 'adjustment' }), undefined);
  });

  const valuesOf = (value: string, lineType?: string) =>
    Object.fromEntries([
      ...[...LIST_FIELDS, ...(lineType === undefined ? [] : STATEMENT_FIELDS)].map((field) => [field, value]),
      ...(lineType === undefined ? [] : [['line_type', lineType]]),
    ]) as LineValues;

  function compareReasons(problem: ListProblem, lineType: LineType | null): void {
    const line = { line_type: lineType, details: [describeListProblem(problem, lineType)] };
    const [english, arabic] = [whyUnreadable(line, 'en'), whyUnreadable(line, 'ar')];
    assert.match(arabic, /[\u0621-\u064a].*\.$/, english);
    assert.deepEqual(arabic.match(/-?\d+/g), english.replace(', 0 or', '').match(/-?\d+/g), english);
    if (problem.field !== 'line') assert.ok(arabic.includes(`\u2066${problem.field}\u2069`), arabic);
  }

  test('why a line could not be read is said in Arabic with the same field and the same bounds', () => {
    for (const type of [undefined, ...LINE_TYPES, 'other'])
      for (const { problems } of [readListLine(1, valuesOf('', type)), readListLine(1, valuesOf('…', type)), unreadableLine(1)]) {
        assert.ok(problems && problems.length > 0);
        for (const problem of problems) compareReasons(problem, LINE_TYPES.find((each) => each === type) ?? null);
      }
  });

  test('the answer to a dispute names what is recorded, in both languages, with ids from left to right', () => {
    const facts = {
      ...{ settlementId: 'stl_1', periodLabel: '2026-11-2', zone: 'Asia/Riyadh', currency: 'SAR' },
      ...{ disputedAt: '2026-12-02T08:00:00.000Z', note: 'Twice.' },
      compared: { lines: '11', matched: 10, differences: 1, notListed: 2 },
      posted: [
        {
          ...{ partner_order_ref: 'order-1', partner_event_id: 'event-01', points_delta: '-2', amount_delta: null },
          ...{ reason_en: 'Reported twice.', reason_ar: 'أُبلغ عنه مرتين.' },
        },
        {
          ...{ partner_order_ref: 'order-2', partner_event_id: 'event-02', points_delta: '0', amount_delta: '-1234.5' },
          ...{ reason_en: 'Restated.', reason_ar: 'أُعيد الحساب.' },
        },
      ],
    };
    const english = composeReply('en', facts);
    assert.match(english, /^Settlement 2026-11-2 \(stl_1\)$/m);
    assert.match(english, /on 2 Dec 2026: “Twice\.”/);
    assert.match(english, /found 3 differences\. Of 11 lines read, 10 matched and 1 differed; your list lacks 2 contributions/);
    assert.match(english, /^- Order order-1, event event-01: -2 points\. Reported twice\.$/m);
    assert.match(english, /: -1,234\.5 SAR\. Restated\.$/m);
    const arabic = composeReply('ar', facts);
    assert.match(arabic, /^التسوية \u20662026-11-2\u2069 \(\u2066stl_1\u2069\)$/m);
    assert.match(arabic, /الطلب \u2066order-1\u2069، الحدث \u2066event-01\u2069: /);
    assert.match(arabic, /: \u2066-1,234\.5 SAR\u2069\. /);
    assert.match(arabic, /عدد الفروق: 3\./);
    assert.match(arabic, /المقروءة: 11، والمتطابقة: 10، والمختلفة: 1\. .+: 2\.$/m);
    assert.match(arabic, /: خصم نقطتين\. أُبلغ عنه مرتين\.$/m);
    assert.doesNotMatch(arabic, /[٠-٩]|\u200f/);
    assert.doesNotMatch(english, /These differed/);
    const nothing = { ...facts, posted: [], compared: undefined, note: null };
    assert.match(composeReply('en', nothing), /You disputed this settlement on 2 Dec 2026\.\n\nNo correction is posted\./);
    assert.match(composeReply('ar', nothing), /لم يُرحَّل أي تصحيح/);
    const same = { ...facts, compared: { lines: '11', matched: 11, differences: 0, notListed: 0 } };
    assert.match(composeReply('en', same), /and found no difference\. Of 11 lines read/);
  });

  test('in English have signs of a direction around a note in Arabic alone', () => {
    const differing = { lines: [{ ...NOTHING, verdict: 'malformed', line_no: '4' } as const], count: 1 };
    const facts = {
      ...{ settlementId: 'stl_1', periodLabel: '2026-11', zone: 'Asia/Riyadh', currency: 'SAR' },
      ...{ disputedAt: '2026-12-02T09:00:00Z', differing, posted: [] },
    };
    assert.deepEqual(composeReply('en', { ...facts, note: 'Order 1 twice.' }).match(ISOLATES), null);
    assert.match(composeReply('en', { ...facts, note: 'الطلب 1 مكرر' }), /“\u2068الطلب 1 مكرر\u2069”/);
    assert.equal(composeReply('en', { ...facts, note: 'الطلب 1 مكرر' }).match(ISOLATES)?.length, 2);
  });
});

describe('the lines that an answer to a dispute names', () => {
  const listed = { ...NOTHING, line_no: '2', partner_event_id: 'event-01', partner_order_ref: 'order-1', points: '60' };
  const textOf = (language: 'en' | 'ar', line: DifferingLine) =>
    describeLines(language, { lines: [line], count: 1 })?.split('\n')[1];

  test('say what each side has, the points with adjustments where they are known', () => {
    const line = { ...listed, verdict: 'points_mismatch', recorded_points: '100', recorded_net_points: '70' } as const;
    const name = 'Order order-1, event event-01';
    assert.equal(textOf('en', line), `- ${name}: 60 points in your list, 70 points with us.`);
    assert.match(textOf('ar', line) ?? '', /: في قائمتكم 60 نقطة، ولدينا 70 نقطة\.$/);
    const missing = {
      ...NOTHING,
      verdict: 'missing_in_partner_file',
      recorded_order_ref: 'order-2',
      recorded_points: '1',
    } as const;
    assert.equal(textOf('en', missing), '- Order order-2: 1 point with us, not in your list.');
    const unreadable = { ...NOTHING, verdict: 'malformed', line_no: '1234' } as const;
    assert.equal(textOf('en', unreadable), '- Line 1,234: this line of your list could not be read.');
  });

  test('never let points be restored for what the service lacks, and say how many more differ', () => {
    const line = { ...listed, verdict: 'missing_in_service' } as const;
    const whole = (language: 'en' | 'ar', one: DifferingLine) =>
      describeLines(language, { lines: [one, one], count: 1_002 }) ?? '';
    assert.equal(textOf('en', line), '- Order order-1, event event-01: 60 points in your list, not confirmed with us.');
    assert.match(
      whole('en', line),
      /\nAnd 1,000 more\.\n\nWhat is not confirmed with us: .+ with the Idempotency-Key that it had at first/,
    );
    assert.match(whole('en', line), /Do not give points back to customers because of this list\.$/);
    assert.match(whole('ar', line), /\nوغير ذلك: 1,000\.\n\n.+ لا تردّوا النقاط إلى العملاء بسبب هذه القائمة\.$/);
    assert.equal(whole('en', line).match(/Do not give points back/g)?.length, 1);
    assert.match(whole('en', { ...line, line_type: 'adjustment' }), /And 1,000 more\.$/);
    assert.equal(describeLines('en', { lines: [], count: 0 }), undefined);
  });
});

describe('texts', async () => {
  const tables = await Promise.all(
    globSync('**/*-texts.ts', { cwd: CONSOLE }).map(async (path) => ({
      path,
      texts: Object.values((await import(join(CONSOLE, path))) as Record<string, Texts>).flatMap((table) =>
        Object.entries(table),
      ),
    })),
  );
  // Of a text with a parameter, its source.
  const words = (text: unknown) => String(text);

  const bothNames = ['otherLanguage', 'product'];
  for (const { path, texts } of tables) {
    const checked = texts.filter(([name]) => !bothNames.includes(name));
    test(`${path}: every text is in both languages, with Latin digits`, () => {
      assert.ok(checked.length > 0);
      for (const [name, [english, arabic]] of checked) {
        assert.match(words(arabic), /[\u0600-\u06ff]/, name);
        assert.doesNotMatch(words(english), /[\u0600-\u06ff]/, name);
        assert.doesNotMatch(words(arabic), /[٠-٩۰-۹]/, name);
      }
    });

    test(`${path}: no text promises what the service does not do`, () => {
      const claims = /تعويض|محايد كربوني|حياد كربوني|صديق للبيئة|offset|neutral|compensat/i;
      for (const [name, both] of texts) for (const text of both) assert.doesNotMatch(words(text), claims, name);
    });
  }
});
