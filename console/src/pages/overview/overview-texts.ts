import { isolate } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import { formatWhole } from '../../format/points.ts';
import type { Texts } from '../../texts/text.ts';

export const OVERVIEW = {
  title: ['Overview', 'نظرة عامة'],
  asOf: ['As of', 'حتى'],
  addingUp: ['The latest contributions are still being added up', 'ما زالت أحدث المساهمات تُضاف إلى المجاميع'],
  waiting: ['What waits', 'ما ينتظر'],
  reviews: ['Reviews', 'المراجعات'],
  nextExpiry: ['next expires', 'تنتهي أقربها'],
  adjustmentsToApprove: ['Adjustments to approve', 'تعديلات بانتظار الاعتماد'],
  adjustmentsToPost: ['Adjustments to post', 'تعديلات بانتظار الترحيل'],
  failuresToApprove: ['Failures to approve', 'إخفاقات بانتظار الاعتماد'],
  batchesToVerify: ['Batches to verify', 'دفعات بانتظار التحقّق'],
  disputes: ['Disputed settlements', 'تسويات معترَض عليها'],
  answered: [
    (count: string) => `${formatWhole(count)} answered`,
    (count: string) => `منها ما رُدّ عليه: ${isolate(formatWhole(count))}`,
  ],
  unacknowledged: ["Waiting for the partner's answer", 'تسويات بانتظار رد الشريك'],
  webhooks: ['Webhooks', 'الإشعارات'],
  disabled: ['Disabled endpoints', 'نقاط استقبال معطَّلة'],
  failing: ['Failing endpoints', 'نقاط استقبال متعثّرة'],
  deliveriesWaiting: ['Deliveries waiting', 'عمليات تسليم منتظِرة'],
  oldest: ['oldest', 'أقدمها'],
  exhausted: ['Exhausted deliveries', 'عمليات تسليم استُنفدت محاولاتها'],
  jobs: ['Jobs', 'المهام المجدولة'],
  job: ['Job', 'المهمة'],
  lastSuccess: ['Last success', 'آخر نجاح'],
  nextRun: ['Next run', 'التشغيل التالي'],
  never: ['Not yet', 'لم تنجح بعد'],
  noJob: ['No job has run yet', 'لم تُشغَّل أي مهمة بعد'],
  held: ['their events are held', 'إشعاراتها محجوزة'],
  nothingWaits: ['nothing waits', 'لا شيء ينتظر'],
  monthBefore: ['Previous month', 'الشهر السابق'],
  monthAfter: ['Next month', 'الشهر التالي'],
  days: ['Confirmed points of each day of', 'النقاط المؤكَّدة لكل يوم من'],
  pointsOfDays: ['Points of each day', 'نقاط كل يوم'],
  day: ['Day', 'اليوم'],
  highest: [
    (day: string, points: string) => `Highest bar: ${day}, ${countEnglish(points, 'point')}`,
    (day: string, points: string) =>
      `أعلى عمود: ${day}، ${countArabic(points, ['نقطة واحدة', 'نقطتان', 'نقاط', 'نقطة', 'نقطة'])}`,
  ],
  confirmedPoints: ['Confirmed points', 'النقاط المؤكَّدة'],
  /** The amounts of confirmed points alone. */
  beforeAdjustments: ['confirmed, before adjustments', 'مؤكَّدة، قبل التعديلات'],
  amountConfirmed: ['Amount before adjustments', 'المبلغ قبل التعديلات'],
  confirmed: ['Confirmed', 'مؤكَّدة'],
  failed: ['Failed', 'فشلت'],
  closes: ['Period ends', 'تنتهي الفترة'],
  partners: ['Partners', 'الشركاء'],
  noPartner: ['There is no partner yet', 'لا شريك بعد'],
  state: ['State', 'الحالة'],
} as const satisfies Texts;
