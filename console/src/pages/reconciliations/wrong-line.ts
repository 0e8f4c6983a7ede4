import { isolate } from '../../format/isolate.ts';
import { formatWhole } from '../../format/points.ts';
import type { Language } from '../../texts/text.ts';
import type { ReconciliationLine } from './verdicts.ts';

/** In one piece: neither a space nor the hyphen of a range ends a line. */
const CHARACTERS = isolate('A\u2011Z a\u2011z 0\u20119 . _ : -'.replaceAll(' ', '\u00a0'));
const REFERENCE = (least: string) => `نصًّا من ${least} إلى 128 حرفًا من ${CHARACTERS}`;
const MOST = '9223372036854775807';
const MOST_SHOWN = formatWhole(MOST);

const FORMS: Readonly<Record<string, string>> = {
  partner_event_id: REFERENCE('8'),
  partner_order_ref: REFERENCE('1'),
  adjustment_id: REFERENCE('8'),
  original_settlement_id: REFERENCE('8'),
  line_type: `إحدى القيم ${isolate('contribution')} أو ${isolate('adjustment')} أو ${isolate('carried_forward')}`,
};
/** By the type of the line; a line of a list of the partner's own has none. */
const POINTS_FORMS: Readonly<Record<NonNullable<ReconciliationLine['line_type']> | 'own', string>> = {
  own: `عددًا صحيحًا من 0 إلى ${MOST_SHOWN}`,
  contribution: `عددًا صحيحًا من 1 إلى ${MOST_SHOWN}`,
  adjustment: `عددًا صحيحًا من ${isolate(`-${MOST_SHOWN}`)} إلى ${MOST_SHOWN}`,
  carried_forward: 'عددًا صحيحًا، صفرًا أو سالبًا',
};

type Why = Pick<ReconciliationLine, 'line_type' | 'details'>;

/** Why a line could not be read. The service writes English; the Arabic here says the same of the codes. */
export function whyUnreadable(line: Why, language: Language): string {
  return line.details
    .map((detail) => (language === 'ar' ? inArabic(detail, line) : detail.message.replaceAll(MOST, MOST_SHOWN)))
    .join(' ');
}

function inArabic({ field, code, message }: Why['details'][number], { line_type }: Why): string {
  if (code === 'unreadable') return 'يجب أن يكون العنصر كائن JSON سليمًا بلا أعضاء مكررة.';
  if (code === 'missing') return `الحقل ${isolate(field)} ناقص.`;
  const form = field === 'points' ? POINTS_FORMS[line_type ?? 'own'] : FORMS[field];
  return code === 'wrong_form' && form ? `يجب أن يكون ${isolate(field)} ${form}.` : message;
}
