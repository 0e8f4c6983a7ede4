/** The lines of a list that differ from a settlement, in the words of an answer to the partner. */
import { isolate } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import { formatWhole } from '../../format/points.ts';
import type { Language } from '../../texts/text.ts';
import type { ReconciliationLine, Verdict } from '../reconciliations/verdicts.ts';

export type DifferingLine = Pick<
  ReconciliationLine,
  | ('verdict' | 'line_no' | 'partner_event_id' | 'partner_order_ref' | 'points')
  | ('recorded_order_ref' | 'recorded_points' | 'recorded_net_points')
>;

export interface DifferingLines {
  /** The first of them. */
  readonly lines: readonly DifferingLine[];
  /** How many differ in all. */
  readonly count: number;
}

/** A heading, a line for each, and how many more there are; `undefined` without a line. */
export function describeLines(language: Language, { lines, count }: DifferingLines): string | undefined {
  if (lines.length === 0) return undefined;
  const wording = language === 'en' ? ENGLISH : ARABIC;
  const rest = count - lines.length;
  const described = lines.map((line) => `- ${wording.name(namesOf(line))}: ${wording.differs[line.verdict](valuesOf(line))}`);
  return [wording.heading, ...described, ...(rest > 0 ? [wording.more(rest)] : [])].join('\n');
}

/** Each read from left to right; `undefined` for what the line does not have. */
interface Names {
  readonly order: string | undefined;
  readonly event: string | undefined;
  /** In the file. */
  readonly lineNo: string | undefined;
}

function namesOf({ partner_order_ref, recorded_order_ref, partner_event_id, line_no }: DifferingLine): Names {
  const shown = (name: string | null) => (name === null ? undefined : isolate(name));
  return {
    order: shown(partner_order_ref ?? recorded_order_ref),
    event: shown(partner_event_id),
    lineNo: line_no === null ? undefined : isolate(formatWhole(line_no)),
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

function valuesOf({ points, recorded_points, recorded_net_points, recorded_order_ref }: DifferingLine): Values {
  return {
    listed: points ?? '0',
    recorded: recorded_net_points ?? recorded_points ?? '0',
    otherOrder: isolate(recorded_order_ref ?? ''),
  };
}

interface Wording {
  readonly heading: string;
  name(names: Names): string;
  readonly differs: Readonly<Record<Verdict, (values: Values) => string>>;
  more(count: number): string;
}

const pointsInEnglish = (points: string) => countEnglish(points, 'point');

const ENGLISH: Wording = {
  heading: 'These differed when we compared:',
  name({ order, event, lineNo }) {
    const names = [order && `order ${order}`, event && `event ${event}`].filter(Boolean);
    const name = names.length > 0 ? names.join(', ') : `line ${lineNo ?? ''}`.trimEnd();
    return name.charAt(0).toUpperCase() + name.slice(1);
  },
  differs: {
    points_mismatch: ({ listed, recorded }) => `${pointsInEnglish(listed)} in your list, ${pointsInEnglish(recorded)} with us.`,
    missing_in_service: ({ listed }) =>
      `${pointsInEnglish(listed)} in your list, no confirmed contribution with us. Look it up, then send the original confirmation again under its key; do not restore points.`,
    missing_in_partner_file: ({ recorded }) => `${pointsInEnglish(recorded)} with us, not in your list.`,
    order_ref_mismatch: ({ otherOrder }) => `the order with us is ${otherOrder}.`,
    duplicate_in_file: () => 'more than once in your list.',
    other_settlement: () => 'not of this settlement.',
    malformed: () => 'this line of your list could not be read.',
    matched: () => 'no difference.',
  },
  more: (count) => `And ${formatWhole(String(count))} more.`,
};

const pointsInArabic = (points: string) => countArabic(points, ['نقطة واحدة', 'نقطتان', 'نقاط', 'نقطة', 'نقطة']);

const ARABIC: Wording = {
  heading: 'ما اختلف عند المقارنة:',
  name({ order, event, lineNo }) {
    const names = [order && `الطلب ${order}`, event && `الحدث ${event}`].filter(Boolean);
    return names.length > 0 ? names.join('، ') : `السطر ${lineNo ?? ''}`.trimEnd();
  },
  differs: {
    points_mismatch: ({ listed, recorded }) => `في قائمتكم ${pointsInArabic(listed)}، ولدينا ${pointsInArabic(recorded)}.`,
    missing_in_service: ({ listed }) =>
      `في قائمتكم ${pointsInArabic(listed)}، ولا مساهمة مؤكَّدة لدينا. استعلموا عنه ثم أعيدوا إرسال التأكيد الأصلي بمفتاحه، ولا تردّوا النقاط.`,
    missing_in_partner_file: ({ recorded }) => `لدينا ${pointsInArabic(recorded)}، وليس في قائمتكم.`,
    order_ref_mismatch: ({ otherOrder }) => `الطلب لدينا هو ${otherOrder}.`,
    duplicate_in_file: () => 'ورد في قائمتكم أكثر من مرة.',
    other_settlement: () => 'ليس من هذه التسوية.',
    malformed: () => 'تعذّرت قراءة هذا السطر من قائمتكم.',
    matched: () => 'لا فرق.',
  },
  more: (count) => `وغير ذلك: ${formatWhole(String(count))}.`,
};
