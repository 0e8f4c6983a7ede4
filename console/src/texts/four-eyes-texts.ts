/** Why a step is refused that takes two people. The words of a step stand in the sentences. */
import type { Texts } from './text.ts';

/** What the first of two did, after `You` or a name, and in Arabic before `بواسطة`. */
export const BEGUN = {
  approve_adjustment: ['drafted the adjustment', 'أُعدّت مسودة التعديل'],
  approve_failure: ['drafted the failure', 'أُعدّت مسودة الإخفاق'],
  verify_batch: ['recorded the delivery', 'سُجّل التنفيذ'],
  verify_corrected_batch: ['corrected the number of trees', 'صُحّح عدد الأشجار'],
  correct_verified_batch: ['verified the batch', 'جرى التحقّق من الدفعة'],
} as const satisfies Texts;

/** What only another may do then. */
export const WANTED = {
  approve_adjustment: ['approve the adjustment', 'اعتماد التعديل'],
  approve_failure: ['approve the failure', 'اعتماد الإخفاق'],
  verify_batch: ['verify the batch', 'التحقّق من الدفعة'],
  verify_corrected_batch: ['verify the batch', 'التحقّق من الدفعة'],
  correct_verified_batch: ['correct the number of trees', 'تصحيح عدد الأشجار'],
} as const satisfies Texts;

export const FOUR_EYES = {
  same_operator: [
    (begun: string, wanted: string) => `You ${begun}, so another person has to ${wanted}.`,
    (begun: string, wanted: string) => `${begun} بواسطتك، لذا يتولى شخص آخر ${wanted}.`,
  ],
  same_address: [
    (first: string, begun: string) => `${first}, who ${begun}, has the same e-mail address as you.`,
    (first: string, begun: string) => `${begun} بواسطة ${first}، ولحسابه عنوان بريدك الإلكتروني نفسه.`,
  ],
  madeByYou: [
    (first: string, begun: string) => `You created the account of ${first}, who ${begun}, or reset its sign-in`,
    (first: string, begun: string) => `${begun} بواسطة ${first}، وأنت من أنشأ هذا الحساب أو أعاد ضبط الدخول إليه`,
  ],
  madeByFirst: [
    (first: string, begun: string) => `${first}, who ${begun}, created your account or reset its sign-in`,
    (first: string, begun: string) => `${begun} بواسطة ${first}، وهو من أنشأ حسابك أو أعاد ضبط الدخول إليه`,
  ],
  madeByOther: [
    (first: string, begun: string, maker: string) =>
      `${maker} created your account and that of ${first}, who ${begun}, or reset their sign-in`,
    (first: string, begun: string, maker: string) =>
      `${begun} بواسطة ${first}، و${maker} هو من أنشأ حسابك وذلك الحساب أو أعاد ضبط الدخول إليهما`,
  ],
  withinDays: ['less than 7 days ago, directly or through other accounts.', 'قبل أقل من 7 أيام، مباشرةً أو عبر حسابات أخرى.'],
  until: [
    (time: string, wanted: string) => `Until ${time}, another person has to ${wanted}.`,
    (time: string, wanted: string) => `حتى ${time} يتولى شخص آخر ${wanted}.`,
  ],
  notSecond: ['You cannot be the second person', 'لا يمكنك أن تكون الشخص الثاني'],
  notSecondUntil: [
    (time: string) => `You cannot be the second person until ${time}`,
    (time: string) => `لا يمكنك أن تكون الشخص الثاني حتى ${time}`,
  ],
  another: [(wanted: string) => `Another person has to ${wanted}.`, (wanted: string) => `لذا يتولى شخص آخر ${wanted}.`],
  no_address: [
    (name: string) =>
      `The account of ${name} has no e-mail address. A step for two people needs both addresses; an administrator adds it.`,
    (name: string) => `لا عنوان بريد إلكتروني لحساب ${name}. خطوة الشخصين تحتاج إلى عنوانيهما، والمسؤول يضيفه.`,
  ],
  colleagues: [
    (names: string, wanted: string) => `Who can ${wanted}: ${names}.`,
    (names: string, wanted: string) => `من يستطيع ${wanted}: ${names}.`,
  ],
  colleaguesUnread: [
    (wanted: string) => `Who can ${wanted} could not be read.`,
    (wanted: string) => `تعذّرت قراءة أسماء من يستطيع ${wanted}.`,
  ],
  andOthers: [' and others', ' وغيرهم'],
  nobody: [
    (wanted: string) => `Nobody who has signed in can ${wanted} now.`,
    (wanted: string) => `لا يوجد الآن من يستطيع ${wanted} ممن سجّلوا الدخول.`,
  ],
  comma: [', ', '، '],
  inSandbox: [
    'Who is alone in a sandbox may use a second account for it, which the owner account creates. On the machine, without a sign-in:',
    'من يعمل وحده في البيئة التجريبية يستخدم لذلك حسابًا ثانيًا ينشئه حساب المالك. على الجهاز ودون تسجيل دخول:',
  ],
  owner: ['the owner account', 'حساب المالك'],
} as const satisfies Texts;
