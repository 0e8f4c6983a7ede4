import { isolate } from '../../format/isolate.ts';
import type { Language } from '../../texts/text.ts';
import type { ReconciliationLine } from './verdicts.ts';

/** In one piece: neither a space nor the hyphen of a range ends a line. */
const CHARACTERS = isolate('A\u2011Z a\u2011z 0\u20119 . _ : -'.replaceAll(' ', '\u00a0'));
const REFERENCE = (least: string) => `نصًّا من ${least} إلى 128 حرفًا من ${CHARACTERS}`;
/** The most points that there can be are no help to whoever typed a few. */
const BOUND = / from (-?\d+) to 9223372036854775807/;

const FORMS: Readonly<Record<string, string>> = {
  partner_event_id: REFERENCE('8'),
  partner_order_ref: REFERENCE('1'),
  adjustment_id: REFERENCE('8'),
  original_settlement_id: REFERENCE('8'),
  line_type: `إحدى القيم ${isolate('contribution')} أو ${isolate('adjustment')} أو ${isolate('carried_forward')}`,
};
/** The form of points in Arabic, by the type of the line; a line of the partner's own list has no type. */
const POINTS_FORMS: Readonly<Record<NonNullable<ReconciliationLine['line_type']> | 'own', string>> = {
  own: 'عددًا صحيحًا، 0 أو أكثر',
  contribution: 'عددًا صحيحًا، 1 أو أكثر',
  adjustment: 'عددًا صحيحًا',
  carried_forward: 'عددًا صحيحًا، صفرًا أو سالبًا',
};

/** What is said of points that are written in a certain form. */
const POINTS_WRITTEN: Readonly<Record<string, (points: string) => string>> = {
  too_large: (points) => `يجب ألا يزيد ${points} على 9223372036854775807.`,
  not_whole: (points) => `يجب أن يكون ${points} عددًا صحيحًا دون كسور عشرية.`,
  other_digits: (points) => `يجب أن يُكتب ${points} بالأرقام من 0 إلى 9.`,
  separators: (points) => `يجب أن يُكتب ${points} دون فواصل الآلاف.`,
  wrong_type: (points) => `يجب أن يكون ${points} رقمًا في JSON، دون علامتي اقتباس.`,
};

type Why = Pick<ReconciliationLine, 'line_type' | 'details'>;

export interface Unreadable {
  readonly field: string;
  /** A sentence, with the field in it. */
  readonly reason: string;
}

/** Why a line could not be read, in a sentence for each field. The service writes English; the Arabic here says the same of the codes. */
export function whyUnreadable(line: Why, language: Language): Unreadable[] {
  return line.details.map((detail) => ({
    field: detail.field,
    reason: language === 'ar' ? inArabic(detail, line) : detail.message.replace(BOUND, inWords),
  }));
}

const inWords = (_bound: string, least: string) => (least.startsWith('-') ? '' : `, ${least} or more`);

function inArabic({ field, code, message }: Why['details'][number], { line_type }: Why): string {
  if (code === 'unreadable') return 'يجب أن يكون العنصر كائن JSON سليمًا بلا حقول مكررة.';
  if (code === 'too_many_values') return 'في السطر قيم أكثر من أعمدة صف العناوين. ضَع القيمة التي فيها فاصلة بين علامتي اقتباس.';
  if (code === 'missing') return `الحقل ${isolate(field)} ناقص.`;
  const written = field === 'points' ? POINTS_WRITTEN[code] : undefined;
  if (written) return written(isolate(field));
  const form = field === 'points' ? POINTS_FORMS[line_type ?? 'own'] : FORMS[field];
  return code === 'wrong_form' && form ? `يجب أن يكون ${isolate(field)} ${form}.` : message;
}
