/** What the console suggests to answer a partner who disputes a settlement. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { asMeant, withoutHidden } from '../../../console/src/format/as-meant.ts';
import { type DifferingLine, describeLines } from '../../../console/src/pages/settlements/reply-lines.ts';
import {
  asRecorded,
  composeReply,
  countRecorded,
  REPLY_CHARACTERS_MAX,
} from '../../../console/src/pages/settlements/reply-text.ts';
import { isText } from '../../../src/domain/single-line-text.ts';
import { REPLY_CHARACTERS_MAX as TAKEN_MAX } from '../../../src/operations/settlements/reply-to-dispute.ts';

const ISOLATES = /[\u2066-\u2069]/g;
/** Of a line of a list that differs. */
const NOTHING = {
  line_type: 'contribution' as const,
  line_no: null,
  partner_event_id: null,
  partner_order_ref: null,
  points: null,
  recorded_order_ref: null,
  recorded_points: null,
  recorded_net_points: null,
};

describe('the answer to a dispute', () => {
  test('names what is recorded, in both languages, with ids from left to right', () => {
    const facts = {
      settlementId: 'stl_1',
      periodLabel: '2026-11-2',
      zone: 'Asia/Riyadh',
      currency: 'SAR',
      disputedAt: '2026-12-02T08:00:00.000Z',
      note: 'Twice.',
      compared: { lines: '12', hasHeading: true, found: 3, matched: 10, differences: 1, unreadable: 1, notListed: 2 },
      posted: [
        {
          partner_order_ref: 'order-1',
          partner_event_id: 'event-01',
          points_delta: '-2',
          amount_delta: null,
          reason_en: 'Reported twice.',
          reason_ar: 'أُبلغ عنه مرتين.',
        },
        {
          partner_order_ref: 'order-2',
          partner_event_id: 'event-02',
          points_delta: '0',
          amount_delta: '-1234.5',
          reason_en: 'Restated.',
          reason_ar: 'أُعيد الحساب.',
        },
      ],
    };
    const english = composeReply('en', facts);
    assert.match(english, /^Settlement 2026-11-2 \(stl_1\)$/m);
    assert.match(english, /on 2 Dec 2026: “Twice\.”/);
    assert.match(
      english,
      /found 3 differences\. Of 12 lines below the heading row, 10 matched, 1 differed and 1 could not be read; your list lacks 2 contributions of the settlement, which may be on the lines that could not be read\./,
    );
    assert.match(english, /^- Order order-1, event event-01: 2 points taken away\. Reported twice\.$/m);
    assert.match(english, /: 1,234\.50 SAR taken away\. Restated\.$/m);
    const arabic = composeReply('ar', facts);
    assert.match(arabic, /^التسوية \u20662026-11-2\u2069 \(\u2066stl_1\u2069\)$/m);
    assert.match(arabic, /الطلب \u2066order-1\u2069، الحدث \u2066event-01\u2069: /);
    assert.match(arabic, /: خصم \u20661,234\.50 SAR\u2069\. /);
    assert.match(arabic, /عدد الفروق: 3\./);
    assert.match(
      arabic,
      /السطور بعد صف العناوين: 12، والمتطابقة: 10، والمختلفة: 1، وما تعذّرت قراءته: 1\. .+: 2، وقد تكون في السطور التي تعذّرت قراءتها\.$/m,
    );
    assert.match(arabic, /: خصم نقطتين\. أُبلغ عنه مرتين\.$/m);
    const one = { ...facts, posted: facts.posted.map((each) => ({ ...each, points_delta: '1', amount_delta: null })) };
    assert.match(composeReply('en', one), /event event-01: 1 point added\. /);
    assert.match(composeReply('ar', one), /: إضافة نقطة واحدة\. /);
    assert.doesNotMatch(arabic, /[٠-٩]|\u200f/);
    assert.doesNotMatch(english, /These differed/);
    const nothing = { ...facts, posted: [], compared: undefined, note: null };
    assert.match(
      composeReply('en', nothing),
      /You disputed this settlement on 2 Dec 2026\.\n\nNo correction has been posted since your dispute\./,
    );
    assert.match(composeReply('ar', nothing), /لم يُرحَّل أي تصحيح/);
    const same = {
      ...facts,
      compared: { lines: '11', hasHeading: false, found: 0, matched: 11, differences: 0, unreadable: 0, notListed: 0 },
    };
    assert.match(composeReply('en', same), /and found no difference\. Of 11 lines, 11 matched/);
  });

  test('in English has signs of a direction around a note in Arabic alone', () => {
    const differing = { lines: [{ ...NOTHING, verdict: 'malformed', line_no: '4' } as const], count: 1, missing: 0 };
    const facts = {
      settlementId: 'stl_1',
      periodLabel: '2026-11',
      zone: 'Asia/Riyadh',
      currency: 'SAR',
      disputedAt: '2026-12-02T09:00:00Z',
      differing,
      posted: [],
    };
    assert.deepEqual(composeReply('en', { ...facts, note: 'Order 1 twice.' }).match(ISOLATES), null);
    assert.match(composeReply('en', { ...facts, note: 'الطلب 1 مكرر' }), /“\u2068الطلب 1 مكرر\u2069”/);
    assert.equal(composeReply('en', { ...facts, note: 'الطلب 1 مكرر' }).match(ISOLATES)?.length, 2);
  });
});

describe('an answer that is recorded', () => {
  const facts = {
    settlementId: 'stl_1',
    periodLabel: '2026-11',
    zone: 'Asia/Riyadh',
    currency: 'SAR',
    disputedAt: '2026-12-02T09:00:00Z',
    note: 'N'.repeat(1_000),
  };
  const correction = {
    partner_order_ref: 'order-'.padEnd(128, '1'),
    partner_event_id: 'event-'.padEnd(128, '1'),
    points_delta: '-2',
    amount_delta: null,
    reason_en: 'Reported twice.',
    reason_ar: 'أُبلغ عنه مرتين.',
  };

  test('has the length that the service takes, whatever there is to name, and names some of each', () => {
    assert.equal(REPLY_CHARACTERS_MAX, TAKEN_MAX);
    const order = 'order-'.padEnd(128, '2');
    const line = { ...NOTHING, verdict: 'missing_in_service', partner_order_ref: order, points: '60' } as const;
    const differing = { lines: Array.from({ length: 10 }, () => line), count: 1_000, missing: 1_000 };
    const posted = Array.from({ length: 400 }, () => correction);
    for (const language of ['en', 'ar'] as const) {
      const text = composeReply(language, { ...facts, differing, posted });
      assert.ok(text.length <= TAKEN_MAX, `${text.length} characters`);
      const [corrections, lines] = ['event-1', 'order-2'].map((name) => text.split(name).length - 1) as [number, number];
      assert.ok(corrections >= 3 && lines >= 3, `${corrections} corrections, ${lines} lines`);
      const rest = language === 'en' ? 'And #' : 'وعدد ما لم يُذكر هنا: #';
      for (const more of [400 - corrections, 1_000 - lines]) assert.ok(text.includes(rest.replace('#', String(more))), text);
    }
    const few = composeReply('en', { ...facts, posted: posted.slice(0, 5) });
    assert.equal(few.split('event-1').length - 1, 5);
    assert.doesNotMatch(few, /^And /m);
  });

  test('has no character that the service refuses, with a space for a tab, and keeps what can be seen', () => {
    assert.equal(asRecorded('a\tb\r\nc\u2028d\u200f\u200b\u00ad\ufeff\u2066e\u2069\u0000'), 'a b\nc\nde');
    const seen = 'أهلًا می\u200cروم 👩\u200d🌾 ❤\ufe0f\n1,234.5 SAR';
    assert.equal(withoutHidden(seen), seen);
    assert.equal(countRecorded(' 🌳🌳\u200f '), 2);
    const any = fc.string({
      unit: fc.oneof(fc.constantFrom('\t', '\r', '\n', '\u2029', '\ud800', '\u{e0067}'), fc.string({ unit: 'binary' })),
    });
    fc.assert(fc.property(any, (text) => isText(`x${asRecorded(text)}`, 100_000)));
  });

  test('is cleaned as an id that is searched for is', () => {
    assert.equal(asMeant('\u200border\u2060-\u00ad1\u200f '), 'order-1');
    assert.equal(asMeant('order-١٢۳'), 'order-123', 'an Arabic keyboard has other digits');
  });
});

describe('the lines that an answer to a dispute names', () => {
  const listed = { ...NOTHING, line_no: '2', partner_event_id: 'event-01', partner_order_ref: 'order-1', points: '60' };
  const textOf = (language: 'en' | 'ar', line: DifferingLine) =>
    describeLines(language, { lines: [line], count: 1, missing: 0 })?.split('\n')[1];

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
      describeLines(language, { lines: [one, one], count: 1_002, missing: 2 }) ?? '';
    assert.equal(textOf('en', line), '- Order order-1, event event-01: 60 points in your list, not confirmed with us.');
    assert.match(
      whole('en', line),
      /\nAnd 1,000 more\.\n\nWhat is not confirmed with us: .+ with the Idempotency-Key that it had at first/,
    );
    assert.match(whole('en', line), /Do not give points back to customers because of this list\.$/);
    assert.match(whole('ar', line), /\nوعدد ما لم يُذكر هنا: 1,000\.\n\n.+ لا تُعيدوا النقاط إلى العملاء بسبب هذه القائمة\.$/);
    assert.equal(whole('en', line).match(/Do not give points back/g)?.length, 1);
    assert.match(whole('en', { ...line, line_type: 'adjustment' }), /And 1,000 more\.$/);
    assert.equal(describeLines('en', { lines: [], count: 0, missing: 0 }), undefined);
  });

  test('say what to do about what the service lacks where no line of it is named, and of what is found as pending or failed', () => {
    const other = { ...listed, verdict: 'points_mismatch', recorded_points: '100' } as const;
    const named = Array.from({ length: 10 }, () => other);
    const [english, arabic] = (['en', 'ar'] as const).map((language) =>
      describeLines(language, { lines: named, count: 11, missing: 1 }),
    );
    assert.match(english ?? '', /\nAnd 1 more\.\n\nWhat is not confirmed with us: /);
    assert.match(
      english ?? '',
      /found as pending, they wait for our decision.+found as failed, that is final: .+ partner_event_id\./,
    );
    assert.match(english ?? '', /Do not give points back to customers because of this list\.$/);
    assert.match(arabic ?? '', /قيد المعالجة انتظر قرارنا.+فشل فذلك نهائي.+\u2066partner_event_id\u2069.+ لا تُعيدوا النقاط/);
    const removed = describeLines('en', { lines: [], count: 3, missing: 2 });
    assert.match(removed ?? '', /^What is not confirmed with us: /);
    assert.doesNotMatch(describeLines('en', { lines: named, count: 11, missing: 0 }) ?? '', /not confirmed/);
  });
});
