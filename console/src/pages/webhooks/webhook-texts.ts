import { countArabic, countEnglish } from '../../format/plural.ts';
import type { Texts } from '../../texts/text.ts';

const DELIVERIES = ['عملية تسليم واحدة', 'عمليتا تسليم', 'عمليات تسليم', 'عملية تسليم', 'عملية تسليم'] as const;

export const WEBHOOK = {
  title: ['Webhooks', 'الإشعارات'],
  help: [
    "The endpoints of all partners: where their events go, and whether the partner's server takes them.",
    'نقاط استقبال جميع الشركاء: إلى أين تذهب إشعاراتهم وهل تتسلّمها خوادمهم.',
  ],
  nothing: ['No endpoint fits these filters', 'لا نقطة استقبال تطابق عوامل التصفية'],
  state: ['Health', 'الحالة الصحية'],
  failing: ['Failing', 'متعثّرة'],
  disabled: ['Disabled', 'معطَّلة'],
  healthy: ['Healthy', 'سليمة'],
  address: ['Address', 'العنوان'],
  failures: ['Failures in a row', 'الإخفاقات المتتالية'],
  since: ['Failing since', 'متعثّرة منذ'],
  paused: ['Paused until', 'موقوفة مؤقتًا حتى'],
  reason: ['Why it is disabled', 'سبب التعطيل'],
  types: ['Event types', 'أنواع الإشعارات'],
  allTypes: ['All', 'الكل'],
  added: ['Added', 'أُضيفت'],
  rotates: ['New secret from', 'سرّ جديد من'],
  endpoint: ['Endpoint', 'نقطة الاستقبال'],
  deliveries: ['Deliveries', 'عمليات التسليم'],
  noDelivery: ['No delivery fits this filter', 'لا عملية تسليم تطابق عامل التصفية'],
  event: ['Event', 'الإشعار'],
  eventId: ['Event id', 'معرّف الإشعار'],
  trigger: ['Why it is sent', 'سبب الإرسال'],
  attempts: ['Attempts', 'المحاولات'],
  next: ['Next attempt', 'المحاولة التالية'],
  delivery: ['Delivery', 'عملية التسليم'],
  answer: ['Answer', 'الرد'],
  noAnswer: ['no answer', 'بلا رد'],
  took: ['Took', 'استغرقت'],
  milliseconds: [(count: number) => `${count} ms`, (count: number) => `${count} ملّي ثانية`],
  excerpt: ['What the receiver wrote', 'ما كتبه المستقبِل'],
  started: ['Began', 'بدأت'],
  test: ['Send a test', 'إرسال اختبار'],
  testGood: [
    (milliseconds: number) => `The receiver took the test event in ${milliseconds} ms.`,
    (milliseconds: number) => `تسلّم المستقبِل إشعار الاختبار خلال ${milliseconds} ملّي ثانية.`,
  ],
  testBad: [
    (why: string) => `The receiver did not take the test event: ${why}.`,
    (why: string) => `لم يتسلّم المستقبِل إشعار الاختبار: ${why}.`,
  ],
  enable: ['Enable', 'تفعيل'],
  enableTitle: ['Enable the endpoint', 'تفعيل نقطة الاستقبال'],
  enableConsequence: [
    'The events that were held are sent, the earliest first, and new ones follow.',
    'تُرسَل الإشعارات المحجوزة، الأقدم أولًا، ثم الجديدة.',
  ],
  enabled: ['The endpoint is enabled.', 'فُعّلت نقطة الاستقبال.'],
  disable: ['Disable', 'تعطيل'],
  disableTitle: ['Disable the endpoint', 'تعطيل نقطة الاستقبال'],
  disableConsequence: [
    'Its events are held until it is enabled again. None is lost.',
    'تُحجز إشعاراتها حتى تُفعَّل من جديد، ولا يضيع أي منها.',
  ],
  disabledDone: ['The endpoint is disabled.', 'عُطّلت نقطة الاستقبال.'],
  recover: ['Send exhausted again', 'إعادة إرسال ما استُنفد'],
  recoverTitle: ['Send exhausted deliveries again', 'إعادة إرسال العمليات التي استُنفدت محاولاتها'],
  recoverConsequence: [
    'Every delivery that was exhausted since this time is sent again. A receiver that knows an event id ignores its repetition.',
    'تُعاد كل عملية تسليم استُنفدت محاولاتها منذ هذا الوقت. المستقبِل الذي يعرف معرّف الإشعار يتجاهل تكراره.',
  ],
  sinceTime: ['Since (your time)', 'منذ (بتوقيتك)'],
  recovered: [
    (count: number) => `${countEnglish(count, 'delivery', 'deliveries')} sent again.`,
    (count: number) => `أُعيد إرسال ${countArabic(count, DELIVERIES)}.`,
  ],
  recovering: [
    (count: number) => `${countEnglish(count, 'delivery', 'deliveries')} sent again so far …`,
    (count: number) => `حتى الآن: ${countArabic(count, DELIVERIES)} …`,
  ],
  resend: ['Send again', 'إعادة الإرسال'],
  resent: ['It is sent again.', 'يُعاد إرسالها.'],
} as const satisfies Texts;

export const TRIGGER = {
  event: ['Event', 'إشعار'],
  resend: ['Sent again', 'إعادة إرسال'],
  recover: ['Recovered', 'استعادة'],
  replay: ['Replayed', 'إعادة عرض'],
  test: ['Test', 'اختبار'],
  sample: ['Sample', 'عيّنة'],
} as const satisfies Texts;
