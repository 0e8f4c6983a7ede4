import { countArabic, countEnglish } from '../../format/plural.ts';
import { COUNTED } from '../../texts/record-texts.ts';
import type { Texts } from '../../texts/text.ts';

/** As they stand after a verbal noun or a preposition. */
const CONTRIBUTIONS = ['مساهمة واحدة', 'مساهمتين', 'مساهمات', 'مساهمة', 'مساهمة'] as const;
const POINTS = ['نقطة واحدة', 'نقطتان', 'نقاط', 'نقطة', 'نقطة'] as const;

export const REVIEW = {
  title: ['Reviews', 'المراجعات'],
  help: [
    'Pending contributions. What no operator decides fails by itself when it expires.',
    'مساهمات تنتظر قرارًا. ما لا يُبتّ فيه يفشل تلقائيًا عند انتهاء مهلته.',
  ],
  nothing: ['No review waits', 'لا مراجعة تنتظر'],
  nothingHelp: ['Every contribution that fits these filters is decided.', 'بُتّ في كل مساهمة تطابق عوامل التصفية.'],
  nothingHelpOfAll: ['Every contribution is decided.', 'بُتّ في كل المساهمات.'],
  reason: ['Why it is reviewed', 'سبب المراجعة'],
  age: ['Waiting for', 'مدة الانتظار'],
  hours: [
    (hours: number) => `More than ${countEnglish(hours, 'hour')}`,
    (hours: number) => `أكثر من ${countArabic(hours, ['ساعة', 'ساعتين', 'ساعات', 'ساعة', 'ساعة'])}`,
  ],
  choose: ['Choose', 'اختيار'],
  confirm: ['Confirm', 'تأكيد'],
  fail: ['Fail', 'تسجيل الفشل'],
  chosen: [
    (count: number, points: string) => `${countEnglish(count, 'contribution')} chosen, ${countEnglish(points, 'point')}`,
    (count: number, points: string) => `المحدّد: ${COUNTED.contributions[1](String(count))}، ${countArabic(points, POINTS)}`,
  ],
  noneChosen: ['No contribution is chosen', 'لم تُحدَّد أي مساهمة'],
  confirmTitle: [
    (count: number) => `Confirm ${countEnglish(count, 'contribution')}`,
    (count: number) => `تأكيد ${countArabic(count, CONTRIBUTIONS)}`,
  ],
  failTitle: [
    (count: number) => `Fail ${countEnglish(count, 'contribution')}`,
    (count: number) => `تسجيل فشل ${countArabic(count, CONTRIBUTIONS)}`,
  ],
  confirmConsequence: [
    (points: string, partners: number) =>
      `${countEnglish(points, 'point')} of ${countEnglish(partners, 'partner')} ${points === '1' ? 'becomes confirmed, counts' : 'become confirmed, count'} in the settlement, and cannot be refunded. The partner is told by an event. This is final.`,
    (points: string, partners: number) =>
      `النقاط: ${countArabic(points, POINTS)}، لدى ${countArabic(partners, ['شريك واحد', 'شريكين', 'شركاء', 'شريكًا', 'شريك'])}. تُحتسب في التسوية ولا تُستردّ، ويُبلَّغ الشريك بإشعار. هذا القرار نهائي.`,
  ],
  failConsequence: [
    (points: string, partners: number) =>
      `${countEnglish(points, 'point')} of ${countEnglish(partners, 'partner')} ${points === '1' ? 'counts' : 'count'} nowhere. The partner is told by an event, and may give the points back to the customer. This is final.`,
    (points: string, partners: number) =>
      `النقاط: ${countArabic(points, POINTS)}، لدى ${countArabic(partners, ['شريك واحد', 'شريكين', 'شركاء', 'شريكًا', 'شريك'])}. لا تُحتسب في أي تسوية، ويُبلَّغ الشريك بإشعار وله أن يعيد النقاط إلى العميل. هذا القرار نهائي.`,
  ],
  confirmed: [
    (count: number) => `${countEnglish(count, 'contribution')} ${count === 1 ? 'is' : 'are'} confirmed now.`,
    (count: number) => `تم تأكيد ${countArabic(count, CONTRIBUTIONS)}.`,
  ],
  failed: [
    (count: number) => `You recorded ${countEnglish(count, 'contribution')} as failed.`,
    (count: number) => `سُجّل فشل ${countArabic(count, CONTRIBUTIONS)}.`,
  ],
  noneDecided: ['No contribution was decided.', 'لم يُبتّ في أي مساهمة.'],
  notDecidedTitle: [
    (count: number) => `${countEnglish(count, 'contribution')} ${count === 1 ? 'was' : 'were'} not decided`,
    (count: number) => `لم يُبتّ في ${countArabic(count, CONTRIBUTIONS)}`,
  ],
  notDecided: [
    'Your decision changed nothing about what stands below, and its reason is not kept.',
    'لم يغيّر قرارك شيئًا مما هو مذكور أدناه، ولم يُحفظ سببه.',
  ],
  notDecidedYet: [
    'Your decision changed nothing about what stands below. What still waits stays chosen, and can be tried again with the same reason.',
    'لم يغيّر قرارك شيئًا مما هو مذكور أدناه. ما لم يبتّ فيه أحد يبقى محددًا، ويمكن إعادة المحاولة معه بالسبب نفسه.',
  ],
  tryAgain: ['Try the rest again', 'إعادة المحاولة مع الباقي'],
  progress: [
    (done: number, of: number) => `${done} of ${of} decided`,
    (done: number, of: number) => `تم البتّ في ${done} من ${of}`,
  ],
  decidedForGood: [
    (done: number, of: number) =>
      `${done} of ${countEnglish(of, 'contribution')} ${done === 1 ? 'is' : 'are'} decided for good. The same button decides the others.`,
    (done: number, of: number) => `تم البتّ نهائيًا في ${done} من ${of}. الزر نفسه يبتّ في البقية.`,
  ],
  confirmedBefore: ['Confirmed before by', 'أكّدها قبلك'],
  failedBefore: ['Failed before by', 'سجّل فشلها قبلك'],
  detail: ['Review', 'المراجعة'],
  effect: [
    '“Confirm”: the points count in the settlement and cannot be refunded. “Fail”: they count nowhere, and the partner may give them back. Both are final, and the partner is told by an event.',
    '«تأكيد»: تُحتسب النقاط في التسوية ولا تُستردّ. «تسجيل الفشل»: لا تُحتسب في أي تسوية، وللشريك أن يعيدها إلى العميل. القراران نهائيان، ويُبلَّغ الشريك بإشعار.',
  ],
  of: [(order: string) => `Review of ${order}`, (order: string) => `مراجعة ${order}`],
  limits: ['Daily limits of the partner', 'الحدود اليومية للشريك'],
  day: [(day: string) => `Daily limits of the partner, ${day}`, (day: string) => `الحدود اليومية للشريك، ${day}`],
  noDay: ['There was none when the contribution was recorded.', 'لم يكن له أي حدّ عند تسجيل المساهمة.'],
  isCounted: ['This contribution is counted in them.', 'هذه المساهمة محسوبة ضمنها.'],
  open: ['Open the review', 'فتح المراجعة'],
  used: [
    (used: string, cap: string | undefined) => (cap === undefined ? `${used}, no cap` : `${used} of ${cap}`),
    (used: string, cap: string | undefined) => (cap === undefined ? `${used}، بلا حدّ` : `${used} من ${cap}`),
  ],
  contributions: ['Contributions', 'المساهمات'],
  history: ['Other contributions of this order', 'مساهمات أخرى للطلب نفسه'],
  timeline: ['What happened to the contribution', 'ما حدث للمساهمة'],
  viewerHelp: ['Your role lets you look. An operator decides.', 'دورك يتيح الاطّلاع، والقرار للمشغّل.'],
  decidedAt: ['Decided', 'وقت البتّ'],
  decidedBy: ['Decided by', 'بتّ فيها'],
} as const satisfies Texts;
