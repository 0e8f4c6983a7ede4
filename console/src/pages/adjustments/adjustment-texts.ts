import { isolate, isolateForeign } from '../../format/isolate.ts';
import { countEnglish } from '../../format/plural.ts';
import { formatWhole } from '../../format/points.ts';
import type { Texts } from '../../texts/text.ts';

export const ADJUSTMENT = {
  title: ['Adjustments', 'التعديلات'],
  help: [
    'Corrections of what is settled. One operator drafts, another approves; what is posted is final.',
    'تصحيحات لما تمت تسويته. يُعدّها مشغّل ويعتمدها آخر، وما رُحِّل نهائي.',
  ],
  nothing: ['No adjustment fits these filters', 'لا تعديل يطابق عوامل التصفية'],
  nothingYet: ['There is no adjustment yet', 'لا توجد تعديلات بعد'],
  nothingYetHelp: [
    'Draft one on the page of a confirmed contribution, or beside a line of a settlement.',
    'أعدّ تعديلًا من صفحة مساهمة مؤكدة أو بجانب سطر من تسوية.',
  ],
  change: ['Change of points', 'تغيّر النقاط'],
  changeOf: [(points: string) => countEnglish(points, 'point'), (points: string) => `النقاط: ${isolate(formatWhole(points))}`],
  reverses: ['Reverses the adjustment', 'يعكس التعديل'],
  reversedBy: ['Reversed by the adjustment', 'يعكسه التعديل'],
  reverse: ['Reverse', 'عكس التعديل'],
  reverseTitle: ['Reverse the adjustment', 'عكس التعديل'],
  reverseDraft: ['Draft the reversal', 'إعداد التعديل العكسي'],
  beyondWorth: ['Why the amount may exceed the worth of the points', 'لماذا يجوز أن يتجاوز المبلغ قيمة النقاط'],
  beyondWorthHelp: [
    'Only an administrator can draft this. The reason is kept with the adjustment; the partner does not see it.',
    'لا يُعدّ هذا إلا المسؤول. يُحفظ السبب مع التعديل ولا يراه الشريك.',
  ],
  changeAmount: ['Change of the amount', 'تغيّر المبلغ'],
  noPrice: [
    'none: no value of a point was in force when the contribution was recorded',
    'لا مبلغ: لم تكن للنقطة قيمة سارية عند تسجيل المساهمة',
  ],
  why: ['Why', 'السبب'],
  drafted: ['Drafted', 'أُعدّ'],
  draftedBy: ['Drafted by', 'أعدّه'],
  approvedBy: ['Approved by', 'اعتمده'],
  rejectedBy: ['Rejected by', 'رفضه'],
  postedBy: ['Posted by', 'رحّله'],
  detail: ['Adjustment', 'التعديل'],
  settledIn: ['Contribution settled in', 'سُوّيت المساهمة في'],
  effect: ['Contribution, before and after', 'المساهمة قبل وبعد'],
  before: ['Before', 'قبل'],
  after: ['After', 'بعد'],
  settledPoints: ['Settled points', 'النقاط المسوّاة'],
  settledAmount: ['Settled amount', 'المبلغ المسوّى'],
  atMost: [
    (points: string, amount: string) =>
      `At most ${amount}: ${points} settled points at the highest value that a point has had for this partner.`,
    (points: string, amount: string) =>
      `الحد الأقصى ${amount}، أي النقاط المسوّاة وعددها ${points} بأعلى قيمة كانت للنقطة لدى هذا الشريك.`,
  ],
  settlement: [
    (period: string) => `Settlement ${isolate(period)}, before and after`,
    (period: string) => `التسوية ${isolate(period)} قبل وبعد`,
  ],
  netPoints: ['Net points', 'صافي النقاط'],
  payablePoints: ['Payable points', 'النقاط المستحقة'],
  netAmount: ['Net amount', 'صافي المبلغ'],
  payableAmount: ['Payable amount', 'المبلغ المستحق'],
  carriedOut: ['Points carried to the next', 'النقاط المدوَّرة إلى التالية'],
  carriedOutAmount: ['Amount carried to the next', 'المبلغ المدوَّر إلى التالية'],
  problems: ['It cannot be posted as things stand', 'لا يمكن ترحيله في الوضع الحالي'],
  outsideOfPoints: [
    (settled: string, points: string, left: string) =>
      `${settled} of the ${points} points of the contribution are settled now. The adjustment would leave ${left}: it must leave 0 to ${points}.`,
    (settled: string, points: string, left: string) =>
      `المسوّى الآن من نقاط المساهمة ${isolate(settled)} من أصل ${isolate(points)}. مع هذا التعديل يصبح ${isolate(left)}، ويجب أن يبقى بين 0 و${isolate(points)}.`,
  ],
  outsideOfWorth: [
    (amount: string, points: string, most: string) =>
      `The adjustment would leave ${amount} settled for ${points} points: it must leave 0 to ${most}, which they are worth at most.`,
    (amount: string, points: string, most: string) =>
      `مع هذا التعديل يصبح المبلغ المسوّى ${isolate(amount)} مقابل ${isolate(points)} من النقاط، ويجب أن يبقى بين 0 وقيمتها القصوى ${isolate(most)}.`,
  ],
  rejectIt: ['Reject it, and draft another one where one is needed.', 'ارفضه، وأعدّ تعديلًا آخر إن لزم.'],
  withdrawIt: ['Withdraw it, and draft another one where one is needed.', 'اسحبه، وأعدّ تعديلًا آخر إن لزم.'],
  approve: ['Approve', 'اعتماد'],
  post: ['Post', 'ترحيل'],
  reject: ['Reject', 'رفض'],
  withdraw: ['Withdraw', 'سحب'],
  withdrawn: ['Withdrawn', 'مسحوب'],
  withdrawnBy: ['Withdrawn by', 'سحبه'],
  whyWithdrawn: ['Why it was withdrawn', 'سبب السحب'],
  whyRejected: ['Why it was rejected', 'سبب الرفض'],
  approveTitle: ['Approve the adjustment', 'اعتماد التعديل'],
  postTitle: ['Post the adjustment', 'ترحيل التعديل'],
  rejectTitle: ['Reject the adjustment', 'رفض التعديل'],
  approveConsequence: [
    'It may then be posted. The settled points and the settlement change only when it is posted.',
    'يمكن ترحيله بعد ذلك. لا تتغيّر النقاط المسوّاة ولا التسوية إلا عند الترحيل.',
  ],
  postConsequence: [
    'The partner gets an event, and the settlement of the current period gets its line. This is final: only another adjustment undoes it.',
    'يصل إلى الشريك إشعار، ويُضاف سطر إلى تسوية الفترة الحالية. هذا نهائي ولا يُلغيه إلا تعديل آخر.',
  ],
  noReceiver: [
    'No endpoint of the partner gets this event: the partner finds it in its list of events.',
    'لا نقطة استقبال لدى الشريك تتسلّم هذا الإشعار: يجده الشريك في قائمة إشعاراته.',
  ],
  withdrawTitle: ['Withdraw your adjustment', 'سحب التعديل الذي أعددته'],
  withdrawConsequence: [
    'Nobody can approve or post it any more. It stays in the list as rejected, with your reason. This is final; another can be drafted.',
    'لن يُعتمد ولن يُرحَّل بعد ذلك، ويبقى في القائمة مرفوضًا مع السبب الذي تذكره. هذا نهائي، ويمكن إعداد غيره.',
  ],
  rejectConsequence: ['It is never posted. This is final; another can be drafted.', 'لن يُرحَّل أبدًا. هذا نهائي، ويمكن إعداد غيره.'],
  done: [
    (name: string, state: string) => `Adjustment of order ${isolateForeign(name)}: ${state}.`,
    (name: string, state: string) => `تعديل الطلب ${isolateForeign(name)}: ${state}.`,
  ],
  approvedByAnother: ['An approver other than the one who drafted it approves it.', 'يعتمده مُعتمِد غير الذي أعدّه.'],
  postedByOperator: ['An operator posts it or rejects it.', 'يرحّله مشغّل أو يرفضه.'],
  ownDraft: ['You drafted it: another operator has to approve it.', 'أنت من أعدّه، ويجب أن يعتمده مشغّل آخر.'],
  draft: ['Draft an adjustment', 'إعداد تعديل'],
  undecided: [
    'An adjustment of this contribution is not decided yet. A further one comes on top of it.',
    'لهذه المساهمة تعديل لم يُبتّ فيه بعد. كل تعديل آخر يُضاف إليه.',
  ],
  undecidedOf: [
    (points: string) => `The adjustment by ${isolate(points)} points`,
    (points: string) => `التعديل بمقدار ${isolate(points)} من النقاط`,
  ],
  undecidedAmount: [
    (money: string) => `The adjustment by ${isolate(money)}`,
    (money: string) => `التعديل بمقدار ${isolate(money)}`,
  ],
  draftHelp: [
    'Nothing changes for the partner until another operator approves it and it is posted.',
    'لا يتغيّر شيء للشريك حتى يعتمده مشغّل آخر ويُرحَّل.',
  ],
  pointsHelp: ['In digits, with a sign: -250 takes 250 points away.', 'بالأرقام مع الإشارة: ‎-250 تعني خصم 250 نقطة.'],
  amountHelp: ['For a restatement: with a sign, such as -12.5.', 'لتصحيح تحويل النقاط أو تكلفة الشجرة: مع الإشارة، مثل ‎-12.5.'],
  reasonEn: ['Reason for the partner, in English', 'السبب للشريك بالإنجليزية'],
  reasonAr: ['Reason for the partner, in Arabic', 'السبب للشريك بالعربية'],
  reasonHelp: [
    'The event that tells the partner of the adjustment has the reason in both languages, so that the partner can show it in either.',
    'يحمل الإشعار الذي يُعلم الشريك بالتعديل السبب باللغتين، ليتمكن الشريك من عرضه بأي منهما.',
  ],
  draftInDoubt: [
    'No answer came: the adjustment may have been drafted. Press the button again: if it was, you get the same one.',
    'لم يصل رد، وربما أُعدّ التعديل. اضغط الزر مرة أخرى: إن كان قد أُعدّ فستحصل عليه نفسه.',
  ],
  draftDone: [
    (name: string) => `The adjustment of order ${isolateForeign(name)} is drafted.`,
    (name: string) => `أُعدّت مسودة تعديل الطلب ${isolateForeign(name)}.`,
  ],
} as const satisfies Texts;
