/** Words that many pages use. */
import { countArabic, countEnglish } from '../format/plural.ts';
import type { Texts } from './text.ts';

export const COMMON = {
  product: ['Partner Impact', 'Partner Impact'],
  cancel: ['Cancel', 'إلغاء'],
  close: ['Close', 'إغلاق'],
  save: ['Save', 'حفظ'],
  retry: ['Try again', 'إعادة المحاولة'],
  back: ['Back', 'رجوع'],
  copy: ['Copy', 'نسخ'],
  copied: ['Copied', 'نُسخ'],
  all: ['All', 'الكل'],
  none: ['None', 'لا يوجد'],
  more: ['Show more', 'عرض المزيد'],
  loading: ['Loading', 'جارٍ التحميل'],
  reason: ['Reason', 'السبب'],
  reasonHelp: ['Kept in the audit, and shown to whoever asks later.', 'يُحفظ في سجل التدقيق ويظهر لمن يسأل لاحقًا.'],
  exportCsv: ['Export CSV', 'تصدير CSV'],
  clearFilters: ['Clear filters', 'مسح عوامل التصفية'],
  partner: ['Partner', 'الشريك'],
  points: ['Points', 'النقاط'],
  amount: ['Amount', 'المبلغ'],
  status: ['Status', 'الحالة'],
  contribution: ['Contribution', 'المساهمة'],
  order: ['Order', 'الطلب'],
  received: ['Received', 'وقت الاستلام'],
  created: ['Created', 'وقت الإنشاء'],
  expires: ['Expires', 'ينتهي'],
  by: ['By', 'بواسطة'],
  correlationId: ['Correlation id', 'معرّف الارتباط'],
  noAnswer: [
    'The service did not answer. Check that it runs and that this machine reaches it, then try again.',
    'لم تُجب الخدمة. تأكّد من أنها تعمل وأن هذا الجهاز يصل إليها، ثم أعد المحاولة.',
  ],
  noAnswerToChange: [
    'The service did not answer, so the change may have been made. Look at the record before you repeat it.',
    'لم تُجب الخدمة، وقد يكون التغيير قد تم. راجع السجل قبل أن تكرره.',
  ],
  notPermitted: ['Your role does not allow this', 'دورك لا يسمح بهذا'],
  notPermittedHelp: ['An administrator can change your role. Nothing was changed.', 'يستطيع المسؤول تغيير دورك. لم يتغيّر شيء.'],
  notFound: ['Nothing is recorded here', 'لا شيء مسجَّل هنا'],
  notFoundHelp: [
    'The address names something that this service does not have. Search for it by its id, order or key.',
    'يشير العنوان إلى ما لا تملكه هذه الخدمة. ابحث عنه بمعرّفه أو برقم الطلب أو بالمفتاح.',
  ],
  failedToLoad: ['This could not be read', 'تعذّرت قراءة هذا'],
  somethingBroke: ['The page has a defect', 'في الصفحة خلل'],
  pointsOf: [
    (count: string) => countEnglish(count, 'point'),
    (count: string) => countArabic(count, ['نقطة واحدة', 'نقطتان', 'نقاط', 'نقطة', 'نقطة']),
  ],
} as const satisfies Texts;
