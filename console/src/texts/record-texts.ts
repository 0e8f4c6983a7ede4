/** The words of records: states, reasons, and what happened. */
import { countArabic, countEnglish } from '../format/plural.ts';
import type { Texts } from './text.ts';

export const STATUS = {
  confirmed: ['Confirmed', 'مؤكَّدة'],
  pending: ['Pending', 'قيد المعالجة'],
  not_answered: ['Not answered yet', 'بانتظار رد الشريك'],
  failed: ['Failed', 'فشلت'],
  active: ['Active', 'نشط'],
  suspended: ['Suspended', 'موقوف'],
  not_decided: ['Not decided', 'لم يُبتّ فيها'],
  draft: ['Waits for approval', 'بانتظار الاعتماد'],
  drafted: ['Waits for approval', 'بانتظار الاعتماد'],
  approved: ['Approved', 'معتمَد'],
  posted: ['Posted', 'مُرحَّل'],
  rejected: ['Rejected', 'مرفوض'],
  disabled: ['Disabled', 'معطَّل'],
  waiting: ['Waiting', 'تنتظر'],
  held: ['Held', 'محجوزة'],
  delivered: ['Delivered', 'سُلّمت'],
  exhausted: ['Exhausted', 'استُنفدت المحاولات'],
  dropped: ['Dropped', 'أُسقطت'],
  open: ['Open', 'مفتوحة'],
  closed: ['Closed', 'مُقفلة'],
  accepted: ['Accepted', 'مقبولة'],
  disputed: ['Disputed', 'معترَض عليها'],
  dispute_answered: ['Disputed, answered', 'معترَض عليها، ورُدّ على الاعتراض'],
  receiving: ['Arriving', 'قيد الاستلام'],
  comparing: ['Comparing', 'قيد المقارنة'],
  done: ['Compared', 'اكتملت المقارنة'],
} as const satisfies Texts;

/** Of an endpoint, which is feminine in Arabic. */
export const ENDPOINT_STATUS = {
  active: ['Active', 'نشطة'],
  disabled: ['Disabled', 'معطَّلة'],
  removed: ['Removed', 'مُزالة'],
} as const satisfies Texts;

export const VERDICT = {
  points_mismatch: ['Different points', 'نقاط مختلفة'],
  missing_in_service: ['Not confirmed', 'غير مؤكَّدة لدى الخدمة'],
  missing_in_partner_file: ['Not in the file', 'غير موجودة في الملف'],
  order_ref_mismatch: ['Different order', 'طلب مختلف'],
  duplicate_in_file: ['More than once in the file', 'مكرّرة في الملف'],
  other_settlement: ['In another settlement, or none yet', 'في تسوية أخرى أو بلا تسوية بعد'],
  malformed: ['Not readable', 'غير مقروءة'],
  matched: ['Matched', 'متطابقة'],
} as const satisfies Texts;

export const REVIEW_REASON = {
  reviews_everything: ['Every contribution is reviewed', 'تُراجَع كل مساهمة'],
  review_threshold: ['At or above the review threshold', 'عند حدّ المراجعة أو فوقه'],
  daily_points_cap: ['Daily cap on points', 'الحدّ اليومي للنقاط'],
  daily_count_cap: ['Daily cap on contributions', 'الحدّ اليومي لعدد المساهمات'],
  sandbox_scenario: ['Rehearsed in the sandbox', 'محاكاة في البيئة التجريبية'],
} as const satisfies Texts;

export const ADJUSTMENT_REASON = {
  duplicate_report: ['Reported twice', 'إبلاغ مكرّر'],
  partner_reporting_error: ['Reporting error of the partner', 'خطأ في إبلاغ الشريك'],
  operator_error: ['Error of an operator', 'خطأ من المشغّل'],
  conversion_restatement: ['Restated point conversion', 'تصحيح تحويل النقاط'],
  tree_cost_restatement: ['Restated tree cost', 'تصحيح تكلفة الشجرة'],
  compliance: ['Compliance', 'الامتثال'],
  other: ['Other', 'سبب آخر'],
} as const satisfies Texts;

export const HAPPENED = {
  recorded: ['Recorded', 'سُجّلت المساهمة'],
  review_opened: ['Review opened', 'بدأت المراجعة'],
  review_resolved: ['Review decided', 'بُتّ في المراجعة'],
  confirmed: ['Confirmed for good', 'تأكّدت نهائيًا'],
  failed: ['Failed for good', 'فشلت نهائيًا'],
  associated: ['Linked to an estimate', 'رُبطت بتقدير'],
  event: ['Event published', 'نُشر إشعار'],
  delivery_attempt: ['Delivery attempted', 'محاولة تسليم'],
  settled: ['Settlement closed', 'أُقفلت التسوية'],
  pooled: ['Added to an impact batch', 'أُضيفت إلى دفعة أثر'],
  batch_changed: ['Impact batch changed', 'تغيّرت دفعة الأثر'],
  adjustment_drafted: ['Adjustment drafted', 'أُعدّت مسودة تعديل'],
  adjustment_approved: ['Adjustment approved', 'اعتُمد التعديل'],
  adjustment_rejected: ['Adjustment rejected', 'رُفض التعديل'],
  adjustment_posted: ['Adjustment posted', 'رُحّل التعديل'],
  audited: ['Change by an operator', 'تغيير أجراه مشغّل'],
} as const satisfies Texts;

/** Why an attempt has no answer: the names of `error_class`. */
export const NO_ANSWER = {
  timeout: ['no answer in time', 'لم يصل رد في الوقت المحدد'],
  connect: ['the connection was refused', 'رُفض الاتصال'],
  reset: ['the connection was reset', 'انقطع الاتصال'],
  name: ['its name does not resolve to an address', 'لا عنوان يقابل اسم المضيف'],
  name_server: ['no name server could say what address its name has', 'لم يتمكن أي خادم أسماء من تحديد عنوان اسم المضيف'],
  tls: ['no TLS connection', 'تعذّر اتصال TLS'],
  tls_expired: ['its certificate has expired, or is not valid yet', 'شهادته منتهية الصلاحية أو لم تبدأ صلاحيتها'],
  tls_name: ['its certificate is for another name', 'شهادته لاسم آخر'],
  tls_untrusted: [
    'its certificate is of no known authority, or its chain is not whole',
    'شهادته صادرة عن جهة غير معروفة، أو سلسلتها ناقصة',
  ],
  address_refused: [
    'its address is not allowed, or its name has more than 64 addresses',
    'عنوانه غير مسموح به، أو لاسمه أكثر من 64 عنوانًا',
  ],
  protocol: ['its answer is not HTTP', 'الرد ليس HTTP'],
  endless: ['its answer did not end', 'لم ينتهِ الرد'],
  other: ['no answer', 'بلا رد'],
} as const satisfies Texts;

export const FACT = {
  reason: ['Reason', 'السبب'],
  reason_ar: ['Reason', 'السبب'],
  contribution_rule_version: ['Contribution rule', 'قاعدة المساهمة'],
  point_conversion_version: ['Value of a point (version)', 'قيمة النقطة (الإصدار)'],
  tree_cost_version: ['Cost of a tree (version)', 'تكلفة الشجرة (الإصدار)'],
  idempotency_key: ['Idempotency key', 'مفتاح عدم التكرار'],
  calculation_id: ['Estimate in the request', 'التقدير الوارد مع التأكيد'],
  association: ['Link to an estimate', 'الربط بتقدير'],
  rejection_code: ['Why it was not linked', 'سبب عدم الربط'],
  event_type: ['Event type', 'نوع الإشعار'],
  sequence: ['Sequence at the partner', 'التسلسل لدى الشريك'],
  endpoint_id: ['Endpoint', 'نقطة الاستقبال'],
  attempt: ['Attempt', 'المحاولة'],
  milliseconds: ['Milliseconds', 'ملّي ثانية'],
  status: ['Answer', 'الرد'],
  error_class: ['Error', 'الخطأ'],
  points_delta: ['Change of points', 'تغيّر النقاط'],
  amount_delta: ['Change of the amount', 'تغيّر المبلغ'],
  reason_code: ['Reason code', 'رمز السبب'],
  settlement_id: ['Settlement', 'التسوية'],
  period_label: ['Period', 'الفترة'],
  action: ['Action', 'الإجراء'],
  change: ['Change', 'التغيير'],
  environmental_status: ['Status of the batch', 'حالة الدفعة'],
} as const satisfies Texts;

export const COUNTED = {
  contributions: [
    (count: string) => countEnglish(count, 'contribution'),
    (count: string) => countArabic(count, ['مساهمة واحدة', 'مساهمتان', 'مساهمات', 'مساهمة', 'مساهمة']),
  ],
  points: [
    (count: string) => countEnglish(count, 'point'),
    (count: string) => countArabic(count, ['نقطة واحدة', 'نقطتان', 'نقاط', 'نقطة', 'نقطة']),
  ],
} as const satisfies Texts;
