import { isolate } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import type { Texts } from '../../texts/text.ts';

export const CONTRIBUTION = {
  title: ['Contributions', 'المساهمات'],
  help: [
    'Find one by what the partner sent of it, or choose a partner to see and export all of its contributions.',
    'ابحث عن مساهمة بما أرسله الشريك عنها، أو اختر شريكًا لعرض كل مساهماته وتصديرها.',
  ],
  inHand: ['Order, event id, contribution id or key', 'رقم الطلب أو معرّف الحدث أو معرّف المساهمة أو المفتاح'],
  beginning: ['The beginning is enough', 'تكفي البداية'],
  whole: ['Whole, not a part of it', 'كاملًا لا جزءًا منه'],
  latest: ['The latest of all partners, 50 at most.', 'أحدث المساهمات لدى جميع الشركاء، 50 على الأكثر.'],
  namedAnywhere: [
    'Of all partners, what begins so, 20 at most. Choose a partner where more have the same order, or for a correlation id that the partner chose.',
    'لدى جميع الشركاء ما يبدأ بذلك، 20 على الأكثر. اختر شريكًا إذا تكرر رقم الطلب لدى أكثر من ذلك، أو لمعرّف ارتباط اختاره الشريك.',
  ],
  namedAlone: [
    'Of all partners, what begins so. The correlation id is left out: choose a partner to look for both.',
    'لدى جميع الشركاء ما يبدأ بذلك، دون النظر إلى معرّف الارتباط. اختر شريكًا للبحث بالاثنين معًا.',
  ],
  nothing: ['No contribution fits these filters', 'لا مساهمة تطابق عوامل التصفية'],
  nothingYet: ['There is no contribution yet', 'لا توجد مساهمات بعد'],
  nothingYetHelp: [
    'One appears when a partner confirms it. The set-up of a partner leads to the first.',
    'تظهر المساهمة حين يؤكدها شريك. وتقود تهيئة الشريك إلى الأولى.',
  ],
  partnerEvent: ["Partner's event id", 'معرّف الحدث لدى الشريك'],
  transaction: ['Contribution id', 'معرّف المساهمة'],
  customer: ['Opaque customer reference', 'مرجع العميل لدى الشريك'],
  confirmedAt: ['Confirmed', 'تأكّدت'],
  failedAt: ['Failed', 'فشلت'],
  timeline: ['What happened', 'ما الذي حدث'],
  facts: ['Contribution', 'المساهمة'],
  batchStep: [(what: string) => `Impact batch: ${what}`, (what: string) => `دفعة الأثر: ${what}`],
  settledIn: [(period: string) => `Settlement ${isolate(period)} closed`, (period: string) => `أُقفلت التسوية ${isolate(period)}`],
  postedIn: [
    (period: string) => `Adjustment posted in the settlement ${isolate(period)}`,
    (period: string) => `رُحّل التعديل في التسوية ${isolate(period)}`,
  ],
  confirmedByReview: ['Confirmed for good by review', 'تأكّدت نهائيًا بالمراجعة'],
  failedByReview: ['Failed for good by review', 'فشلت نهائيًا بالمراجعة'],
  failedUndecided: ['Failed for good: no operator decided in time', 'فشلت نهائيًا: لم يُبتّ فيها في الموعد'],
  published: [(event: string) => `Event published: ${event}`, (event: string) => `نُشر إشعار: ${event}`],
  attempted: [(event: string) => `Delivery attempted: ${event}`, (event: string) => `محاولة تسليم: ${event}`],
  sentNowhere: [
    'When it occurred, no endpoint of the partner got events of this type',
    'عند وقوعه لم تكن للشريك نقطة استقبال تتسلّم إشعارات من هذا النوع',
  ],
  eventsRemoved: [
    (days: number) =>
      `Events are removed after ${countEnglish(days, 'day')}, with the attempts to deliver them: those of before are not shown here.`,
    (days: number) =>
      `تُزال الإشعارات ومحاولات تسليمها بعد ${countArabic(days, ['يوم واحد', 'يومين', 'أيام', 'يومًا', 'يوم'])}، فلا يظهر هنا ما سبق ذلك.`,
  ],
  earlierChanges: [
    (count: number) => `${countEnglish(count, 'earlier change')} of the batch`,
    (count: number) => `ما سبق من تغييرات الدفعة: ${countArabic(count, ['تغيير واحد', 'تغييران', 'تغييرات', 'تغييرًا', 'تغيير'])}`,
  ],
  worth: ['Value of these points', 'قيمة هذه النقاط'],
  net: ['Points with adjustments', 'النقاط بعد التعديلات'],
  netWorth: ['Value with adjustments', 'القيمة بعد التعديلات'],
  supports: ['Text for the customer at confirmation', 'نص التأكيد المقدَّم للعميل'],
  byOperators: ['Recorded by two operators', 'سجّلها مشغّلان'],
} as const satisfies Texts;
