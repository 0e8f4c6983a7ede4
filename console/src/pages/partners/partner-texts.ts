import type { Texts } from '../../texts/text.ts';

export const PARTNER = {
  title: ['Partners', 'الشركاء'],
  name: ['Name', 'الاسم'],
  namePart: ['A part of the name', 'جزء من الاسم'],
  nothing: ['No partner has such a name', 'لا شريك بهذا الاسم'],
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
  contributions: ['Contributions', 'المساهمات'],
  reviews: ['Reviews', 'المراجعات'],
} as const satisfies Texts;
