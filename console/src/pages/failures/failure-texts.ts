import { isolate, isolateForeign } from '../../format/isolate.ts';
import type { Texts } from '../../texts/text.ts';

export const FAILURE = {
  title: ['Failures', 'الإخفاقات'],
  help: [
    'Events that the service refused and never stored, while the customer’s points are already taken. One operator reports an event, and another decides. Approved, it has failed for good, and the partner may give the points back. Rejected, nothing is recorded, and the points stay taken.',
    'أحداث رفضتها الخدمة ولم تُخزَّن، وقد خُصمت نقاط العميل. يُبلغ مشغّل عن الحدث ويبتّ فيه آخر: إن اعتُمد البلاغ سُجّل فشل الحدث نهائيًا وجاز للشريك إعادة النقاط، وإن رُفض فلا يُسجَّل شيء وتبقى النقاط مخصومة.',
  ],
  nothing: ['No failure fits these filters', 'لا إخفاق يطابق عوامل التصفية'],
  nothingYet: ['No refused event was reported yet', 'لم يُبلَغ عن أي حدث مرفوض بعد'],
  nothingYetHelp: [
    'Report one when the partner has taken the points for an event that the service will never confirm.',
    'أبلغ عن حدث إذا خصم الشريك نقاطه ولن تؤكده الخدمة أبدًا.',
  ],
  drafted: ['Waits for approval', 'بانتظار الاعتماد'],
  approved: ['Recorded as failed', 'سُجّل فشل الحدث'],
  rejected: ['Rejected', 'مرفوض'],
  event: ['Event', 'الحدث'],
  eventAndOrder: ['Event and order', 'الحدث والطلب'],
  draftedBy: ['Drafted by', 'أعدّه'],
  approvedBy: ['Approved by', 'اعتمده'],
  rejectedBy: ['Rejected by', 'رفضه'],
  draftedAt: ['Drafted', 'أُعدّ'],
  why: ['Why it can never be confirmed', 'لماذا لا يمكن تأكيده أبدًا'],
  draft: ['Report a refused event', 'الإبلاغ عن حدث مرفوض'],
  draftConsequence: [
    'Nothing happens until another operator approves it. Look the event up first: an event that the service has stored is never recorded here.',
    'لا يحدث شيء حتى يعتمده مشغّل آخر. استعلم عن الحدث أولًا: ما خزّنته الخدمة لا يُسجَّل هنا أبدًا.',
  ],
  draftDone: [
    (name: string) => `The failure of event ${isolateForeign(name)} is drafted.`,
    (name: string) => `أُعدّت مسودة إخفاق الحدث ${isolateForeign(name)}.`,
  ],
  draftInDoubt: [
    'No answer came: the failure may have been drafted. Press the button again: if it was, it is not drafted twice. A wrong draft can be rejected in the list.',
    'لم يصل رد، وربما أُعدّت المسودة. اضغط الزر مرة أخرى: إن كانت قد أُعدّت فلن تتكرر. ويمكن رفض مسودة خاطئة من القائمة.',
  ],
  partnerEvent: ['Event id of the partner (partner_event_id)', 'معرّف الحدث لدى الشريك (partner_event_id)'],
  eventHelp: ['8 to 128 characters out of A-Z a-z 0-9 . _ : -', `من 8 إلى 128 حرفًا من ${isolate('A-Z a-z 0-9 . _ : -')}`],
  order: ['Order (partner_order_ref)', 'الطلب (partner_order_ref)'],
  points: ['Points that the partner took', 'النقاط التي خصمها الشريك'],
  pointsHelp: ['In digits, such as 250.', 'بالأرقام، مثل 250.'],
  approve: ['Approve', 'اعتماد'],
  reject: ['Reject', 'رفض'],
  ownDraft: ['Your own draft: another operator approves it.', 'من إعدادك: يعتمده مشغّل آخر.'],
  approveTitle: ['Record the event as failed', 'تسجيل فشل الحدث'],
  approveConsequence: [
    (points: string) =>
      `The event is recorded as failed, and no later confirmation can succeed. The partner may give ${points} back to the customer, once. This is final.`,
    (points: string) => `يُسجَّل فشل الحدث ولا ينجح له أي تأكيد لاحق. ويجوز للشريك إعادة ${points} إلى العميل مرة واحدة. هذا نهائي.`,
  ],
  rejectTitle: ['Reject the draft', 'رفض المسودة'],
  rejectConsequence: [
    'The event is not recorded, and the points stay taken. This is final; another draft can be made.',
    'لا يُسجَّل الحدث وتبقى النقاط مخصومة. هذا نهائي، ويمكن إعداد مسودة أخرى.',
  ],
  approveDone: [
    (name: string) => `The event ${isolateForeign(name)} is recorded as failed.`,
    (name: string) => `سُجّل فشل الحدث ${isolateForeign(name)}.`,
  ],
  rejectDone: [
    (name: string) => `The draft for event ${isolateForeign(name)} is rejected.`,
    (name: string) => `رُفضت مسودة الحدث ${isolateForeign(name)}.`,
  ],
} as const satisfies Texts;
