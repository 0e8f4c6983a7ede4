import { isolate, isolateForeign } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import { COUNTED } from '../../texts/record-texts.ts';
import type { Texts } from '../../texts/text.ts';

const settlements = [
  (count: number) => countEnglish(count, 'settlement'),
  (count: number) => countArabic(count, ['تسوية واحدة', 'تسويتان', 'تسويات', 'تسوية', 'تسوية']),
] as const;
const partners = [
  (count: number) => countEnglish(count, 'partner'),
  (count: number) => countArabic(count, ['شريك واحد', 'شريكان', 'شركاء', 'شريكًا', 'شريك']),
] as const;
/** In Arabic as they stand after «لزراعة» and «نحو». */
const trees = [
  (count: string) => countEnglish(count, 'tree'),
  (count: string) => countArabic(count, ['شجرة واحدة', 'شجرتين', 'أشجار', 'شجرة', 'شجرة']),
] as const;

export const IMPACT = {
  title: ['Impact batches', 'دفعات الأثر'],
  help: [
    'A batch pools closed settlements for a planting project, and says how far the planting has come.',
    'تجمع الدفعة تسويات مُقفلة لمشروع زراعة، وتُبيّن مدى تقدّم الزراعة.',
  ],
  nothing: ['There is no batch yet', 'لا توجد دفعات بعد'],
  nothingHelp: ['Create one for a number of trees, then choose its settlements.', 'أنشئ دفعة لعدد من الأشجار، ثم اختر تسوياتها.'],
  name: ['Name', 'الاسم'],
  trees: ['Trees ordered', 'الأشجار المطلوبة'],
  since: ['Status since', 'الحالة منذ'],
  when: ['When', 'الوقت'],
  expectedIn: [(period: string) => `expected ${isolate(period)}`, (period: string) => `متوقَّع في ${isolate(period)}`],
  create: ['New batch', 'دفعة أثر جديدة'],
  createConsequence: [
    'The batch is for this number of trees, as you order them. It has no settlements yet, and no partner gets an event.',
    'الدفعة لهذا العدد من الأشجار كما تطلبها. لا تسويات فيها بعد، ولا يصل إلى أي شريك إشعار.',
  ],
  nameHelp: ['For operators. Partners do not see it.', 'للمشغّلين، ولا يراه الشركاء.'],
  treesHelp: ['A whole number. It is never computed from points.', 'عدد صحيح، ولا يُحسب من النقاط أبدًا.'],
  createInDoubt: [
    'No answer came: the batch may have been created. Press the button again: if it was, you get the same one.',
    'لم يصل رد، وربما أُنشئت الدفعة. اضغط الزر مرة أخرى: إن كانت قد أُنشئت فستحصل عليها نفسها.',
  ],
  created: [
    (name: string) => `The batch “${isolateForeign(name)}” is created.`,
    (name: string) => `أُنشئت دفعة الأثر «${isolateForeign(name)}».`,
  ],
  createdWithout: [
    (name: string) =>
      `The batch “${isolateForeign(name)}” is created. Not every settlement was added to it: the service refused some, such as those that a colleague has put into another batch meanwhile. Choose anew what it still takes.`,
    (name: string) =>
      `أُنشئت الدفعة «${isolateForeign(name)}»، ولم تُضف إليها كل التسويات: رفضت الخدمة بعضها، كالتي أضافها زميل إلى دفعة أخرى في هذه الأثناء. اختر من جديد ما تضيفه إليها.`,
  ],
  createHelp: [
    'Choose settlements: below the list stands what they are worth together and how many trees that pays. You then state how many trees the batch is for.',
    'اختر التسويات: تظهر تحت القائمة قيمتها مجتمعةً وعدد الأشجار التي تغطيها، ثم تُحدّد عدد أشجار الدفعة.',
  ],
  notAllowed: ['Creating a batch takes the role operator.', 'إنشاء دفعة يتطلب دور المشغّل.'],
  createWith: ['Create the batch', 'إنشاء الدفعة'],
  createEmpty: ['Create it without settlements', 'إنشاؤها بلا تسويات'],
  createWithConsequence: [
    (count: number, of: number) =>
      `The batch is for this number of trees, as you order them. ${settlements[0](count)} of ${partners[0](of)} will be in it for ever: a settlement is in one batch only. Each partner gets an event. This is final.`,
    (count: number, of: number) =>
      `الدفعة لهذا العدد من الأشجار كما تطلبها. تدخلها إلى الأبد: ${settlements[1](count)}، وعدد الشركاء: ${of}. لا تكون التسوية إلا في دفعة واحدة، ويصل إلى كل شريك إشعار. هذا نهائي.`,
  ],

  projects: ['Projects', 'المشاريع'],
  noProjects: ['There is no project yet', 'لا توجد مشاريع بعد'],
  noProjectsHelp: ['A batch is given to a project when it is allocated.', 'تُعطى الدفعة لمشروع عند تخصيصها.'],
  project: ['Project', 'المشروع'],
  createProjectFirst: ['Create a project first, on the page of the batches.', 'أنشئ مشروعًا أولًا في صفحة الدفعات.'],
  newProject: ['New project', 'مشروع جديد'],
  projectConsequence: [
    'Partners and their customers read these names. A project never changes, because events contain its names. This is final.',
    'يقرأ الشركاء وعملاؤهم هذين الاسمين. لا يتغيّر المشروع أبدًا لأن الإشعارات تحمل اسميه. هذا نهائي.',
  ],
  nameEn: ['Name in English', 'الاسم بالإنجليزية'],
  nameAr: ['Name in Arabic', 'الاسم بالعربية'],
  country: ['Country', 'الدولة'],
  countryHelp: ['Two letters, such as SA.', 'حرفان، مثل SA.'],
  projectInDoubt: [
    'No answer came: the project may have been created. Press the button again: if it was, you get the same one.',
    'لم يصل رد، وربما أُنشئ المشروع. اضغط الزر مرة أخرى: إن كان قد أُنشئ فستحصل عليه نفسه.',
  ],
  projectCreated: [
    (name: string) => `The project “${isolateForeign(name)}” is created.`,
    (name: string) => `أُنشئ المشروع «${isolateForeign(name)}».`,
  ],

  detail: ['Impact batch', 'دفعة أثر'],
  settlements: ['Settlements', 'التسويات'],
  contributions: ['Contributions', 'المساهمات'],
  partners: ['Partners', 'الشركاء'],
  settlementCount: settlements,
  period: ['Period', 'الفترة'],
  closedAt: ['Closed', 'أُقفلت'],
  noSettlements: ['It has no settlements yet', 'لا تسويات فيها بعد'],
  worth: ['What its settlements are worth', 'قيمة تسوياتها'],
  payable: ['Payable', 'المستحق'],
  paysTrees: ['Trees paid for', 'أشجار تغطيها القيمة'],
  costOfTree: ['Cost of a tree', 'تكلفة الشجرة'],
  costEach: [(cost: string) => `${cost} a tree`, (cost: string) => `${isolate(cost)} للشجرة`],
  paysAbout: [(count: string) => `pays about ${trees[0](count)}`, (count: string) => `تغطي نحو ${trees[1](count)}`],
  payTogether: [
    (settled: number, count: string) =>
      `${settled === 1 ? 'This settlement pays' : 'Together these settlements pay'} about ${trees[0](count)}.`,
    (settled: number, count: string) => `${settled === 1 ? 'تغطي هذه التسوية' : 'تغطي هذه التسويات معًا'} نحو ${trees[1](count)}.`,
  ],
  noValue: ['without a value', 'بلا قيمة'],
  projectId: ['Project id', 'معرّف المشروع'],
  enough: [
    (stated: string, paid: string) => `The batch is for ${trees[0](stated)}. Its settlements pay about ${trees[0](paid)}.`,
    (stated: string, paid: string) => `الدفعة لزراعة ${trees[1](stated)}، وتغطي قيمة تسوياتها نحو ${trees[1](paid)}.`,
  ],
  tooFew: [
    (stated: string, paid: string) =>
      `The batch is for ${trees[0](stated)}, and its settlements pay about ${trees[0](paid)}. Add settlements, or correct the number of trees.`,
    (stated: string, paid: string) =>
      `الدفعة لزراعة ${trees[1](stated)}، وقيمة تسوياتها لا تغطي إلا نحو ${trees[1](paid)}. أضف تسويات، أو صحّح عدد الأشجار.`,
  ],
  tooFewFinal: [
    (stated: string, paid: string) =>
      `The batch is for ${trees[0](stated)}, and its settlements pay about ${trees[0](paid)}. It takes no more settlements; an operator corrects the number of trees.`,
    (stated: string, paid: string) =>
      `الدفعة لزراعة ${trees[1](stated)}، وقيمة تسوياتها لا تغطي إلا نحو ${trees[1](paid)}. لا تقبل تسويات أخرى، ويصحّح المشغّل عدد الأشجار.`,
  ],
  noCost: [
    'The cost of a tree is not known for all of these contributions, so nothing says how many trees they pay.',
    'تكلفة الشجرة غير معروفة لكل هذه المساهمات، فلا يُعرف عدد الأشجار التي تغطيها.',
  ],

  pick: ['Settlements to choose', 'تسويات للاختيار'],
  pickHelp: [
    'Closed settlements with contributions that are in no batch yet.',
    'تسويات مُقفلة فيها مساهمات وليست في أي دفعة بعد.',
  ],
  nothingToPick: ['Every closed settlement is in a batch', 'كل التسويات المُقفلة في دفعات'],
  nothingToPickHelp: ['A settlement appears here when it is closed.', 'تظهر التسوية هنا عند إقفالها.'],
  choose: ['Choose', 'اختيار'],
  chosen: [
    (count: number, points: string) => `${settlements[0](count)} chosen, ${countEnglish(points, 'point')}`,
    (count: number, points: string) => `المحدّد: ${settlements[1](count)}، ${COUNTED.points[1](points)}`,
  ],
  chooseNone: ['Choose none', 'إلغاء الاختيار'],
  noneChosen: ['No settlement is chosen', 'لم تُحدَّد أي تسوية'],
  disputedChosen: [
    (count: number) =>
      `The partner disputes ${settlements[0](count)} of these. A correction comes as an adjustment on a later settlement, and not into this batch.`,
    (count: number) =>
      `من هذه التسويات ما يعترض عليه الشريك: ${settlements[1](count)}. يأتي التصحيح تعديلًا في تسوية لاحقة، لا في هذه الدفعة.`,
  ],
  pool: ['Add to the batch', 'إضافة إلى الدفعة'],
  poolConsequence: [
    (count: number, of: number) =>
      `${settlements[0](count)} of ${partners[0](of)} will be in this batch for ever: a settlement is in one batch only. Each partner gets an event. This is final.`,
    (count: number, of: number) =>
      `تدخل هذه الدفعةَ إلى الأبد: ${settlements[1](count)}، وعدد الشركاء: ${of}. لا تكون التسوية إلا في دفعة واحدة، ويصل إلى كل شريك إشعار. هذا نهائي.`,
  ],
  poolProgress: [
    (done: number, of: number) => `${done} of ${partners[0](of)} done`,
    (done: number, of: number) => `أُنجز ${done} من ${of}`,
  ],
  pooledWithout: [
    (count: number) =>
      `Added to the batch: ${settlements[0](count)}. The service refused others, such as those that a colleague has put into another batch meanwhile. Choose anew what it still takes.`,
    (count: number) =>
      `أُضيف إلى الدفعة: ${settlements[1](count)}. ورفضت الخدمة غيرها، كالتي أضافها زميل إلى دفعة أخرى في هذه الأثناء. اختر من جديد ما تضيفه إليها.`,
  ],
  addedMeanwhile: [
    (count: number) => `Settlements were added meanwhile. The batch now has ${settlements[0](count)}.`,
    (count: number) => `أُضيفت تسويات في هذه الأثناء. في الدفعة الآن: ${settlements[1](count)}.`,
  ],
  pooled: [
    (count: number) => `Added to the batch: ${settlements[0](count)}.`,
    (count: number) => `أُضيف إلى الدفعة: ${settlements[1](count)}.`,
  ],

  reason: ['Reason', 'السبب'],
  reasonHelp: ['Optional. Kept with the change.', 'اختياري، ويُحفظ مع التغيير.'],
  done: [
    (name: string, state: string) => `Batch “${isolateForeign(name)}”: ${state}.`,
    (name: string, state: string) => `الدفعة «${isolateForeign(name)}»: ${state}.`,
  ],
  allocate: ['Allocate', 'تخصيص'],
  allocateConsequence: [
    'The batch is given to this project, and takes no more settlements. Partners get an event. Until the trees are delivered it can be given to another project, with a reason.',
    'تُعطى الدفعة لهذا المشروع ولا تقبل تسويات أخرى، ويصل إلى الشركاء إشعار. وإلى أن يُسجَّل تنفيذها يمكن نقلها إلى مشروع آخر مع ذكر السبب.',
  ],
  fund: ['Record the funding', 'تسجيل التمويل'],
  fundConsequence: [
    'You state that the trees of this batch are paid for. Partners get an event. This is final.',
    'تُقرّ بأن ثمن أشجار هذه الدفعة قد دُفع، ويصل إلى الشركاء إشعار. هذا نهائي.',
  ],
  start: ['Record the start', 'تسجيل بدء التنفيذ'],
  startConsequence: [
    'You state that the planting has begun. Partners get an event. This is final.',
    'تُقرّ بأن الزراعة بدأت، ويصل إلى الشركاء إشعار. هذا نهائي.',
  ],
  deliver: ['Record the delivery', 'تسجيل التنفيذ'],
  deliverConsequence: [
    'You state that the trees are planted. Another person then verifies it by the evidence. Partners get an event. This is final.',
    'تُقرّ بأن الأشجار زُرعت، ثم يتحقّق شخص آخر بالأدلة. ويصل إلى الشركاء إشعار. هذا نهائي.',
  ],
  verify: ['Verify', 'تحقّق'],
  verifyConsequence: [
    'You state that you checked the evidence and that the trees are planted. Partners get an event, and the batch takes no more evidence. This is final.',
    'تُقرّ بأنك راجعت الأدلة وأن الأشجار زُرعت. يصل إلى الشركاء إشعار، ولا تقبل الدفعة أدلة أخرى. هذا نهائي.',
  ],
  ownDelivery: ['You recorded the delivery, so another person verifies it.', 'أنت من سجّل التنفيذ، لذا يتحقّق منه شخص آخر.'],
  needsEvidence: ['It needs evidence of its project before it is verified.', 'تحتاج إلى دليل من مشروعها قبل التحقّق منها.'],
  viewerHelp: [
    'Your role lets you look. An operator records what becomes of it.',
    'دورك يتيح الاطّلاع، وما يستجدّ عليها يسجّله مشغّل.',
  ],
  verifiedByAnother: [
    'An approver other than the one who recorded the delivery verifies it.',
    'يتحقّق منها مُعتمِد غير الذي سجّل التنفيذ.',
  ],
  correctedByAnother: [
    'An approver other than the one who verified it corrects its number of trees.',
    'يصحّح عدد أشجارها مُعتمِد غير الذي تحقّق منها.',
  ],
  needsSettlements: ['Choose settlements first, then allocate it.', 'اختر التسويات أولًا، ثم خصّصها.'],
  otherChanges: ['Other changes', 'تغييرات أخرى'],
  delay: ['Record a delay', 'تسجيل تأخير'],
  delayConsequence: [
    'The status stays. Partners get an event with the period in which delivery is expected.',
    'لا تتغيّر الحالة، ويصل إلى الشركاء إشعار بفترة التنفيذ المتوقَّعة.',
  ],
  expectedPeriod: ['Expected delivery', 'التنفيذ المتوقَّع'],
  expectedHelp: [
    'A year, a quarter or a month: 2027, 2027-Q2, 2027-05.',
    'سنة أو ربع أو شهر: 2027 أو \u20662027-Q2\u2069 أو \u20662027-05\u2069.',
  ],
  reallocate: ['Give to another project', 'نقل إلى مشروع آخر'],
  reallocateConsequence: [
    'The first project cannot deliver. The batch is allocated again, to another one, and has to be funded again. Partners get an event.',
    'المشروع الأول لا يستطيع التنفيذ. تُخصَّص الدفعة من جديد لمشروع آخر ويلزم تمويلها ثانية، ويصل إلى الشركاء إشعار.',
  ],
  correct: ['Correct the trees', 'تصحيح عدد الأشجار'],
  correctConsequence: ['Partners get an event with the new number of trees.', 'يصل إلى الشركاء إشعار بعدد الأشجار الجديد.'],

  evidence: ['Evidence', 'الأدلة'],
  noEvidence: ['There is no evidence yet', 'لا توجد أدلة بعد'],
  noEvidenceHelp: ['Photos, satellite images and reports of the planting.', 'صور وصور أقمار صناعية وتقارير عن الزراعة.'],
  addEvidence: ['Add evidence', 'إضافة دليل'],
  evidenceConsequence: [
    'The SHA-256 of the file is recorded for ever, and partners get an event with its address. The file itself is not kept: put it at its public address. This is final.',
    'تُسجَّل بصمة الملف SHA-256 إلى الأبد، ويصل إلى الشركاء إشعار بعنوانه. لا يُحفظ الملف نفسه: ضعه في عنوانه العام. هذا نهائي.',
  ],
  evidenceInDoubt: [
    'No answer came: the file may have been recorded. Press the button again: if it was, it is not recorded twice.',
    'لم يصل رد، وربما سُجّل الملف. اضغط الزر مرة أخرى: إن كان قد سُجّل فلن يتكرر.',
  ],
  file: ['File', 'الملف'],
  fileHelp: [
    'At most 256 MiB. It is hashed here, and again by the service.',
    'حتى \u2066256 MiB\u2069. تُحسب بصمته هنا، ثم في الخدمة ثانية.',
  ],
  chooseFile: ['Choose a file', 'اختر ملفًا'],
  hashing: ['Computing the SHA-256 of the file …', 'جارٍ حساب بصمة الملف SHA-256 …'],
  sending: ['Sending the file; the service computes its SHA-256 …', 'جارٍ إرسال الملف؛ وتحسب الخدمة بصمته …'],
  fileTooLarge: [
    'The file has more than 256 MiB. Record it with the command below, which reads a file of any size.',
    'حجم الملف أكبر من \u2066256 MiB\u2069. سجّله بالأمر أدناه، فهو يقرأ ملفًا بأي حجم.',
  ],
  unreadable: ['The file could not be read. Choose it again.', 'تعذّرت قراءة الملف. اختره من جديد.'],
  hash: ['SHA-256', 'البصمة SHA-256'],
  type: ['Type', 'النوع'],
  typeHelp: ['A word such as photo or satellite_image.', 'كلمة مثل photo أو satellite_image.'],
  address: ['Public address', 'العنوان العام'],
  addressHelp: [
    'https, where partners and their customers open the file. The service does not open it.',
    'https، حيث يفتح الشركاء وعملاؤهم الملف. لا تفتحه الخدمة.',
  ],
  captured: ['Captured', 'وقت الالتقاط'],
  evidenceAdded: [
    (name: string) => `The evidence ${isolateForeign(name)} is recorded. The service did not open its address.`,
    (name: string) => `سُجّل الدليل ${isolateForeign(name)}. لم تفتح الخدمة عنوانه.`,
  ],
  notOpened: [
    'The service has not opened the addresses. Compare the file at each with its SHA-256.',
    'لم تفتح الخدمة هذه العناوين. قارن الملف الموجود في كل منها ببصمته SHA-256.',
  ],
  bytes: ['Bytes', 'الحجم بالبايت'],
  history: ['History', 'السجل الزمني'],
  change: ['Change', 'التغيير'],
  noHistory: ['No step has been recorded since it was created', 'لم تُسجَّل أي خطوة منذ إنشائها'],
} as const satisfies Texts;

export const PLANTING = {
  recorded: ['Recorded', 'مُسجَّلة'],
  allocated: ['Allocated', 'مُخصَّصة'],
  funded: ['Funded', 'مُموَّلة'],
  in_progress: ['In progress', 'قيد التنفيذ'],
  delivered: ['Delivered', 'منفَّذة'],
  verified: ['Verified', 'متحقَّق منها'],
} as const satisfies Texts;

export const CHANGE = {
  advanced: ['Step recorded', 'سُجّلت خطوة'],
  delayed: ['Delay', 'تأخير'],
  reallocated: ['Another project', 'مشروع آخر'],
  evidence_added: ['Evidence', 'دليل'],
  corrected: ['Corrected trees', 'تصحيح عدد الأشجار'],
} as const satisfies Texts;

/** Who recorded it, by what it led to, or by the kind of change where the status stayed. */
export const RECORDED_BY = {
  allocated: ['Allocated by', 'خصّصها'],
  funded: ['Funding recorded by', 'سجّل تمويلها'],
  in_progress: ['Start recorded by', 'سجّل بدء تنفيذها'],
  delivered: ['Delivery recorded by', 'سجّل تنفيذها'],
  verified: ['Verified by', 'تحقّق منها'],
  delayed: ['Delay recorded by', 'سجّل تأخيرها'],
  reallocated: ['Given to another project by', 'نقلها إلى مشروع آخر'],
  corrected: ['Trees corrected by', 'صحّح عدد أشجارها'],
  evidence_added: ['Evidence added by', 'أضاف إليها دليلًا'],
} as const satisfies Texts;
