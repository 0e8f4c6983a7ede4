import { isolateForeign } from '../../../format/isolate.ts';
import type { Texts } from '../../../texts/text.ts';

export const SET_UP = {
  newPartner: ['New partner', 'شريك جديد'],
  help: [
    'Each step is kept when it is done. You may leave, and come back to this page later.',
    'تُحفظ كل خطوة عند إتمامها. يمكنك المغادرة والعودة إلى هذه الصفحة لاحقًا.',
  ],
  setUp: ['Set-up', 'التهيئة'],
  setUpOf: [(name: string) => `Set-up of ${isolateForeign(name)}`, (name: string) => `تهيئة ${isolateForeign(name)}`],
  done: ['Done', 'تمّت'],
  open: ['To do', 'لم تتم'],
  optional: ['Optional', 'اختيارية'],
  locked: ['After step 1', 'بعد الخطوة 1'],
  notAllowed: ['This takes the role operator.', 'يتطلب هذا دور المشغّل.'],

  partner: ['Partner', 'الشريك'],
  partnerHelp: [
    'Currency and time zone are fixed once a record depends on them. The partner is created with its first settlement.',
    'تثبت العملة والمنطقة الزمنية بمجرد أن يعتمد عليهما سجل. يُنشأ الشريك مع تسويته الأولى.',
  ],
  name: ['Name', 'الاسم'],
  nameHelp: ['As operators see and find it.', 'كما يراه المشغّلون ويبحثون عنه.'],
  currency: ['Currency', 'العملة'],
  currencyHelp: [
    'Three letters, such as SAR. While it is empty, points have no value.',
    'ثلاثة أحرف مثل SAR. لا قيمة للنقاط ما دامت فارغة.',
  ],
  currencyLater: [
    'It has no currency yet, so its points have no value. “Edit the partner” on its page sets one, until a record depends on it.',
    'ليست له عملة بعد، فلا قيمة لنقاطه. يحدّدها «تعديل بيانات الشريك» في صفحته، ما لم يعتمد عليها سجل.',
  ],
  zone: ['Time zone', 'المنطقة الزمنية'],
  zoneHelp: ['Its days, months and settlements follow this zone.', 'تتبع أيامه وأشهره وتسوياته هذه المنطقة.'],
  terms: ['Requests a second', 'طلبات الواجهة البرمجية في الثانية'],
  termsFixed: [
    (writes: string, lookups: string, reports: string) =>
      `Requests a second: ${writes} confirmations and estimates, ${lookups} look-ups, ${reports} others. An administrator can change them later.`,
    (writes: string, lookups: string, reports: string) =>
      `طلبات الواجهة البرمجية في الثانية: التأكيدات والتقديرات ${writes}، والاستعلامات ${lookups}، وغيرها ${reports}. يستطيع المسؤول تغييرها لاحقًا.`,
  ],
  writesASecond: ['Confirmations and estimates a second', 'التأكيدات والتقديرات في الثانية'],
  lookupsASecond: ['Look-ups a second', 'الاستعلامات في الثانية'],
  reportsASecond: ['Other requests a second', 'الطلبات الأخرى في الثانية'],
  writes: ['Confirmations and estimates', 'التأكيدات والتقديرات'],
  lookups: ['Look-ups', 'الاستعلامات'],
  reports: ['Other requests', 'طلبات أخرى'],
  create: ['Create the partner', 'إنشاء الشريك'],
  createInDoubt: [
    'No answer came: the partner may have been created. Press the button again: if it was, you get the same one.',
    'لم يصل رد، وربما أُنشئ الشريك. اضغط الزر مرة أخرى: إن كان قد أُنشئ فستحصل عليه نفسه.',
  ],
  created: [
    (name: string) => `The partner ${isolateForeign(name)} is created.`,
    (name: string) => `أُنشئ الشريك ${isolateForeign(name)}.`,
  ],

  rule: ['Rule', 'القاعدة'],
  ruleHelp: ['What is in force for this partner now, and what starts later.', 'ما يسري على هذا الشريك الآن، وما يبدأ لاحقًا.'],
  ruleDefault: [
    'No rule was made for it: every number of points is taken, nothing is reviewed, and points have no value.',
    'لم تُوضع له قاعدة: يُقبل أي عدد من النقاط، ولا تُراجَع أي مساهمة، ولا قيمة للنقاط.',
  ],
  ruleUntil: [
    (changed: readonly string[]) => `Until the versions below start, ${new Intl.ListFormat('en').format(changed)}.`,
    (changed: readonly string[]) => `حتى بدء الإصدارات أدناه: ${changed.join('، و')}.`,
  ],
  without_contribution_rule: ['every number of points is taken without a review', 'يُقبل أي عدد من النقاط دون مراجعة أي مساهمة'],
  without_point_conversion: ['points have no value', 'لا قيمة للنقاط'],
  without_tree_cost: ['the cost of a tree is not known', 'لا تُعرف تكلفة الشجرة'],
  ruleMissing: [
    (kinds: readonly string[]) => `Without a version yet: ${kinds.join(', ')}.`,
    (kinds: readonly string[]) => `بلا إصدار بعد: ${kinds.join('، ')}.`,
  ],
  ruleUpcoming: ['Starts later', 'يبدأ لاحقًا'],
  ruleNew: ['New version for this partner', 'إصدار جديد لهذا الشريك'],
  ruleByAdmin: ['An administrator creates rules.', 'إنشاء القواعد للمسؤول.'],
  ruleLink: ['All versions', 'كل الإصدارات'],

  key: ['API key', 'مفتاح API'],
  keyHelp: ["The partner's server sends it with every request.", 'يرسله خادم الشريك مع كل طلب.'],
  keyId: ['Key id', 'معرّف المفتاح'],
  keyName: ['Name of the key', 'اسم المفتاح'],
  permission: ['Permission', 'الصلاحية'],
  read_write: ['Confirms and reads', 'يؤكّد ويقرأ'],
  read_only: ['Reads only', 'يقرأ فقط'],
  manage: ['Confirms, reads, and manages its endpoints', 'يؤكّد ويقرأ ويدير نقاط الاستقبال'],
  issue: ['Issue a key', 'إصدار مفتاح'],
  issued: [
    (name: string) => `The key “${isolateForeign(name)}” is issued.`,
    (name: string) => `أُصدر المفتاح «${isolateForeign(name)}».`,
  ],
  issueInDoubt: [
    'No answer came: the key may have been issued. Press the button again: if it was, you get the same one.',
    'لم يصل رد، وربما أُصدر المفتاح. اضغط الزر مرة أخرى: إن كان قد أُصدر فستحصل عليه نفسه.',
  ],
  copyKey: ['Copy the key', 'نسخ المفتاح'],
  copySecret: ['Copy the secret', 'نسخ السر'],
  ends: ['Ends', 'ينتهي'],
  endsHelp: ['Empty: it has no end.', 'إن تُرك فارغًا فلا نهاية له.'],
  allowedFrom: ['Allowed from', 'مسموح من'],
  everyAddress: ['every address', 'كل العناوين'],
  lastUsed: ['Last used', 'آخر استخدام'],
  active: ['Active', 'سارٍ'],
  expired: ['Expired', 'منتهي الصلاحية'],
  revoked: ['Revoked', 'أُلغي'],
  noKey: ['No key fits these filters', 'لا مفتاح يطابق عوامل التصفية'],
  rotate: ['Replace', 'استبدال'],
  rotateConsequence: [
    'A new key with the same permission is issued and shown once. The old one works for 24 hours more.',
    'يُصدر مفتاح جديد بالصلاحية نفسها ويُعرض مرة واحدة. يبقى القديم صالحًا 24 ساعة أخرى.',
  ],
  keepsEnd: ['The new key ends when the old one would have:', 'ينتهي المفتاح الجديد حين كان سينتهي القديم:'],
  notReplaced: [
    'It has ended, or ends within 24 hours, and is not replaced any more. If no key has followed it yet, issue another key.',
    'انتهت صلاحيته أو تنتهي خلال 24 ساعة، فلم يعد يُستبدل. إن لم يصدر بعدُ مفتاح يخلفه فأصدر مفتاحًا آخر.',
  ],
  revoke: ['Revoke', 'إلغاء المفتاح'],
  revokeConsequence: [
    'The key is refused everywhere within ten seconds. This is final.',
    'يُرفض المفتاح في كل مكان خلال عشر ثوانٍ. هذا نهائي.',
  ],
  revokeDone: [
    (name: string) => `The key “${isolateForeign(name)}” is revoked.`,
    (name: string) => `أُلغي المفتاح «${isolateForeign(name)}».`,
  ],
  revokedBy: ['Revoked by', 'ألغاه'],
  anotherKey: ['Issue another key', 'إصدار مفتاح آخر'],

  endpoint: ['Webhook endpoint', 'نقطة استقبال الإشعارات'],
  endpointHelp: [
    'The receiver has to answer a signed challenge at once. If it does not, the endpoint is not added.',
    'على المستقبِل أن يجيب عن تحدٍّ موقَّع فورًا، وإن لم يُجب فلا تُضاف نقطة الاستقبال.',
  ],
  challengeAnswer: [
    'The challenge is a POST whose event_type is webhook.endpoint.verification. The answer is 200 with the text of data.challenge, as JSON:',
    'التحدي طلب POST قيمة event_type فيه webhook.endpoint.verification. والجواب 200 مع نص data.challenge بصيغة JSON:',
  ],
  challengeHow: [
    'The package for partners answers it by itself. Without the package, a line of the receiver does:',
    'تجيب عنه حزمة الشركاء من تلقاء نفسها. ومن دون الحزمة يكفي سطر في المستقبِل:',
  ],
  url: ['Address', 'العنوان'],
  urlHelp: ['https, at a public host.', 'https، على مضيف عام.'],
  urlHelpSandbox: [
    'https, at a public host. A sandbox for this machine alone also takes http://127.0.0.1:PORT/ for a receiver here.',
    'https، على مضيف عام. والبيئة التجريبية المقصورة على هذا الجهاز تقبل أيضًا \u2066http://127.0.0.1:PORT/\u2069 لمستقبِل عليه.',
  ],
  eventTypes: ['Event types', 'أنواع الإشعارات'],
  eventTypesHelp: [
    'Without a choice it gets all, also those of later releases.',
    'من دون اختيار تصله جميعها، ومنها أنواع الإصدارات اللاحقة.',
  ],
  addEndpoint: ['Challenge and add', 'اختبار التحدي ثم الإضافة'],
  challenging: [
    'Waiting for the receiver to answer the challenge; at most 15 seconds …',
    'بانتظار جواب المستقبِل عن التحدي؛ 15 ثانية على الأكثر …',
  ],
  added: [
    (name: string) => `The endpoint ${isolateForeign(name)} answered the challenge and is added.`,
    (name: string) => `أجابت نقطة الاستقبال ${isolateForeign(name)} عن التحدي وأُضيفت.`,
  ],
  secretOf: [
    (name: string) => `The secret by which the partner verifies deliveries to ${isolateForeign(name)}`,
    (name: string) => `السر الذي يتحقق به الشريك من الإشعارات إلى ${isolateForeign(name)}`,
  ],
  addInDoubt: [
    'No answer came: the endpoint may have been added. Press the button again: if it was, you get its secret.',
    'لم يصل رد، وربما أُضيفت نقطة الاستقبال. اضغط الزر مرة أخرى: إن كانت قد أُضيفت فستحصل على سرّها.',
  ],
  anotherEndpoint: ['Add another endpoint', 'إضافة نقطة أخرى'],

  first: ['First confirmation', 'التأكيد الأول'],
  firstHelp: [
    "The test is a contribution of 10 points. It is sent with the partner's key, as the partner's server sends its own.",
    'الاختبار مساهمة من 10 نقاط تُرسل بمفتاح الشريك، كما يرسل خادم الشريك مساهماته.',
  ],
  firstProduction: [
    'In production the partner sends the first confirmation. It appears here when it comes.',
    'في بيئة الإنتاج يرسل الشريك التأكيد الأول، ويظهر هنا عند وصوله.',
  ],
  startLater: ['Versions that start later:', 'إصدارات تبدأ لاحقًا:'],
  waitForStart: [
    'A confirmation before that is taken under what is in force now. To test these versions, wait for their start.',
    'التأكيد قبل ذلك يُسجَّل وفق ما يسري الآن. لاختبار هذه الإصدارات انتظر بدايتها.',
  ],
  takenUnder: ['Taken under:', 'سُجّلت وفق:'],
  inForceSince: ['In force since then:', 'بدأ سريانها بعد ذلك:'],
  sendAgain: ['– another confirmation is taken under it.', '– يُسجَّل وفقها أي تأكيد جديد.'],
  ownKey: ['A key of the partner', 'مفتاح للشريك'],
  ownKeyNotKept: ['It is sent with this confirmation, and not kept.', 'يُرسَل مع هذا التأكيد ولا يُحفظ.'],
  ownKeyFilled: ['The one that was just issued is filled in. It is not kept.', 'مُلئ المفتاح الصادر للتو، ولا يُحفظ.'],
  send: ['Send a test confirmation', 'إرسال تأكيد تجريبي'],
  sent: ['The test confirmation is recorded.', 'سُجّل التأكيد التجريبي.'],
  refused: ['The interface of partners refused the test confirmation', 'رفضت واجهة الشركاء التأكيد التجريبي'],
  waitingFor: ['No contribution has arrived yet.', 'لم تصل أي مساهمة بعد.'],
  arrived: ['The latest contribution', 'أحدث مساهمة'],
  delivered: ['Its events and deliveries', 'إشعاراتها وعمليات تسليمها'],
} as const satisfies Texts;
