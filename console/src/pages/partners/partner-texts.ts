import { isolateForeign } from '../../format/isolate.ts';
import type { Texts } from '../../texts/text.ts';

export const PARTNER = {
  title: ['Partners', 'الشركاء'],
  name: ['Name', 'الاسم'],
  namePart: ['A part of the name', 'جزء من الاسم'],
  nothing: ['No partner matches', 'لا شريك مطابق'],
  currency: ['Currency', 'العملة'],
  noCurrency: ['not fixed yet', 'لم تُحدَّد بعد'],
  zone: ['Time zone', 'المنطقة الزمنية'],
  id: ['Partner id', 'معرّف الشريك'],
  since: ['Since', 'منذ'],
  suspendedAt: ['Suspended', 'أُوقف'],
  rates: ['Requests a second', 'الطلبات في الثانية'],
  writes: ['Confirmations and estimates', 'التأكيدات والتقديرات'],
  lookups: ['Look-ups', 'الاستعلامات'],
  reports: ['Other requests', 'طلبات أخرى'],
  change: ['Change', 'تغيير'],
  changed: [
    (name: string, change: string) => `Partner ${isolateForeign(name)}: ${change}.`,
    (name: string, change: string) => `الشريك ${isolateForeign(name)}: ${change}.`,
  ],
  policyNew: ['another currency or time zone', 'عملة أو منطقة زمنية أخرى'],
  ratesNew: ['other rates', 'معدلات أخرى'],
  policy: ['Currency and time zone', 'العملة والمنطقة الزمنية'],
  policyConsequence: [
    'Both are fixed once a record depends on them; then this is refused.',
    'تثبتان بمجرد أن يعتمد عليهما سجل، وعندئذ يُرفض التغيير.',
  ],
  ratesConsequence: ['It takes effect within ten seconds.', 'يسري خلال عشر ثوانٍ.'],
  suspend: ['Suspend', 'إيقاف'],
  suspendConsequence: [
    'The partner records nothing new, within ten seconds. Its look-ups and repetitions still work. It can be resumed.',
    'لا يسجّل الشريك شيئًا جديدًا خلال عشر ثوانٍ. تبقى استعلاماته وطلباته المكررة تعمل، ويمكن استئنافه.',
  ],
  resume: ['Resume', 'استئناف'],
  resumeConsequence: ['The partner records again, within ten seconds.', 'يعود الشريك إلى التسجيل خلال عشر ثوانٍ.'],
  lists: ['What is recorded of it', 'سجلات هذا الشريك'],
} as const satisfies Texts;
