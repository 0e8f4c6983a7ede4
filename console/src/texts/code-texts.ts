/** Words for codes that the service writes into records. A test compares each table with what the service may write. */
import type { Texts } from './text.ts';

export const ASSOCIATION = {
  not_requested: ['No estimate was named', 'لم يُذكر تقدير'],
  associated: ['Linked', 'تم الربط'],
  rejected: ['Not linked', 'لم يتم الربط'],
} as const satisfies Texts;

/** Why an estimate was not linked to a contribution. */
export const REJECTION = {
  contribution_pending: ['The contribution is still pending', 'المساهمة ما زالت قيد المعالجة'],
  estimate_not_found: ['There is no such estimate', 'لا يوجد هذا التقدير'],
  association_conflict: ['One of the two already has a link', 'أحدهما مرتبط من قبل'],
  estimate_expired: ['The estimate had expired', 'كانت صلاحية التقدير قد انتهت'],
  calculation_mismatch: ['The estimate is for another order', 'التقدير يخص رقم طلب آخر'],
} as const satisfies Texts;

export const EVENT_TYPE = {
  'impact.transaction.confirmed': ['Contribution confirmed', 'تأكّدت المساهمة'],
  'impact.transaction.adjusted': ['Contribution updated', 'حُدّثت المساهمة'],
  'settlement.created': ['Settlement opened', 'فُتحت التسوية'],
  'settlement.closed': ['Settlement closed', 'أُقفلت التسوية'],
  'environmental.status.updated': ['Environmental status changed', 'تغيّرت الحالة البيئية'],
  'webhook.endpoint.verification': ['Challenge of a new endpoint', 'تحدٍّ لنقطة استقبال جديدة'],
  'webhook.endpoint.test': ['Test', 'اختبار'],
} as const satisfies Texts;

export const JOB_NAME = {
  'close-settlements': ['Close settlements', 'إقفال التسويات'],
  'expire-pending': ['Fail undecided contributions', 'تسجيل فشل المساهمات التي لم يُبتّ فيها'],
  'remove-old-events': ['Remove old events', 'إزالة الإشعارات القديمة'],
  'remove-reconciliations': ['Remove compared lists', 'إزالة القوائم التي طُوبقت'],
  'remove-shown-secrets': ['Remove shown secrets', 'إزالة الأسرار التي عُرضت'],
  'seal-contributions': ['Seal contributions', 'ختم المساهمات'],
  'report-break-glass': ['Report emergency commands', 'الإبلاغ عن أوامر الطوارئ'],
  verify: ['Verify all records', 'التحقّق من جميع السجلات'],
  'prune-job-runs': ['Remove old runs', 'إزالة مرات التشغيل القديمة'],
} as const satisfies Texts;

export const RECORD_KIND = {
  settlement: ['Settlement', 'تسوية'],
  adjustment: ['Adjustment', 'تعديل'],
  endpoint: ['Endpoint', 'نقطة استقبال'],
  delivery: ['Delivery', 'عملية تسليم'],
  event: ['Event', 'إشعار'],
  estimate: ['Estimate', 'تقدير'],
  reconciliation: ['Reconciliation', 'مطابقة'],
  failure: ['Failure', 'إخفاق'],
  impact_batch: ['Impact batch', 'دفعة أثر'],
  project: ['Project', 'مشروع'],
  operator: ['Operator', 'مشغّل'],
} as const satisfies Texts;

/** What a search finds. */
export const FOUND = {
  ...RECORD_KIND,
  contribution: ['Contribution', 'مساهمة'],
  partner: ['Partner', 'شريك'],
  more: [
    'There may be more: type more of it, or go to the list of contributions and choose the partner',
    'قد يوجد المزيد: اكتب مزيدًا منه، أو انتقل إلى قائمة المساهمات واختر الشريك',
  ],
} as const satisfies Texts;

/** Who acts without being a person. */
export const ACCOUNT_NAME = {
  dispatcher: ['The service, after attempts to deliver', 'الخدمة بعد محاولات التسليم'],
  schedule: ['The schedule of the service', 'الجدولة التلقائية في الخدمة'],
  sandbox: ['The sandbox', 'البيئة التجريبية'],
  owner: ['The owner account', 'حساب المالك'],
} as const satisfies Texts;
