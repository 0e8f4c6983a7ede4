/** The lines of a list that differ from a settlement, in the words of an answer to the partner. */
import { isolate } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import { formatWhole } from '../../format/points.ts';
import type { Language } from '../../texts/text.ts';
import type { ReconciliationLine, Verdict } from '../reconciliations/verdicts.ts';

export type DifferingLine = Pick<
  ReconciliationLine,
  | ('verdict' | 'line_type' | 'line_no' | 'partner_event_id' | 'partner_order_ref' | 'points')
  | ('recorded_order_ref' | 'recorded_points' | 'recorded_net_points')
>;

export interface DifferingLines {
  /** The first of them. */
  readonly lines: readonly DifferingLine[];
  /** How many differ in all. */
  readonly count: number;
  /** How many of all the service does not have. */
  readonly missing: number;
}

/** A heading, a line for each, how many more there are, and what to do about events that are not confirmed; `undefined` without either. */
export function describeLines(language: Language, differing: DifferingLines): string | undefined {
  const { lines, count } = differing;
  const wording = language === 'en' ? ENGLISH : ARABIC;
  const rest = count - lines.length;
  const described = lines.map((line) => {
    const name = wording.name(namesOf(line, wording.mark));
    return `- ${name}: ${wording.differs[line.verdict](valuesOf(line, wording.mark))}`;
  });
  const list = [wording.heading, ...described, ...(rest > 0 ? [describeRest(language, rest)] : [])].join('\n');
  const parts = [...(lines.length > 0 ? [list] : []), ...(isSomeNotConfirmed(differing) ? [wording.sendAgain] : [])];
  return parts.length > 0 ? parts.join('\n\n') : undefined;
}

/** How many more there are than those named above. */
export function describeRest(language: Language, count: number): string {
  const rest = formatWhole(String(count));
  return language === 'en' ? `And ${rest} more.` : `وعدد ما لم يُذكر هنا: ${rest}.`;
}

/** A request may record a contribution; none makes another line of a statement. A line that is not named may be one. */
function isSomeNotConfirmed({ lines, missing }: DifferingLines): boolean {
  const named = lines.filter(({ verdict }) => verdict === 'missing_in_service');
  return missing > named.length || named.some(({ line_type }) => line_type === 'contribution');
}

/** Ready to stand in a sentence; `undefined` for what the line does not have. */
interface Names {
  readonly order: string | undefined;
  readonly event: string | undefined;
  /** In the file. */
  readonly lineNo: string | undefined;
}

type Mark = Wording['mark'];

function namesOf({ partner_order_ref, recorded_order_ref, partner_event_id, line_no }: DifferingLine, mark: Mark): Names {
  const shown = (name: string | null) => (name === null ? undefined : mark(name));
  return {
    order: shown(partner_order_ref ?? recorded_order_ref),
    event: shown(partner_event_id),
    lineNo: line_no === null ? undefined : mark(formatWhole(line_no)),
  };
}

interface Values {
  /** In digits. */
  readonly listed: string;
  /** With adjustments, where they are known. */
  readonly recorded: string;
  /** The order that the service has. */
  readonly otherOrder: string;
}

function valuesOf({ points, recorded_points, recorded_net_points, recorded_order_ref }: DifferingLine, mark: Mark): Values {
  return {
    listed: points ?? '0',
    recorded: recorded_net_points ?? recorded_points ?? '0',
    otherOrder: mark(recorded_order_ref ?? ''),
  };
}

interface Wording {
  /** Isolates a text that is read from left to right. A language of the same direction returns it unchanged. */
  mark(text: string): string;
  readonly heading: string;
  name(names: Names): string;
  readonly differs: Readonly<Record<Verdict, (values: Values) => string>>;
  readonly sendAgain: string;
}

const pointsInEnglish = (points: string) => countEnglish(points, 'point');

const ENGLISH: Wording = {
  mark: (text) => text,
  heading: 'These differed when we compared:',
  name({ order, event, lineNo }) {
    const names = [order && `order ${order}`, event && `event ${event}`].filter(Boolean);
    const name = names.length > 0 ? names.join(', ') : `line ${lineNo ?? ''}`.trimEnd();
    return name.charAt(0).toUpperCase() + name.slice(1);
  },
  differs: {
    points_mismatch: ({ listed, recorded }) => `${pointsInEnglish(listed)} in your list, ${pointsInEnglish(recorded)} with us.`,
    missing_in_service: ({ listed }) => `${pointsInEnglish(listed)} in your list, not confirmed with us.`,
    missing_in_partner_file: ({ recorded }) => `${pointsInEnglish(recorded)} with us, not in your list.`,
    order_ref_mismatch: ({ otherOrder }) => `the order with us is ${otherOrder}.`,
    duplicate_in_file: () => 'more than once in your list.',
    other_settlement: () => 'not of this settlement.',
    malformed: () => 'this line of your list could not be read.',
    matched: () => 'no difference.',
  },
  sendAgain:
    'What is not confirmed with us: please ask your technical team to look the event up in our service. When it is not found, they send the same confirmation again, with the Idempotency-Key that it had at first; we then record it once. When it is found as pending, they wait for our decision, which an event tells you. When it is found as failed, that is final: the points of that event are given back once, for its partner_event_id. Do not give points back to customers because of this list.',
};

const pointsInArabic = (points: string) => countArabic(points, ['نقطة واحدة', 'نقطتان', 'نقاط', 'نقطة', 'نقطة']);

const ARABIC: Wording = {
  mark: isolate,
  heading: 'ما اختلف عند المقارنة:',
  name({ order, event, lineNo }) {
    const names = [order && `الطلب ${order}`, event && `الحدث ${event}`].filter(Boolean);
    return names.length > 0 ? names.join('، ') : `السطر ${lineNo ?? ''}`.trimEnd();
  },
  differs: {
    points_mismatch: ({ listed, recorded }) => `في قائمتكم ${pointsInArabic(listed)}، ولدينا ${pointsInArabic(recorded)}.`,
    missing_in_service: ({ listed }) => `في قائمتكم ${pointsInArabic(listed)}، وهو غير مؤكَّد لدينا.`,
    missing_in_partner_file: ({ recorded }) => `لدينا ${pointsInArabic(recorded)}، وليس في قائمتكم.`,
    order_ref_mismatch: ({ otherOrder }) => `الطلب لدينا هو ${otherOrder}.`,
    duplicate_in_file: () => 'ورد في قائمتكم أكثر من مرة.',
    other_settlement: () => 'ليس من هذه التسوية.',
    malformed: () => 'تعذّرت قراءة هذا السطر من قائمتكم.',
    matched: () => 'لا فرق.',
  },
  sendAgain: `ما ليس مؤكَّدًا لدينا: نرجو أن تطلبوا من فريقكم التقني الاستعلام عن الحدث في خدمتنا. فإن لم يجده أعاد إرسال التأكيد نفسه بقيمة ${isolate('Idempotency-Key')} التي أُرسل بها أول مرة، فنسجّله مرة واحدة. وإن وجده قيد المعالجة انتظر قرارنا، وسيصلكم إشعار به. وإن وجده قد فشل فذلك نهائي: تُعاد نقاط ذلك الحدث مرة واحدة بحسب ${isolate('partner_event_id')} الخاص به. لا تُعيدوا النقاط إلى العملاء بسبب هذه القائمة.`,
};
