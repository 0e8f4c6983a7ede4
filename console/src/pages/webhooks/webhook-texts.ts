import { isolate, isolateForeign } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import { formatWhole } from '../../format/points.ts';
import type { Texts } from '../../texts/text.ts';

/** In the genitive. */
const DELIVERIES = ['عملية تسليم واحدة', 'عمليتي تسليم', 'عمليات تسليم', 'عملية تسليم', 'عملية تسليم'] as const;

const DELIVERIES_ALONE = ['عملية تسليم واحدة', 'عمليتا تسليم', 'عمليات تسليم', 'عملية تسليم', 'عملية تسليم'] as const;

const ATTEMPTS = ['محاولة واحدة', 'محاولتان متتاليتان', 'محاولات متتالية', 'محاولة متتالية', 'محاولة متتالية'] as const;

export const WEBHOOK = {
  title: ['Webhooks', 'الإشعارات'],
  help: [
    "The endpoints of all partners: where their events go, and whether the partner's server takes them.",
    'نقاط استقبال جميع الشركاء: إلى أين تذهب إشعاراتهم وهل تتسلّمها خوادمهم.',
  ],
  nothing: ['No endpoint fits these filters', 'لا نقطة استقبال تطابق عوامل التصفية'],
  nothingYet: ['There is no endpoint yet', 'لا توجد نقاط استقبال بعد'],
  nothingYetHelp: [
    'Add one in the set-up of a partner, or let the partner add its own.',
    'أضف نقطة من صفحة تهيئة الشريك، أو دع الشريك يضيف نقاطه بنفسه.',
  ],
  state: ['Health', 'حالة العمل'],
  failing: ['Failing', 'متعثّرة'],
  disabled: ['Disabled', 'معطَّلة'],
  /** It may not have been tried since it was enabled. */
  notFailing: ['Not failing', 'بلا إخفاق'],
  pausedNow: ['Paused', 'موقوفة مؤقتًا'],
  failures: ['Failures in a row', 'الإخفاقات المتتالية'],
  since: ['Failing since', 'متعثّرة منذ'],
  paused: ['Paused until', 'موقوفة مؤقتًا حتى'],
  isDisabled: [
    'The endpoint is disabled: its events are held until it is enabled',
    'نقطة الاستقبال معطَّلة: تُحجز إشعاراتها حتى تُفعَّل',
  ],
  isPaused: ['Nothing is sent to the endpoint for a while', 'لا يُرسَل شيء إلى نقطة الاستقبال مؤقتًا'],
  pausedFollows: ['The next attempt is made after', 'تُجرى المحاولة التالية بعد'],
  isFailing: ['The receiver does not take the events', 'لا يتسلّم المستقبِل الإشعارات'],
  failingFollows: [
    'What it did not take is sent again by itself, each time after a longer pause.',
    'ما لم يتسلّمه يُعاد إرساله تلقائيًا، وكل مرة بعد مهلة أطول.',
  ],
  disabledBy: ['Disabled by:', 'عطّلها:'],
  enabledBy: ['Enabled by:', 'فعّلها:'],
  removedBy: ['Removed by:', 'أزالها:'],
  inRow: [
    (count: number) => `${countEnglish(count, 'attempt')} failed in a row, since`,
    (count: number) => `أخفقت ${countArabic(count, ATTEMPTS)}، منذ`,
  ],
  stoppedBy: [
    (answer: string) => `The attempt that stopped it: ${answer}`,
    (answer: string) => `المحاولة التي أوقفتها: ${isolateForeign(answer)}`,
  ],
  failedLast: [
    (answer: string) => `The last failed attempt: ${answer}`,
    (answer: string) => `آخر محاولة فاشلة: ${isolateForeign(answer)}`,
  ],
  notDelivered: ['What is not delivered', 'ما لم يُسلَّم'],
  undelivered: ['Not delivered', 'لم تُسلَّم'],
  waitingHelp: ['Will be sent when due', 'ستُرسَل في موعدها'],
  heldHelp: ['Will be sent once the endpoint is enabled', 'ستُرسَل بعد تفعيل نقطة الاستقبال'],
  exhaustedHelp: ['Only an operator sends these again', 'لا يعيد إرسالها إلا مشغّل'],
  lastDay: ['Events of the last 24 hours', 'إشعارات آخر 24 ساعة'],
  eventsOfHours: ['Events of each hour', 'إشعارات كل ساعة'],
  hour: ['Hour', 'الساعة'],
  dayAgo: ['24 h ago', 'قبل 24 ساعة'],
  now: ['now', 'الآن'],
  atOnce: ['Delivered at once', 'سُلّمت فورًا'],
  later: ['Delivered later', 'سُلّمت لاحقًا'],
  unended: ['Not delivered yet', 'لم تُسلَّم بعد'],
  spent: ['Exhausted', 'استُنفدت محاولاتها'],
  noEvent: ['No event', 'لا إشعارات'],
  firstOfHour: [
    'Of each hour the first 100 deliveries of the partner are looked at.',
    'يُنظر من كل ساعة في أول 100 عملية تسليم للشريك.',
  ],
  types: ['Event types', 'أنواع الإشعارات'],
  allTypes: ['All', 'الكل'],
  rotates: ['Only the new secret from', 'يسري السرّ الجديد وحده ابتداءً من'],
  removedAfter: [
    (days: number) =>
      `Events are removed after ${countEnglish(days, 'day')}, with their deliveries and attempts. If the address is of an older one, it is gone. Otherwise search for it by its id, order or key.`,
    (days: number) =>
      `تُزال الإشعارات مع عمليات تسليمها ومحاولاتها بعد ${countArabic(days, ['يوم واحد', 'يومين', 'أيام', 'يومًا', 'يوم'])}. إن كان العنوان لما هو أقدم فقد أُزيل، وإلا فابحث عنه بمعرّفه أو برقم الطلب أو بالمفتاح.`,
  ],
  endpoint: ['Endpoint', 'نقطة الاستقبال'],
  deliveries: ['Deliveries', 'عمليات التسليم'],
  noDeliveryYet: ['Nothing was sent to this endpoint yet', 'لم يُرسَل شيء إلى هذه النقطة بعد'],
  noDeliveryYetHelp: ['Its events and tests appear here.', 'تظهر هنا إشعاراتها واختباراتها.'],
  noDelivery: ['No delivery fits this filter', 'لا عملية تسليم تطابق عامل التصفية'],
  event: ['Event', 'الإشعار'],
  noDeliveryOfEvent: ['This event was sent to no endpoint', 'لم يُرسَل هذا الإشعار إلى أي نقطة استقبال'],
  noneGotIt: [
    'When it occurred, no endpoint of the partner got events of this type.',
    'عند وقوعه لم تكن للشريك نقطة استقبال تتسلّم إشعارات من هذا النوع.',
  ],
  noEndpointNow: ['The partner has no endpoint now either.', 'وليست للشريك الآن أي نقطة استقبال.'],
  addedLater: ['Added later:', 'أُضيفت بعده:'],
  notThisType: ['Does not get this type of event.', 'لا تتسلّم هذا النوع من الإشعارات.'],
  typesChanged: ['Its event types were changed later:', 'تغيّرت أنواع إشعاراتها بعده:'],
  notRecorded: [
    'Gets this type of event now. Why it did not get this one is not recorded.',
    'تتسلّم هذا النوع من الإشعارات الآن. لم يُسجَّل سبب عدم تسلّمها هذا الإشعار.',
  ],
  occurred: ['Time of the event', 'وقت الإشعار'],
  eventId: ['Event id', 'معرّف الإشعار'],
  sequence: ['Sequence at the partner', 'التسلسل لدى الشريك'],
  body: ['What is sent', 'ما يُرسَل'],
  bodyHelp: [
    'These bytes are the body of every attempt, and its signature covers them.',
    'هذه البايتات هي نص كل محاولة، وعليها يُحسب توقيعها.',
  ],
  copyBody: ['Copy the body', 'نسخ النص'],
  signing: ['How it is signed', 'كيف يُوقَّع'],
  signedTwice: [
    'Each attempt is signed anew and has both groups of headers. A receiver verifies either of them, and refuses what differs or is older than five minutes.',
    'تُوقَّع كل محاولة من جديد وتحمل مجموعتي الترويسات معًا. يتحقق المستقبِل من إحداهما، ويرفض ما يختلف أو ما مضت عليه خمس دقائق.',
  ],
  secretIs: ['`SECRET` is the whole secret of the endpoint, with `whsec_`.', '`SECRET` هو سرّ نقطة الاستقبال كاملًا مع `whsec_`.'],
  keyIs: [
    '`KEY` is what follows `whsec_` in the secret, decoded from Base64, as Standard Webhooks has it.',
    '`KEY` هو ما يلي `whsec_` في السرّ بعد فكّ ترميز `Base64`، وفق `Standard Webhooks`.',
  ],
  signatureRefused: [
    'Most refused signatures come from a body that was parsed and written again, or from an old secret. The command `npx partner-impact-sdk webhook verify` tells which.',
    'أكثر التواقيع المرفوضة سببها نص حُلّل ثم كُتب ثانية، أو سرّ قديم. يبيّن السبب الأمر `npx partner-impact-sdk webhook verify`.',
  ],
  trigger: ['Why it is sent', 'سبب الإرسال'],
  attempts: ['Attempts', 'المحاولات'],
  next: ['Next attempt', 'المحاولة التالية'],
  delivery: ['Delivery', 'عملية التسليم'],
  answer: ['Answer', 'الرد'],
  noAttempt: ['No attempt was made', 'لم تُجرَ أي محاولة'],
  took: ['Took', 'استغرقت'],
  milliseconds: [
    (count: number) => `${formatWhole(BigInt(count))} ms`,
    (count: number) => `${formatWhole(BigInt(count))} ملّي ثانية`,
  ],
  excerpt: ['What the receiver wrote', 'ما كتبه المستقبِل'],
  wrote: [
    (excerpt: string) => `The receiver wrote: “${isolateForeign(excerpt)}”`,
    (excerpt: string) => `كتب المستقبِل: «${isolateForeign(excerpt)}»`,
  ],
  gone: ['It wants no more events', 'لا يريد مزيدًا من الإشعارات'],
  started: ['Began', 'بدأت'],
  newSecret: ['New secret', 'سرّ جديد'],
  newSecretTitle: ['Make a new secret?', 'إنشاء سرّ جديد؟'],
  newSecretConsequence: [
    'For 24 hours each delivery has two signatures: `X-Service-Signature` with the old secret, and `X-Service-Signature-Next` with the new one. Then the new one is the only one. Give it to the partner before that time, in a way that nobody else can read it.',
    'طوال 24 ساعة تحمل كل عملية تسليم توقيعين: `X-Service-Signature` بالسرّ القديم و`X-Service-Signature-Next` بالسرّ الجديد. بعد ذلك لا يُستعمل إلا السرّ الجديد. سلّمه إلى الشريك قبل ذلك بطريقة لا يستطيع غيره قراءته بها.',
  ],
  newSecretIs: ['The new secret of the endpoint', 'السرّ الجديد لنقطة الاستقبال'],
  copySecret: ['Copy the secret', 'نسخ السرّ'],
  newSecretDone: [
    (name: string) => `Endpoint ${isolateForeign(name)} has a new secret.`,
    (name: string) => `لنقطة الاستقبال ${isolateForeign(name)} سرّ جديد.`,
  ],
  newSecretWaits: [
    (command: string) =>
      `The endpoint has a new secret already, which becomes the only one at the time below. If it is lost, replace it on the command line: ${command}`,
    (command: string) =>
      `لنقطة الاستقبال سرّ جديد بالفعل، ويصبح الوحيد في الوقت المبيَّن أدناه. إن ضاع فاستبدله من سطر الأوامر: ${isolate(command)}`,
  ],
  newSecretInDoubt: [
    'No answer came: the secret may have been made. Press the button again: if it was, you get the same one.',
    'لم يصل رد، وربما أُنشئ السرّ. اضغط الزر مرة أخرى: إن كان قد أُنشئ فستحصل عليه نفسه.',
  ],
  newSecretBy: ['Made by:', 'أنشأه:'],
  test: ['Send a test', 'إرسال اختبار'],
  testHelp: [
    'A test that fails counts as a failed attempt, and may pause the endpoint for up to 10 minutes.',
    'يُحسب الاختبار الفاشل محاولةً فاشلة، وقد يوقف الإرسال مؤقتًا مدةً تصل إلى 10 دقائق.',
  ],
  testInDoubt: [
    'No answer came: the test event may have been sent. Another test sends another one.',
    'لم يصل رد: ربما أُرسل إشعار الاختبار. كل اختبار آخر يرسل إشعارًا آخر.',
  ],
  testGood: [
    (milliseconds: number) => `The receiver took the test event in ${formatWhole(BigInt(milliseconds))} ms.`,
    (milliseconds: number) => `تسلّم المستقبِل إشعار الاختبار خلال ${formatWhole(BigInt(milliseconds))} ملّي ثانية.`,
  ],
  testBad: [
    (name: string, why: string) => `The receiver of ${name} did not take the test event: ${why}.`,
    (name: string, why: string) => `لم يتسلّم مستقبِل ${isolate(name)} إشعار الاختبار: ${why}.`,
  ],
  enable: ['Enable', 'تفعيل'],
  enableTitle: ['Enable the endpoint', 'تفعيل نقطة الاستقبال'],
  enableConsequence: [
    'The events that were held are sent, the earliest first, and new ones follow.',
    'تُرسَل الإشعارات المحجوزة، الأقدم أولًا، ثم الجديدة.',
  ],
  enabled: [
    (name: string, held: string) => `The endpoint ${name} is enabled. Held deliveries that are sent now: ${held}.`,
    (name: string, held: string) => `فُعّلت نقطة الاستقبال ${isolate(name)}. العمليات المحجوزة التي تُرسَل الآن: ${isolate(held)}.`,
  ],
  disable: ['Disable', 'تعطيل'],
  disableTitle: ['Disable the endpoint', 'تعطيل نقطة الاستقبال'],
  disableConsequence: [
    'Its events are held until it is enabled again. None is lost.',
    'تُحجز إشعاراتها حتى تُفعَّل من جديد، ولا يضيع أي منها.',
  ],
  disabledDone: [
    (name: string) => `The endpoint ${name} is disabled. Its events are held.`,
    (name: string) => `عُطّلت نقطة الاستقبال ${isolate(name)}. تُحجز إشعاراتها.`,
  ],
  remove: ['Remove', 'إزالة'],
  removeTitle: [
    (name: string) => `Remove the endpoint ${isolateForeign(name)}`,
    (name: string) => `إزالة نقطة الاستقبال ${isolateForeign(name)}`,
  ],
  removeConsequence: [
    'Nothing is sent to it any more. Deliveries that wait or are held are never sent, and exhausted ones are not sent again. To get events again the partner needs a new endpoint, which has a new secret. This is final.',
    'لا يُرسَل إليها شيء بعد ذلك. عمليات التسليم المنتظرة والمحجوزة لا تُرسَل أبدًا، وما استُنفدت محاولاته لا يُعاد إرساله. ليتلقّى الشريك الإشعارات من جديد يحتاج إلى نقطة استقبال جديدة لها سرّ جديد. هذا نهائي.',
  ],
  removedDone: [
    (name: string) => `The endpoint ${isolateForeign(name)} is removed.`,
    (name: string) => `أُزيلت نقطة الاستقبال ${isolateForeign(name)}.`,
  ],
  waitingNow: ['Waiting deliveries', 'العمليات المنتظرة'],
  heldNow: ['Held deliveries', 'العمليات المحجوزة'],
  recover: ['Send exhausted again', 'إعادة إرسال ما استُنفدت محاولاته'],
  recoverTitle: ['Send exhausted deliveries again', 'إعادة إرسال العمليات التي استُنفدت محاولاتها'],
  recoverConsequence: [
    'Every delivery that was exhausted since this time is sent again. A receiver that knows an event id ignores its repetition.',
    'يُعاد إرسال كل عملية تسليم استُنفدت محاولاتها منذ هذا الوقت. المستقبِل الذي يعرف معرّف الإشعار يتجاهل تكراره.',
  ],
  sinceTime: ['Since', 'منذ'],
  exhaustedNow: ['Exhausted deliveries', 'العمليات التي استُنفدت محاولاتها'],
  recoverNothing: ['Nothing is exhausted at this endpoint', 'لا عملية استُنفدت محاولاتها لدى نقطة الاستقبال هذه'],
  recovered: [
    (count: number) => `${countEnglish(count, 'delivery', 'deliveries')} will be sent again now.`,
    (count: number) => `سيُعاد الآن إرسال ${countArabic(count, DELIVERIES)}.`,
  ],
  recoveredHeld: [
    (count: number) => `${countEnglish(count, 'delivery', 'deliveries')} will be sent again when the endpoint is enabled.`,
    (count: number) => `سيُعاد إرسال ${countArabic(count, DELIVERIES)} عند تفعيل نقطة الاستقبال.`,
  ],
  recoveredNone: [
    'No delivery that was exhausted since this time is left to be sent again.',
    'لم تبقَ عملية استُنفدت محاولاتها منذ هذا الوقت ليُعاد إرسالها.',
  ],
  sentAgain: [
    (count: number) => `Sent again last: ${countEnglish(count, 'delivery', 'deliveries')}`,
    (count: number) => `آخر ما أُعيد إرساله: ${countArabic(count, DELIVERIES_ALONE)}`,
  ],
  sentAgainDelivered: ['All that was sent again is delivered.', 'سُلّم كل ما أُعيد إرساله.'],
  sentAgainLeft: [
    (open: string, exhausted: string) =>
      `Of what was sent again and is not delivered: ${open} still to be sent, ${exhausted} exhausted again.`,
    (open: string, exhausted: string) =>
      `مما أُعيد إرساله ولم يُسلَّم: بانتظار الإرسال ${isolate(open)}، واستُنفدت محاولاتها من جديد ${isolate(exhausted)}.`,
  ],
  recovering: [
    (count: number, total: string) => `So far ${countEnglish(count, 'delivery', 'deliveries')} of ${total} will be sent again …`,
    (count: number, total: string) => `حتى الآن سيُعاد إرسال ${countArabic(count, DELIVERIES)} من أصل ${isolate(total)} …`,
  ],
  resend: ['Send again', 'إعادة الإرسال'],
  resent: [
    (delivery: string) => `The delivery ${delivery} is sent again.`,
    (delivery: string) => `يُعاد إرسال عملية التسليم ${isolate(delivery)}.`,
  ],
} as const satisfies Texts;

/** Reasons of the service itself, as it writes them. */
export const DISABLED_FOR = {
  'The receiver answered 410 Gone.': [
    'The receiver answered 410 Gone: it wants no more events.',
    'ردّ المستقبِل بالرمز \u2066410 Gone\u2069: لا يريد مزيدًا من الإشعارات.',
  ],
  'No attempt succeeded within five days.': ['No attempt succeeded within five days.', 'لم تنجح أي محاولة خلال خمسة أيام.'],
} as const satisfies Texts;

export const TRIGGER = {
  event: ['A new event', 'إشعار جديد'],
  resend: ['Sent again', 'إعادة إرسال'],
  recover: ['Sent again by an operator', 'أعاد مشغّل إرسالها'],
  replay: ['Missing event', 'إشعار لم يسبق إرساله إليها'],
  test: ['Test', 'اختبار'],
  sample: ['Sample', 'عيّنة'],
} as const satisfies Texts;
