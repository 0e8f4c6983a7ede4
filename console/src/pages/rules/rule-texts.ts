import { isolateForeign } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import type { Texts } from '../../texts/text.ts';

export const RULE = {
  title: ['Rules', 'القواعد'],
  help: [
    'Every version of a rule, the latest start first. A version that a contribution has used never changes.',
    'كل إصدارات القواعد، والأحدث بدءًا أولًا. الإصدار الذي استعملته مساهمة لا يتغيّر أبدًا.',
  ],
  nothingYet: ['No version was made', 'لم يُنشأ أي إصدار'],
  nothingYetHelp: [
    'The defaults apply: every number of points is taken, nothing is reviewed, and points have no value.',
    'تسري القيم الافتراضية: يُقبل أي عدد من النقاط، ولا تُراجَع أي مساهمة، ولا قيمة للنقاط.',
  ],
  kind: ['Kind', 'النوع'],
  version: ['Version', 'الإصدار'],
  kindAndVersion: ['Kind and version', 'النوع والإصدار'],
  forWhom: ['For', 'لمن'],
  everyone: ['All partners', 'كل الشركاء'],
  starts: ['Starts', 'يبدأ'],
  states: ['What it says', 'مضمونه'],
  inForce: ['In force', 'سارٍ'],
  upcoming: ['Not started', 'لم يبدأ'],
  past: ['Replaced', 'استُبدل'],
  withdrawn: ['Withdrawn', 'مسحوب'],
  nowTitle: ['In force for this partner now', 'الساري على هذا الشريك الآن'],
  backToSetUp: ['Set-up of this partner', 'تهيئة هذا الشريك'],
  history: ['Versions', 'الإصدارات'],

  create: ['New version', 'إصدار جديد'],
  createTitle: ['New version of a rule', 'إصدار جديد لقاعدة'],
  previewVersion: ['Preview a version', 'معاينة إصدار'],
  versionHelp: [
    'A name that no other version of this kind has. It takes letters, digits and the signs `. _ : -`',
    'اسم لا يحمله إصدار آخر من هذا النوع. يقبل الحروف والأرقام والعلامات `. _ : -`',
  ],
  startsHelp: ['Leave it empty to start in a minute.', 'اتركه فارغًا ليبدأ بعد دقيقة.'],
  inAMinute: ['In a minute', 'بعد دقيقة'],
  defaults: [
    'A version `default-1` is what holds while none was made for the partner. It has no row below.',
    'الإصدار `default-1` هو ما يسري ما دام لم يُنشأ إصدار للشريك، وليس له صف أدناه.',
  ],
  needsCurrency: [
    'A value or a cost needs a currency. Set it on the page of the partner.',
    'القيمة والتكلفة تحتاجان إلى عملة. حدّدها في صفحة الشريك.',
  ],
  points: ['Points of a contribution', 'نقاط المساهمة'],
  pointsMin: ['Least points of a contribution', 'أقل عدد نقاط للمساهمة'],
  pointsMax: ['Most points of a contribution', 'أكثر عدد نقاط للمساهمة'],
  pointsMaxHelp: ['Leave it empty for no limit.', 'اتركه فارغًا إن لم يكن حد.'],
  range: [
    (least: string, most: string | undefined) => (most === undefined ? `${least} or more` : `${least} to ${most}`),
    (least: string, most: string | undefined) => (most === undefined ? `${least} فأكثر` : `من ${least} إلى ${most}`),
  ],
  reviewsEverything: ['Review every contribution', 'مراجعة كل مساهمة'],
  reviewThreshold: ['Review threshold', 'حدّ المراجعة'],
  reviewThresholdHelp: [
    'A contribution of so many points or more is reviewed. Leave it empty for none.',
    'تُراجَع المساهمة التي تبلغ هذا العدد من النقاط أو تزيد عليه. اتركه فارغًا إن لم يكن حد.',
  ],
  fromThreshold: [
    (points: string) => `${countEnglish(points, 'point')} or more`,
    (points: string) => `${countArabic(points, ['نقطة واحدة', 'نقطتان', 'نقاط', 'نقطة', 'نقطة'])} فأكثر`,
  ],
  dailyPointsCap: ['Daily cap on points', 'الحدّ اليومي للنقاط'],
  dailyCountCap: ['Daily cap on contributions', 'الحدّ اليومي لعدد المساهمات'],
  capHelp: [
    'What goes beyond it on a day is reviewed. Leave it empty for none.',
    'يُراجَع ما يتجاوزه في اليوم. اتركه فارغًا إن لم يكن حد.',
  ],
  pointValue: ['Value of a point', 'قيمة النقطة'],
  treeCost: ['Cost of a tree', 'تكلفة الشجرة'],
  currency: ['Currency', 'العملة'],
  treeCostHelp: ['A decimal, such as 22.50.', 'عدد عشري، مثل 22.50.'],
  decimalHelp: ['A decimal, such as 0.05.', 'عدد عشري، مثل 0.05.'],
  createConsequence: [
    'New contributions are taken under this version from its start. What is recorded keeps its own. It can be withdrawn until a minute before its start; afterwards only another version replaces it.',
    'تُقبل المساهمات الجديدة وفق هذا الإصدار ابتداءً من وقته، وما سُجّل يحتفظ بإصداره. يمكن سحبه حتى دقيقة واحدة قبل بدئه، وبعد ذلك لا يستبدله إلا إصدار آخر.',
  ],
  createInDoubt: [
    'No answer came: the version may have been created. Press the button again: if it was, it is not created twice. A wrong version can be withdrawn in the list until a minute before its start.',
    'لم يصل رد، وربما أُنشئ الإصدار. اضغط الزر مرة أخرى: إن كان قد أُنشئ فلن يتكرر. ويمكن سحب إصدار خاطئ من القائمة حتى دقيقة واحدة قبل بدئه.',
  ],
  created: [
    (name: string) => `The version ${isolateForeign(name)} is created.`,
    (name: string) => `أُنشئ الإصدار ${isolateForeign(name)}.`,
  ],
  notAllowed: [
    'An administrator creates versions of rules. You can still see a preview.',
    'إنشاء إصدارات القواعد للمسؤول. يمكنك مع ذلك رؤية المعاينة.',
  ],
  withdraw: ['Withdraw', 'سحب'],
  withdrawConsequence: [
    'The version never starts, and its label stays taken. This is final.',
    'لن يبدأ هذا الإصدار أبدًا، ويبقى اسمه محجوزًا. هذا نهائي.',
  ],
  withdrawnBy: ['Withdrawn by', 'سحبه'],
  withdrawDone: [
    (name: string) => `The version ${isolateForeign(name)} is withdrawn.`,
    (name: string) => `سُحب الإصدار ${isolateForeign(name)}.`,
  ],

  preview: ['Preview', 'معاينة'],
  previewHelp: [
    'The preview shows what this version would have done to the contributions of the last calendar month, and what they would be worth. It stores nothing.',
    'تُظهر المعاينة ما كان هذا الإصدار سيفعله بمساهمات الشهر الماضي، وكم كانت ستبلغ قيمتها. ولا تحفظ المعاينة شيئًا.',
  ],
  createHelp: ['Only “New version” stores it.', 'لا يُحفظ الإصدار إلا بزر «إصدار جديد».'],
  lookedAt: [
    (count: string, partners: number) =>
      `${countEnglish(count, 'contribution')} of ${countEnglish(partners, 'partner')} looked at; `,
    (count: string, partners: number) =>
      `فُحصت ${countArabic(count, ['مساهمة واحدة', 'مساهمتان', 'مساهمات', 'مساهمة', 'مساهمة'])}، وعدد الشركاء ${partners}؛ `,
  ],
  reviewedThen: [
    (count: string) => `${count} of them ${count === '1' ? 'was' : 'were'} reviewed.`,
    (count: string) => `رُوجع منها ${count}.`,
  ],
  notAll: [
    'There are more than were looked at: the first partners in the order of their ids, and the latest contributions of the last of them.',
    'يوجد أكثر مما فُحص: فُحص أوائل الشركاء بترتيب معرّفاتهم، وأحدث مساهمات آخرهم.',
  ],
  noneLooked: ['No contribution of this time is concerned.', 'لا تعني هذه المعاينة أي مساهمة من هذه المدة.'],
  lastMonth: ['Last calendar month', 'الشهر الماضي'],
  lastDays: ['Last 30 days', 'آخر 30 يومًا'],
  over: ['Contributions of', 'مساهمات'],
  between: [(from: string, to: string) => `From ${from} to ${to}.`, (from: string, to: string) => `من ${from} إلى ${to}.`],
  outcome: ['Outcome', 'النتيجة'],
  share: ['Share', 'النسبة'],
  asRecorded: ['As recorded', 'كما سُجّل'],
  under: ['Under this version', 'بهذا الإصدار'],
  worth: ['Value of the points', 'قيمة النقاط'],
  trees: ['Trees: the whole ones of each contribution', 'الأشجار: الكاملة لكل مساهمة'],
} as const satisfies Texts;

export const RULE_KIND = {
  contribution_rule: ['Contribution rule', 'قاعدة المساهمة'],
  point_conversion: ['Value of a point', 'قيمة النقطة'],
  tree_cost: ['Cost of a tree', 'تكلفة الشجرة'],
} as const satisfies Texts;

export const OUTCOME = {
  confirmed: ['Confirmed at once', 'تُؤكَّد فورًا'],
  reviews_everything: ['Reviewed: every contribution is', 'تُراجَع: كل المساهمات تُراجَع'],
  review_threshold: ['Reviewed: at or above the threshold', 'تُراجَع: عند الحدّ أو فوقه'],
  daily_points_cap: ['Reviewed: beyond the points of the day', 'تُراجَع: فوق نقاط اليوم'],
  daily_count_cap: ['Reviewed: beyond the number of the day', 'تُراجَع: فوق عدد اليوم'],
  out_of_bounds: ['Refused: out of bounds', 'تُرفض: خارج الحدود'],
} as const satisfies Texts;
