import type { Texts } from '../../texts/text.ts';

export const CONTRIBUTION = {
  title: ['Contributions', 'المساهمات'],
  help: [
    'The contributions of a partner. To find one by its order, event id or key, press / and paste it.',
    'مساهمات الشريك. للعثور على مساهمة برقم طلبها أو معرّف حدثها أو مفتاحها اضغط / والصقه.',
  ],
  choose: ['Which partner?', 'أي شريك؟'],
  chooseHelp: [
    'Choose a partner above, or press / and search over all partners.',
    'اختر شريكًا أعلاه، أو اضغط / وابحث لدى جميع الشركاء.',
  ],
  nothing: ['No contribution fits these filters', 'لا مساهمة تطابق عوامل التصفية'],
  partnerEvent: ["Partner's event id", 'معرّف الحدث لدى الشريك'],
  transaction: ['Transaction', 'المعاملة'],
  customer: ['Opaque customer reference', 'مرجع العميل المبهم'],
  recordedAt: ['Recorded', 'سُجّلت'],
  confirmedAt: ['Confirmed', 'تأكّدت'],
  failedAt: ['Failed', 'فشلت'],
  timeline: ['What happened', 'ما الذي حدث'],
  facts: ['Contribution', 'المساهمة'],
  supports: ['What the customer reads', 'ما يقرؤه العميل'],
  byOperators: ['Recorded by two operators', 'سجّلها مشغّلان'],
  openReview: ['Open the review', 'فتح المراجعة'],
} as const satisfies Texts;
