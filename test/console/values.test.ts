/** How the console shows values: exactly, and in both languages with Latin digits. */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { codes as listCurrencies } from 'currency-codes';
import fc from 'fast-check';
import { inOneSpelling } from '../../console/src/format/arabic-spelling.ts';
import { inDigits } from '../../console/src/format/as-meant.ts';
import { beginningOf } from '../../console/src/format/beginning-of.ts';
import { isolateForeign } from '../../console/src/format/isolate.ts';
import { countArabic, countEnglish } from '../../console/src/format/plural.ts';
import {
  addDecimals,
  addWhole,
  chartScale,
  compareDecimals,
  divideWhole,
  formatDecimal,
  formatMoney,
  formatWhole,
  padDecimal,
  roundDecimal,
  subtractDecimals,
} from '../../console/src/format/points.ts';
import { shortId } from '../../console/src/format/short-id.ts';
import {
  cityOf,
  formatMonth,
  formatRelative,
  formatTime,
  formatUtc,
  monthAt,
  monthsAnywhere,
  startOfDay,
} from '../../console/src/format/time.ts';
import { IMPACT } from '../../console/src/pages/impact/impact-texts.ts';
import { JOB } from '../../console/src/pages/jobs/job-texts.ts';
import { deltaOf, type ReconciliationLine } from '../../console/src/pages/reconciliations/verdicts.ts';
import { whyUnreadable } from '../../console/src/pages/reconciliations/wrong-line.ts';
import { REVIEW } from '../../console/src/pages/reviews/review-texts.ts';
import { COMMON } from '../../console/src/texts/common-texts.ts';
import type { Texts } from '../../console/src/texts/text.ts';
import { inOneSpelling as inSpellingOfService } from '../../src/domain/access/arabic-spelling.ts';
import { findMinorUnits } from '../../src/domain/numbers/currency.ts';
import { amountText, totalText } from '../../src/domain/numbers/money.ts';
import { describeListProblem, type ListProblem } from '../../src/domain/reconciliations/list-problem.ts';
import {
  LIST_FIELDS,
  type LineValues,
  overfullLine,
  readListLine,
  STATEMENT_FIELDS,
  unreadableLine,
} from '../../src/domain/reconciliations/partner-list.ts';
import { LINE_TYPES, type LineType } from '../../src/domain/settlements/settlement-line.ts';

const CONSOLE = join(import.meta.dirname, '../../console/src');
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const POINTS = ['نقطة واحدة', 'نقطتان', 'نقاط', 'نقطة', 'نقطة'] as const;

/** A number in a sentence, with the form of its noun that the sentence wants. */
const SENTENCES: readonly (readonly [said: string, sentence: string])[] = [
  [JOB.failures[0](1), '1 failure in a row'],
  [JOB.failures[0](11), '11 failures in a row'],
  [JOB.failures[1](1), 'إخفاق واحد'],
  [JOB.failures[1](2), 'إخفاقان متتاليان'],
  [JOB.failures[1](11), '11 إخفاقًا متتاليًا'],
  [IMPACT.chosen[0](1, '1'), '1 settlement chosen, 1 point'],
  [IMPACT.chosen[0](2, '1250'), '2 settlements chosen, 1,250 points'],
  [IMPACT.chosen[1](2, '5108'), 'المحدّد: تسويتان، 5,108 نقاط'],
  [IMPACT.chosen[1](1, '1'), 'المحدّد: تسوية واحدة، نقطة واحدة'],
  [IMPACT.paysAbout[1]('2'), 'تغطي نحو شجرتين'],
  [IMPACT.paysAbout[1]('1250'), 'تغطي نحو 1,250 شجرة'],
  [REVIEW.chosen[1](2, '2'), 'المحدّد: مساهمتان، نقطتان'],
  [REVIEW.failTitle[1](2), 'تسجيل فشل مساهمتين'],
];

describe('counted nouns in a sentence', () => {
  for (const [said, sentence] of SENTENCES) test(sentence, () => assert.equal(said, sentence));
});

test('a number is taken as an Arabic keyboard types it, with its signs and separators', () => {
  assert.deepEqual(['٢٥٠', '−٥٫٢٥', '١٬٢٥٠', '۱٬۲۵۰٬۰۰۰٫۵'].map(inDigits), ['250', '-5.25', '1250', '1250000.5']);
  assert.equal(inDigits('1,250'), '1,250', 'a comma may separate decimals too, so the service says what it takes');
});

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
    assert.deepEqual([compareDecimals('7.50', '7.5'), compareDecimals('0', '-0.0'), compareDecimals('-1', '-1')], [0, 0, 0]);
    assert.deepEqual(
      [padDecimal('7.5', 2), padDecimal('7', 2), padDecimal('0.125', 2), padDecimal('7', 0)],
      ['7.50', '7.00', '0.125', '7'],
    );
  });

  test('of money have the decimals of the currency, and more only where they count', () => {
    const amounts = ['-11.2500', '0', '7.5', '0.0225', '1234567.1000'];
    assert.deepEqual(
      amounts.map((amount) => formatMoney(amount, 'SAR')),
      ['-11.25 SAR', '0.00 SAR', '7.50 SAR', '0.0225 SAR', '1,234,567.10 SAR'],
    );
    assert.deepEqual(
      [formatMoney('-1.5', 'KWD'), formatMoney('5.0', 'JPY'), formatMoney('2.50', null)],
      ['-1.500 KWD', '5 JPY', '2.5'],
    );
  });

  test('of money have the decimals that the service bills, in every currency', () => {
    const codes = listCurrencies().filter((code) => findMinorUnits(code) !== undefined);
    assert.ok(codes.length > 150);
    for (const code of codes) assert.equal(formatMoney('12', code), `${totalText(12_000_000_000_000n, code)} ${code}`);
    assert.equal(formatMoney('12.5', 'IQD'), '12.500 IQD');
  });

  test('decimals are subtracted without loss', () => {
    assert.deepEqual(
      [divideWhole('30', '7.5'), divideWhole('29.999999999999', '7.5'), divideWhole('0', '0.000000000001')],
      [4n, 3n, 0n],
    );
    assert.equal(divideWhole('9223372036854775807.5', '0.5'), 18_446_744_073_709_551_615n);
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

  test('a negative number in Arabic has the form of its size, and its sign before it', () => {
    const forms = ['-1', '-2', '-5', '-10', '-11', '-99', '-100', '-103'].map((count) =>
      countArabic(count, ['one', 'two', 'few', 'many', 'other']),
    );
    assert.deepEqual(forms, [
      '\u2066-1\u2069 other',
      '\u2066-2\u2069 other',
      '\u2066-5\u2069 few',
      '\u2066-10\u2069 few',
      '\u2066-11\u2069 many',
      '\u2066-99\u2069 many',
      '\u2066-100\u2069 other',
      '\u2066-103\u2069 few',
    ]);
    assert.equal(IMPACT.chosen[1](2, '-1250'), 'المحدّد: تسويتان، \u2066-1,250\u2069 نقطة');
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

  test('are in a month by the calendar of their zone', () => {
    const anywhere = ['2026-11-30T09:59:59Z', '2026-11-30T10:00:00Z', '2026-12-01T11:59:59Z', '2026-12-01T12:00:00Z'];
    assert.deepEqual(
      anywhere.map((at) => Object.values(monthsAnywhere(Date.parse(at)))),
      [
        ['2026-11', '2026-11'],
        ['2026-11', '2026-12'],
        ['2026-11', '2026-12'],
        ['2026-12', '2026-12'],
      ],
    );
    const months = ['Asia/Riyadh', 'UTC', 'America/New_York'].map((zone) => monthAt(Date.parse('2026-11-30T22:30:00Z'), zone));
    assert.deepEqual(months, ['2026-12', '2026-11', '2026-11']);
  });

  test('name the zone of the reader in Arabic without the word for a time where it is UTC', () => {
    const nameOf = (zone: string) => COMMON.zoneOf[1](isolateForeign(cityOf(zone, 'ar'))).replaceAll(/[\u2066-\u2069]/g, '');
    assert.deepEqual(['Etc/UTC', 'Asia/Riyadh'].map(nameOf), ['التوقيت العالمي', 'توقيت الرياض']);
  });

  test('say how far away they are', () => {
    const now = Date.parse(at);
    assert.equal(formatRelative('2026-03-02T01:30:05Z', now, 'en'), 'in 3 hours');
    assert.equal(formatRelative('2026-02-27T22:30:05Z', now, 'en'), '2 days ago');
    // A second before it is three days: as the date beside it says.
    assert.equal(formatRelative('2026-03-04T22:30:04Z', now, 'en'), 'in 3 days');
    assert.equal(formatRelative('2026-03-03T22:30:05Z', now, 'ar'), 'بعد يومين');
    assert.equal(formatRelative('2026-03-01T22:30:02Z', now, 'ar'), 'قبل 3 ثوانٍ');
    assert.equal(formatRelative('2026-03-01T22:29:03Z', now, 'en'), '1 minute ago');
    assert.equal(formatRelative(at, now, 'en'), 'now');
    assert.doesNotMatch(formatRelative('2026-03-02T04:30:05Z', now, 'ar'), /[٠-٩]/);
  });
});

test('the beginning of a text has whole characters', () => {
  const emoji = '\u{1f333}';
  assert.equal(beginningOf(`ab${emoji}`, 3), 'ab');
  assert.equal(beginningOf(`ab${emoji}`, 4), `ab${emoji}`);
  assert.deepEqual([beginningOf('ab', 3), beginningOf('abcd', 3), beginningOf('', 3)], ['ab', 'abc', '']);
  const texts = fc.tuple(fc.string({ unit: 'grapheme' }), fc.nat(20));
  fc.assert(
    fc.property(texts, ([text, most]) => text.startsWith(beginningOf(text, most)) && beginningOf(text, most).isWellFormed()),
  );
});

test('an id in short keeps its kind and its end, and a short one all of it', () => {
  assert.deepEqual(
    ['txn_01M7Y4NYQYPG5MAQDP5ES1PVKD', 'batch_01M7Y4NYQYPG5MAQDP5ES1PVKD', '75d58076-0d2a-4c1b-9c3e-31f29f8e9168'].map(shortId),
    ['txn_…S1PVKD', 'batch_…S1PVKD', '75d580…8e9168'],
  );
  for (const short of ['contribution-seals', 'N1lhWC54b8Ay']) assert.equal(shortId(short), short);
});

test('Arabic has one spelling for what persons write for each other, as where the service finds partners', () => {
  const letters = Array.from({ length: 0x700 }, (_, code) => String.fromCharCode(code)).join('');
  assert.equal(inOneSpelling(letters), inSpellingOfService(letters));
  assert.equal(inOneSpelling('أُصدر'), 'اصدر');
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
    contribution_status: 'confirmed',
    recorded_order_ref: 'order-1',
    recorded_points: '100',
    recorded_net_points: '90',
    settled_points: '90',
    recorded_settlement_id: 'stl_1',
    details: [],
  };

  test('the change that an adjustment would make, from the net points, over the whole int64 range', () => {
    const list = { is_statement: false };
    assert.equal(deltaOf(line, list), '-30');
    const most = '9223372036854775807';
    assert.equal(deltaOf({ ...line, points: most, recorded_points: most, settled_points: '0' }, list), most);
    assert.equal(deltaOf({ ...line, points: '100' }, list), '10');
    assert.equal(deltaOf({ ...line, points: '101' }, list), undefined, 'more than was contributed is never settled');
    const lacking = { ...line, verdict: 'missing_in_partner_file', points: null } as const;
    assert.equal(deltaOf(lacking, list), '-90');
    assert.equal(deltaOf({ ...lacking, settled_points: '0' }, list), undefined, 'nothing is settled');
    assert.equal(deltaOf({ ...line, settled_points: '60' }, list), undefined, 'it is corrected since the comparison');
    assert.equal(
      deltaOf({ ...line, verdict: 'missing_in_service', transaction_id: null, settled_points: null }, list),
      undefined,
    );
    assert.equal(deltaOf({ ...line, verdict: 'matched' }, list), undefined);
    assert.equal(deltaOf({ ...line, line_type: 'adjustment' }, list), undefined);
  });

  test('a line of a statement proposes a change while no adjustment is posted: its points are without them', () => {
    const statement = { is_statement: true };
    const without = { ...line, settled_points: '100' };
    assert.equal(deltaOf({ ...without, points: '60' }, statement), '-40');
    assert.equal(deltaOf({ ...without, verdict: 'missing_in_partner_file', points: null }, statement), '-100');
    assert.equal(deltaOf({ ...line, points: '95' }, statement), undefined, 'it would settle 5 more, where the file has 5 less');
    assert.equal(deltaOf({ ...line, verdict: 'missing_in_partner_file', points: null }, statement), undefined);
  });

  const valuesOf = (value: string, lineType?: string) =>
    Object.fromEntries([
      ...[...LIST_FIELDS, ...(lineType === undefined ? [] : STATEMENT_FIELDS)].map((field) => [field, value]),
      ...(lineType === undefined ? [] : [['line_type', lineType]]),
    ]) as LineValues;

  function compareReasons(problem: ListProblem, lineType: LineType | null): void {
    const line = { line_type: lineType, details: [describeListProblem(problem, lineType)] };
    const [english, arabic] = (['en', 'ar'] as const).map((language) => whyUnreadable(line, language)[0]?.reason ?? '') as [
      string,
      string,
    ];
    assert.match(arabic, /[\u0621-\u064a].*\.$/, english);
    // The hyphen of a range holds it together in Arabic.
    const numbersOf = (text: string) => text.replaceAll('\u2011', '-').match(/-?\d+/g);
    assert.deepEqual(numbersOf(arabic), numbersOf(english.replace(', 0 or negative', '')), english);
    if (problem.field !== 'line') assert.ok(arabic.includes(`\u2066${problem.field}\u2069`), arabic);
  }

  test('why a line could not be read is said in Arabic with the same field and the same bounds', () => {
    for (const type of [undefined, ...LINE_TYPES, 'other'])
      for (const { problems } of [
        readListLine(1, valuesOf('', type)),
        readListLine(1, valuesOf('…', type)),
        unreadableLine(1),
        overfullLine(1),
      ]) {
        assert.ok(problems && problems.length > 0);
        for (const problem of problems) compareReasons(problem, LINE_TYPES.find((each) => each === type) ?? null);
      }
  });

  test('what is wrong with points that are written in another form is said in both languages', () => {
    for (const points of ['99999999999999999999', '10.00', '٥٠٥٦', '5,056', true]) {
      const problems = readListLine(1, { ...valuesOf('order-0001'), points }).problems ?? [];
      assert.equal(problems.length, 1, String(points));
      for (const problem of problems) compareReasons(problem, null);
    }
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

test('a day begins in the zone of its reader, and is none while its year is typed', () => {
  assert.equal(startOfDay('2026-03-15', 'Asia/Riyadh'), '2026-03-14T21:00:00.000Z');
  assert.equal(startOfDay('2026-03-15', 'Asia/Riyadh', 1), '2026-03-15T21:00:00.000Z');
  for (const year of ['0002', '0020', '0202', '202603'])
    assert.equal(startOfDay(`${year}-03-15`, 'Asia/Riyadh'), undefined, year);
});

test('a day of which the midnight is skipped begins when the clock is put forward, on either side of Greenwich', () => {
  for (const [day, zone, at] of [
    ['2025-09-07', 'America/Santiago', '2025-09-07T04:00:00.000Z'],
    ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00.000Z'],
    ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
    ['2025-11-02', 'America/Havana', '2025-11-02T04:00:00.000Z'],
  ] as const)
    assert.equal(startOfDay(day, zone), at, `${day} ${zone}`);
});

test('only the clock of the service is asked for the time of day', () => {
  const sources = globSync('console/src/**/*.{ts,tsx}');
  assert.ok(sources.length > 100);
  const readers = sources.filter((path) => /\bDate\.now\b|\bnew Date\(\)/.test(readFileSync(path, 'utf8')));
  assert.deepEqual(readers, ['console/src/api/service-clock.ts'], 'the clock of the browser may be hours off');
});
