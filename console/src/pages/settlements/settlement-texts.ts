import { isolate, isolateForeign } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import { formatWhole } from '../../format/points.ts';
import type { Texts } from '../../texts/text.ts';

export const SETTLEMENT = {
  title: ['Settlements', 'التسويات'],
  help: [
    'Closed settlements of all partners. Choose a partner to see its open one too.',
    'التسويات المُقفلة لجميع الشركاء. اختر شريكًا لترى تسويته المفتوحة أيضًا.',
  ],
  helpOfOne: ['The settlements of this partner, its open one too.', 'تسويات هذا الشريك، ومنها تسويته المفتوحة.'],
  nothing: ['No settlement fits these filters', 'لا تسوية تطابق عوامل التصفية'],
  nothingYet: ['No settlement is closed yet', 'لم تُقفل أي تسوية بعد'],
  nothingYetHelp: [
    'One closes by itself after the end of its period. Choose a partner to see its open one.',
    'تُقفل التسوية تلقائيًا بعد نهاية فترتها. اختر شريكًا لترى تسويته المفتوحة.',
  ],
  period: ['Period', 'الفترة'],
  monthTitle: [(month: string) => `All partners in ${isolate(month)}`, (month: string) => `جميع الشركاء في ${isolate(month)}`],
  monthHelp: [
    'The totals are of the closed settlements. A payable amount is the sum of the amounts that are billed. State at',
    'المجاميع للتسويات المُقفلة. والمبلغ المستحق هو مجموع المبالغ التي تُفوتر. الحالة في',
  ],
  stillOpen: ['Still open', 'ما زالت مفتوحة'],
  withoutAmount: ['Without an amount', 'بلا مبلغ'],
  together: ['Together', 'المجموع'],
  answer: ["The partner's answer", 'رد الشريك'],
  netPoints: ['Net points', 'صافي النقاط'],
  grossPoints: ['Gross points', 'إجمالي النقاط'],
  adjustmentPoints: ['Adjustment points', 'نقاط التعديلات'],
  carriedOut: ['Points carried to the next', 'النقاط المدوَّرة إلى التالية'],
  payablePoints: ['Payable points', 'النقاط المستحقة'],
  payableAmount: ['Payable amount', 'المبلغ المستحق'],
  netAmount: ['Net amount', 'صافي المبلغ'],
  noAmount: ['There is no amount: no value of a point was in force.', 'لا مبلغ: لم تكن للنقطة قيمة سارية.'],
  sum: ['How it adds up', 'كيف يُحسب المستحق'],
  sumOf: ['What', 'البند'],
  countedContributions: [
    (count: string) => countEnglish(count, 'contribution'),
    (count: string) => `المساهمات (${formatWhole(count)})`,
  ],
  countedAdjustments: [
    (count: string) => countEnglish(count, 'adjustment'),
    (count: string) => `التعديلات (${formatWhole(count)})`,
  ],
  net: ['Net of the period', 'صافي الفترة'],
  ofValue: [
    (label: string) => `of these under ${isolateForeign(label)}, exact`,
    (label: string) => `منها وفق إصدار القيمة ${isolateForeign(label)}، من دون تقريب`,
  ],
  carriedInRow: ['Carried from the previous settlement', 'مدوَّر من التسوية السابقة'],
  payable: ['Payable', 'المستحق'],
  carriedOutRow: ['Carried to the next settlement', 'مدوَّر إلى التسوية التالية'],
  howPayable: [
    'Net points are the gross points with the adjustments. Payable are the net points with what the previous settlement carried over; what is below zero is carried to the next.',
    'صافي النقاط هو إجمالي النقاط مع التعديلات. والمستحق هو الصافي مع المدوَّر من التسوية السابقة، وما نزل عن الصفر يُدوَّر إلى التالية.',
  ],
  contributions: ['Contributions', 'المساهمات'],
  adjustments: ['Adjustments', 'التعديلات'],
  closedAt: ['Closed', 'أُقفلت'],
  detail: ['Settlement', 'التسوية'],
  titleOf: [
    (partner: string, period: string) => `${partner} – settlement ${period}`,
    (partner: string, period: string) => `${partner} – التسوية ${period}`,
  ],
  from: ['From', 'من'],
  until: ['Until', 'حتى'],
  asOf: ['Totals of', 'المجاميع في'],
  note: ["The partner's note", 'ملاحظة الشريك'],
  reference: ["The partner's reference", 'مرجع الشريك'],
  statement: ['Download the statement', 'تنزيل كشف التسوية'],
  sheet: ['For a spreadsheet', 'لجدول بيانات'],
  sheetHelp: [
    'The same statement, with an apostrophe before each text that a spreadsheet would change, such as 00123. Verify the other file.',
    'الكشف نفسه، مع فاصلة عليا قبل كل نص قد يغيّره جدول البيانات، مثل 00123. تحقّق من الملف الآخر.',
  ],
  hash: ['SHA-256 of the statement', 'بصمة الكشف SHA-256'],
  lines: ['Lines', 'السطور'],
  noLines: ['It has no lines', 'لا سطور فيها'],
  line: ['Line', 'السطر'],
  kind: ['Kind', 'النوع'],
  close: ['Close now', 'إقفال الآن'],
  closeTitle: [
    (partner: string, period: string) => `Close settlement ${period} of ${partner} before its period ends`,
    (partner: string, period: string) => `إقفال التسوية ${period} للشريك ${partner} قبل نهاية فترتها`,
  ],
  closedTitle: [
    (partner: string, period: string) => `Settlement ${period} of ${partner} is closed`,
    (partner: string, period: string) => `التسوية ${period} للشريك ${partner} مُقفلة`,
  ],
  closedBy: ['Closed by', 'أقفلها'],
  closeConsequence: [
    'The settlement gets its statement and never changes again. The next one begins at this moment and runs to the end of the month. The partner gets an event. This is final.',
    'يصدر كشف التسوية ولا تتغيّر بعدها أبدًا، وتبدأ التالية من هذه اللحظة حتى نهاية الشهر، ويصل إلى الشريك إشعار. هذا نهائي.',
  ],
  closeDone: [
    (name: string) => `The settlement ${isolateForeign(name)} is closed.`,
    (name: string) => `أُقفلت التسوية ${isolateForeign(name)}.`,
  ],
  before: ['Before it closes', 'قبل الإقفال'],
  find: ['Find the lines of an order', 'البحث عن سطور طلب'],
  findHelp: ['Order, event id, contribution id or key, whole', 'رقم الطلب أو معرّف الحدث أو معرّف المساهمة أو المفتاح، كاملًا'],
  notOnIt: [
    'No line of this settlement is about it. The search at the top finds the contribution wherever it is.',
    'لا سطر له في هذه التسوية. يجده البحث في أعلى الصفحة أينما كان.',
  ],
  orderAndEvent: ['Order and event', 'الطلب والحدث'],
  reconciliations: ['Reconciliations', 'المطابقات'],
  adjustmentsOf: ['Adjustments of its contributions', 'تعديلات مساهماتها'],
  adjustmentsHelp: [
    'Adjustments of the contributions that have their line here. A posted one is a line of the settlement of the period in which it was posted, which may be a later one. So the adjustment points of this settlement may come from contributions of earlier settlements.',
    'تعديلات المساهمات التي سطورها هنا. ما رُحِّل منها سطر في تسوية الفترة التي رُحِّل فيها، وقد تكون لاحقة. لذا قد تعود نقاط التعديلات في هذه التسوية إلى مساهمات تسويات سابقة.',
  ],
  showAdjustmentLines: [
    (count: string) => `Show ${countEnglish(count, 'adjustment line')}`,
    (count: string) => `عرض ${countArabic(count, ['سطر تعديل واحد', 'سطري تعديل', 'سطور تعديل', 'سطر تعديل', 'سطر تعديل'])}`,
  ],
  noAdjustment: ['No adjustment of its contributions', 'لا تعديل لمساهماتها'],
  disputed: ['The partner disputes this settlement', 'الشريك يعترض على هذه التسوية'],
  disputedAnswered: ['The dispute is answered. Next, the partner accepts.', 'رُدّ على الاعتراض. الخطوة التالية: قبول الشريك.'],
  compared: [
    (differences: string) => `The partner's list was reconciled: ${countEnglish(differences, 'difference')}`,
    (differences: string) => `طوبقت قائمة الشريك، والفروق: ${isolate(formatWhole(differences))}`,
  ],
  corrected: [
    (count: string) => `${countEnglish(count, 'posted adjustment')} of its contributions`,
    (count: string) => `تعديلات مساهماتها المُرحَّلة: ${isolate(formatWhole(count))}`,
  ],
  disputedSince: ['Disputed since', 'الاعتراض قائم منذ'],
  disputedNoNote: ['The partner wrote no note.', 'لم يكتب الشريك ملاحظة.'],
  wrote: [
    (note: string) => `The partner writes: “${isolateForeign(note)}”`,
    (note: string) => `كتب الشريك: «${isolateForeign(note)}»`,
  ],
  warnings: [
    (count: number) => countEnglish(count, 'warning'),
    (count: number) => countArabic(count, ['تنبيه واحد', 'تنبيهان', 'تنبيهات', 'تنبيهًا', 'تنبيه']),
  ],
  ways: [
    'The closed settlement never changes. Reconcile the partner’s list with it, find the line, correct what is settled by an adjustment, and answer the partner, who then accepts.',
    'لا تتغيّر التسوية المُقفلة أبدًا. طابِق قائمة الشريك معها، وابحث عن السطر، وصحّح ما تمت تسويته بتعديل، ثم رُدّ على الشريك ليقبلها.',
  ],
  toReply: ['Answer the partner', 'الرد على الشريك'],
  replyAgain: ['Answer the partner again', 'الرد على الشريك من جديد'],
  endedDispute: ['The partner disputed it first', 'اعترض الشريك عليها أولًا'],
  acceptedMeanwhile: [
    'The partner has accepted this settlement meanwhile. No answer can be recorded any more.',
    'وافق الشريك على هذه التسوية في هذه الأثناء، ولم يعد بالإمكان تسجيل رد.',
  ],
  reply: ['Answer to the partner', 'الرد على الشريك'],
  replyHelp: [
    'Nothing is sent from here. Change the text as you like, copy it, and send it to the partner yourself. Then record that you did: colleagues see the text here. It names adjustments that were posted after the dispute.',
    'لا يُرسَل شيء من هنا. عدّل النص كما تشاء وانسخه وأرسله إلى الشريك بنفسك، ثم سجّل أنك أرسلته ليراه زملاؤك هنا. لا يذكر النص من التعديلات إلا ما رُحِّل بعد الاعتراض.',
  ],
  replyList: ['List that the answer is about', 'القائمة التي يتناولها الرد'],
  notNamed: [
    (count: string) => `The text leaves out ${countEnglish(count, 'adjustment')} not yet posted.`,
    (count: string) =>
      `لا يذكر النص ${countArabic(count, ['تعديلًا واحدًا لم يُرحَّل', 'تعديلين لم يُرحَّلا', 'تعديلات لم تُرحَّل', 'تعديلًا لم يُرحَّل', 'تعديل لم يُرحَّل'])} بعد.`,
  ],
  composeAnew: ['Undo my changes', 'التراجع عن تغييراتي في النص'],
  copyReply: ['Copy the text', 'نسخ النص'],
  replyCopied: ['Copied.', 'نُسخ.'],
  replyLength: [
    (count: string, most: string) => `${count} of the ${most} characters that can be recorded`,
    (count: string, most: string) => `عدد الأحرف ${count}، ويمكن تسجيل ${most} على الأكثر`,
  ],
  replyTooLong: [
    (over: string) => `${countEnglish(over, 'character')} too many to be recorded.`,
    (over: string) =>
      `لا يمكن تسجيله لأنه أطول من الحد. الزيادة: ${countArabic(over, ['حرف واحد', 'حرفان', 'أحرف', 'حرفًا', 'حرف'])}.`,
  ],
  recordReply: ['I have sent it', 'أرسلتُ هذا الرد'],
  recordConsequence: [
    'The text as it stands is kept with the settlement, with your name and the time, for colleagues. It cannot be changed. The dispute stays open until the partner accepts.',
    'يُحفظ النص كما هو مع التسوية، مع اسمك ووقت التسجيل، ليراه زملاؤك. لا يمكن تغييره. يبقى الاعتراض قائمًا حتى يقبل الشريك.',
  ],
  replyInDoubt: [
    'No answer came: this text may have been recorded. Press the button again: if it was, it is not recorded twice. Another text can be recorded afterwards.',
    'لم يصل رد، وربما سُجّل هذا النص. اضغط الزر مرة أخرى: إن كان قد سُجّل فلن يتكرر. ويمكن تسجيل نص آخر بعد ذلك.',
  ],
  replyLanguage: ['Language of the answer', 'لغة الرد'],
  replyRecorded: ['The answer is recorded with the settlement.', 'سُجّل الرد مع التسوية.'],
  replied: ['Answered by', 'صاحب الرد'],
  showReply: ['Show what was sent', 'إظهار ما أُرسل'],
  english: ['In English', 'بالإنجليزية'],
  arabic: ['In Arabic', 'بالعربية'],
  openInAdjustments: ['Open in Adjustments', 'فتح في التعديلات'],
} as const satisfies Texts;

export const LINE_KIND = {
  contribution: ['Contribution', 'مساهمة'],
  adjustment: ['Adjustment', 'تعديل'],
  carried_forward: ['Carried forward', 'رصيد مدوَّر'],
} as const satisfies Texts;
