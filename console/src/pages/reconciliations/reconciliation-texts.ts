import { isolate } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import { formatWhole } from '../../format/points.ts';
import type { Texts } from '../../texts/text.ts';

export const RECONCILIATION = {
  title: ['Reconciliations', 'المطابقات'],
  help: [
    "A partner's own list compared with a closed settlement, line by line. It changes nothing of the settlement.",
    'مقارنة قائمة الشريك بتسوية مُقفلة سطرًا سطرًا. لا تغيّر المقارنة شيئًا في التسوية.',
  ],
  nothingYet: ['No list was reconciled yet', 'لم تُطابَق أي قائمة بعد'],
  nothingYetHelp: [
    'Reconcile a file for a partner, or wait until a partner sends its own list.',
    'طابِق ملفًا لشريك، أو انتظر حتى يرسل الشريك قائمته.',
  ],
  start: ['Reconcile a file', 'مطابقة ملف'],
  startHelp: [
    "Compare a file that a partner handed over with one of its closed settlements. The verdicts of the file's lines are kept for 30 days, and the counts for good.",
    'قارِن ملفًا سلّمه الشريك بإحدى تسوياته المُقفلة. تُحفظ نتائج السطور 30 يومًا وتبقى الأعداد دائمًا.',
  ],
  settlement: ['Settlement', 'التسوية'],
  chooseSettlement: ['Choose a closed settlement', 'اختر تسوية مُقفلة'],
  noSettlement: [
    'This partner has no closed settlement yet. Its open one closes at the end of its period.',
    'لا تسوية مُقفلة لهذا الشريك بعد. تُقفل تسويته المفتوحة في نهاية فترتها.',
  ],
  choosePartnerFirst: ['Choose the partner and the settlement first.', 'اختر الشريك والتسوية أولًا.'],
  drop: ['Choose the file, or drop it here', 'اختر الملف أو أفلِته هنا'],
  dropHelp: [
    'It is compared at once. At most 1,000,000 lines or 100 MiB.',
    'تبدأ المقارنة فورًا. الحد الأقصى 1,000,000 سطر أو \u2066100 MiB\u2069.',
  ],
  columns: [
    'The file is CSV (UTF-8) with a heading row that names these three columns, in any order. Other columns are ignored.',
    'الملف بصيغة CSV (UTF-8)، وفي أوله صف عناوين فيه هذه الأعمدة الثلاثة بأي ترتيب. تُتجاهل الأعمدة الأخرى.',
  ],
  columnEvent: ["the partner's id of the event, as it was confirmed", 'معرّف الحدث لدى الشريك كما ورد في التأكيد'],
  columnOrder: ["the partner's reference of the order", 'مرجع الطلب لدى الشريك'],
  columnPoints: ['a whole number in digits, without separators', 'عدد صحيح بالأرقام دون فواصل'],
  otherForms: [
    'A JSON array of objects with the same members, or a statement of this service, is taken as well.',
    'تُقبل أيضًا مصفوفة JSON لكائنات بالحقول نفسها، أو كشف تسوية من هذه الخدمة.',
  ],
  copyHeading: ['Copy the heading row', 'نسخ صف العناوين'],
  headingCopied: ['Copied.', 'نُسخ.'],
  exampleFile: ['Download an example file', 'تنزيل ملف مثال'],
  spreadsheet: [
    'This is a spreadsheet. Save it as CSV (UTF-8) in the spreadsheet program, then drop that file.',
    'هذا ملف جدول بيانات. احفظه بصيغة CSV (UTF-8) من برنامج الجداول، ثم أفلِت ذلك الملف.',
  ],
  tooLarge: [
    'The file has more than 100 MiB. Split it, and reconcile each part.',
    'حجم الملف أكبر من \u2066100 MiB\u2069. قسّمه وطابِق كل جزء.',
  ],
  emptyFile: ['The file is empty.', 'الملف فارغ.'],
  sending: [(share: string) => `Sending the file: ${share}`, (share: string) => `جارٍ إرسال الملف: ${share}`],
  reading: ['The service reads and compares the last lines …', 'تقرأ الخدمة السطور الأخيرة وتقارنها …'],
  keepOpen: ['Keep this page open until the file has been sent.', 'أبقِ هذه الصفحة مفتوحة حتى ينتهي إرسال الملف.'],
  notReceived: [
    (file: string) => `Your session had ended, so ${file} was not received. Drop it again.`,
    (file: string) => `كانت جلستك قد انتهت، فلم يُستلم ${file}. أفلِته من جديد.`,
  ],
  received: ['The file was compared line by line.', 'قورن الملف سطرًا سطرًا.'],
  detail: ['Reconciliation', 'المطابقة'],
  sender: ['Sent by', 'أرسلها'],
  thePartner: ['The partner', 'الشريك'],
  list: ['Kind of list', 'نوع القائمة'],
  ownList: ["The partner's own list", 'قائمة الشريك'],
  statement: ['A statement of this service', 'كشف تسوية من هذه الخدمة'],
  lines: ['Lines of the file', 'سطور الملف'],
  noHeading: ['below the heading row (line 1)', 'بعد صف العناوين (السطر 1)'],
  differs: [
    (count: string) => (count === '0' ? 'no difference' : countEnglish(count, 'difference')),
    (count: string) => (count === '0' ? 'لا فروق' : countArabic(count, ['فرق واحد', 'فرقان', 'فروق', 'فرقًا', 'فرق'])),
  ],
  began: ['Began', 'بدأت'],
  ended: ['Ended', 'انتهت'],
  problem: ['Why it failed', 'سبب الفشل'],
  progress: [
    (done: string, all: string) => `Looking for the lines of the settlement in the file: ${done} of ${all}`,
    (done: string, all: string) => `البحث عن سطور التسوية في الملف: ${done} من ${all}`,
  ],
  waits: [
    'The whole file has arrived. The schedule of the service looks for the lines that it lacks, within seconds.',
    'وصل الملف كاملًا. تبحث الخدمة خلال ثوانٍ عن السطور الناقصة فيه.',
  ],
  verdicts: ['Result', 'النتيجة'],
  gross: ['by the points as contributed', 'بالنقاط كما قُدِّمت'],
  net: ['by the points after adjustments', 'بالنقاط بعد التعديلات'],
  matchedByNet: [
    (count: string) => `${formatWhole(count)} of them by the points after adjustments`,
    (count: string) => `منها ${formatWhole(count)} بالنقاط بعد التعديلات`,
  ],
  showLines: ['Show lines', 'عرض السطور'],
  shownBelow: ['Shown below', 'معروضة أدناه'],
  sumInFile: [
    (points: string) => `${formatWhole(points)} in the file`,
    (points: string) => `${isolate(formatWhole(points))} في الملف`,
  ],
  sumInSettlement: [
    (points: string) => `${formatWhole(points)} in the settlement`,
    (points: string) => `${isolate(formatWhole(points))} في التسوية`,
  ],
  totals: ['Points of file and settlement', 'نقاط الملف والتسوية'],
  totalOfFile: ['The whole file', 'الملف كله'],
  totalGross: ['The settlement, as contributed', 'التسوية كما قُدِّمت نقاطها'],
  totalNet: ['The same contributions, with adjustments', 'المساهمات نفسها بعد التعديلات'],
  totalOfLines: ['The settlement, all lines', 'التسوية بكل سطورها'],
  fileMinus: ['File minus settlement', 'الملف ناقص التسوية'],
  notTotalled: [
    'Points that could not be read are not in the total of the file.',
    'النقاط التي تعذّرت قراءتها ليست في مجموع الملف.',
  ],
  fewer: [
    (points: string) => `On the lines that differ: ${countEnglish(points, 'point')} fewer in the file than in the settlement.`,
    (points: string) => `في السطور المختلفة: نقاط الملف أقل مما في التسوية بمقدار ${isolate(formatWhole(points))}.`,
  ],
  more: [
    (points: string) => `On the lines that differ: ${countEnglish(points, 'point')} more in the file than in the settlement.`,
    (points: string) => `في السطور المختلفة: نقاط الملف أكثر مما في التسوية بمقدار ${isolate(formatWhole(points))}.`,
  ],
  notInSum: [
    (verdicts: readonly string[]) => `Not in this sum: ${verdicts.join(', ')}.`,
    (verdicts: readonly string[]) => `ليس في هذا المجموع: ${verdicts.join('، ')}.`,
  ],
  unreadNotInSum: ['Points that could not be read are not in this sum.', 'النقاط التي تعذّرت قراءتها ليست في هذا المجموع.'],
  noExcess: [
    'On the lines that differ the file has, added up, as many points as the settlement.',
    'في السطور المختلفة مجموع نقاط الملف مساوٍ لمجموع نقاط التسوية.',
  ],
  mayBeUnreadable: ['Unreadable lines may be among them', 'قد تكون بينها سطور غير مقروءة'],
  unreadable: [
    (count: string) =>
      `Not readable in the file: ${countEnglish(count, 'line')}. The contributions of these lines may be counted here too.`,
    (count: string) =>
      `غير المقروء في الملف: ${countArabic(count, ['سطر واحد', 'سطران', 'سطور', 'سطرًا', 'سطر'])}. وقد تكون مساهمات تلك السطور محتسبة هنا أيضًا.`,
  ],
  showUnreadable: ['Show the lines that are not readable', 'عرض السطور غير المقروءة'],
  linesOf: ['Lines', 'السطور'],
  exportAll: ['Export all lines (CSV)', 'تصدير كل السطور (CSV)'],
  exportThese: ['Export these lines (CSV)', 'تصدير هذه السطور (CSV)'],
  none: ['No line has this verdict', 'لا سطر بهذه النتيجة'],
  removed: [
    'The lines were removed 30 days after the comparison. The counts stay. Reconcile the file again to see them.',
    'أُزيلت السطور بعد 30 يومًا من المقارنة وبقيت الأعداد. طابِق الملف مرة أخرى لتراها.',
  ],
  line: ['Line', 'السطر'],
  event: ['Event', 'الحدث'],
  eventAndOrder: ['Event and order', 'الحدث والطلب'],
  orderInFile: ['Order in the file', 'الطلب في الملف'],
  orderInService: ['Order in the service', 'الطلب في الخدمة'],
  pointsInFile: ['Points in the file', 'النقاط في الملف'],
  pointsInService: ['Points in the service', 'النقاط في الخدمة'],
  netInService: ['Net with adjustments', 'الصافي بعد التعديلات'],
  matchedBy: ['Matched by', 'أساس المطابقة'],
  inSettlement: ['Settlement that has it', 'التسوية التي تضمّها'],
  noneYet: ['none yet', 'لا تسوية بعد'],
  why: ['Why', 'السبب'],
  notRecorded: ['Not recorded', 'غير مسجّلة'],
  whatToDo: ['What the partner does', 'ما يفعله الشريك'],
  counted: [
    (count: string) => countEnglish(count, 'line'),
    (count: string) => countArabic(count, ['سطر واحد', 'سطران', 'سطور', 'سطرًا', 'سطر']),
  ],
} as const satisfies Texts;

/** What a verdict means, and the next step. */
export const VERDICT_HELP = {
  points_mismatch: [
    'The settlement has the contribution with other points. A contribution never changes: where the file is right and has fewer points, draft an adjustment, which corrects what is settled. No adjustment settles more points than were contributed: where the file has more, the partner corrects its own record.',
    'في التسوية المساهمةُ نفسها بنقاط أخرى. لا تتغيّر المساهمة أبدًا: إن كان الملف هو الصحيح ونقاطه أقل فأعِدّ تعديلًا يصحّح ما تمت تسويته. ولا يمكن لأي تعديل أن يجعل النقاط المسوّاة أكثر مما ساهم به العميل: إن كانت نقاط الملف أكثر صحّح الشريك سجلّه.',
  ],
  missing_in_service: [
    'The service has no confirmed contribution of these events, so no settlement has them. What the partner does depends on the status of each. Only a failed contribution allows points to be restored.',
    'لا مساهمة مؤكَّدة في الخدمة لهذه الأحداث، فليست في أي تسوية. وما يفعله الشريك يتوقف على حالة كل منها. ولا يجيز إعادة النقاط إلا مساهمة فشلت.',
  ],
  missing_in_partner_file: [
    'The settlement has these contributions and the file does not. The partner looks for them in its own records. Where it reported one in error, draft an adjustment.',
    'هذه المساهمات في التسوية وليست في الملف. يبحث الشريك عنها في سجلاته. وما أُبلغ عنه خطأً فأعِدّ له تعديلًا.',
  ],
  order_ref_mismatch: [
    'Event and points agree, and the file has another order. Nothing about the money differs.',
    'يتطابق الحدث والنقاط، وفي الملف طلب آخر. لا فرق في المبالغ.',
  ],
  duplicate_in_file: [
    'The file has these events more than once. Their first lines were compared; these were not.',
    'ترد هذه الأحداث في الملف أكثر من مرة. قورنت سطورها الأولى ولم تُقارَن هذه.',
  ],
  other_settlement: [
    'The service has these contributions, and another settlement has their lines, or none has yet. Reconcile the file of that period with that settlement.',
    'هذه المساهمات في الخدمة، لكن سطورها في تسوية أخرى أو لا تسوية لها بعد. طابِق ملف تلك الفترة مع تلك التسوية.',
  ],
  malformed: [
    'These lines could not be read and were compared with nothing. The partner mends them and sends the file again.',
    'تعذّرت قراءة هذه السطور فلم تُقارَن بشيء. يصحّحها الشريك ويرسل الملف مرة أخرى.',
  ],
  matched: [
    'File and settlement agree: by gross points, as contributed, or by net points, with adjustments.',
    'يتطابق الملف والتسوية: بالنقاط الإجمالية كما قُدّمت، أو بالصافية بعد التعديلات.',
  ],
} as const satisfies Texts;

/** What the partner does about a line that is not confirmed, by the status of its contribution. */
export const NOT_CONFIRMED = {
  unknown: [
    'Looks its partner event id up. Where it is not found, sends the original confirmation again under its original key. Points must not be restored.',
    'يستعلم عن الحدث، فإن لم يجده أعاد إرسال التأكيد الأصلي بمفتاحه الأصلي. ولا تجوز إعادة النقاط.',
  ],
  pending: [
    'Waits for the decision, which a webhook event tells. Points must not be restored before.',
    'ينتظر القرار، ويصله إشعار به. ولا تجوز إعادة النقاط قبله.',
  ],
  failed: [
    'Restores the points once, for this contribution. It failed for good, and is not sent again.',
    'يعيد النقاط مرة واحدة لهذه المساهمة. فشلها نهائي ولا يُعاد إرسالها.',
  ],
  confirmed: [
    'Nothing. It was confirmed after the comparison, and the settlement of that period takes it.',
    'لا شيء. تأكّدت بعد المقارنة، وتُدرج في تسوية تلك الفترة.',
  ],
  noContribution: [
    'Nothing. The service has no such line, and no request creates one: ask where the file comes from.',
    'لا شيء. لا سطر كهذا في الخدمة ولا يُنشئه أي طلب: اسأل عن مصدر الملف.',
  ],
} as const satisfies Texts;

/** Why a reconciliation failed, as the service writes it. */
export const FAILED_FOR = {
  'The list did not come to its end. Send it again, under the same key or another.': [
    'The list did not come to its end. Send it again, under the same key or another.',
    'لم تصل القائمة كاملة. أرسلها من جديد بالمفتاح نفسه أو بغيره.',
  ],
} as const satisfies Texts;
