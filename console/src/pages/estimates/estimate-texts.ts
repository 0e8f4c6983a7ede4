import type { Texts } from '../../texts/text.ts';

export const ESTIMATE = {
  title: ['Estimate', 'التقدير'],
  help: [
    'Well-to-wheel emissions of a delivery, with the steps that anybody can repeat by hand.',
    'انبعاثات توصيلة من إنتاج الوقود إلى استهلاكه، مع خطوات يستطيع أي شخص إعادتها يدويًا.',
  ],
  shown: ['Shown to the customer', 'ما يظهر للعميل'],
  distance: ['Distance', 'المسافة'],
  vehicle: ['Vehicle', 'المركبة'],
  factor: ['Emission factor', 'معامل الانبعاثات'],
  perKm: ['g CO2e per km', 'جم من مكافئ ثاني أكسيد الكربون لكل كم'],
  calculated: ['Calculated', 'حُسب'],
  expires: ['Expires', 'ينتهي'],
  methodology: ['Method', 'المنهجية'],
  catalogue: ['Vehicle catalogue', 'دليل المركبات'],
  factors: ['Version of the factors', 'إصدار معاملات الانبعاثات'],
  link: ['Linked contribution', 'المساهمة المرتبطة'],
  noLink: ['None', 'لا توجد'],
  sheet: ['Calculation', 'الحساب'],
  step: ['Step', 'الخطوة'],
  expression: ['Arithmetic', 'العملية الحسابية'],
  result: ['Result', 'النتيجة'],
  roundedHalfUp: [
    (value: string) => `${value} rounded half up to two decimals`,
    (value: string) => `تقريب ${value} إلى منزلتين عشريتين، والنصف إلى أعلى`,
  ],
  notRounded: ['Not rounded: below the threshold', 'بلا تقريب: أقل من الحد'],
  yes: ['Yes', 'نعم'],
  no: ['No', 'لا'],
  disclosure: ['Sentence beside the value', 'الجملة المرافقة للقيمة'],
} as const satisfies Texts;

export const UNIT = {
  km: ['km', 'كم'],
  gco2e: ['g CO2e', 'جم من مكافئ ثاني أكسيد الكربون'],
  kgco2e: ['kg CO2e', 'كجم من مكافئ ثاني أكسيد الكربون'],
} as const satisfies Texts;

export const STEP = {
  product: ['Distance times factor', 'المسافة مضروبة في المعامل'],
  division: ['Grams to kilograms', 'من جرامات إلى كيلوجرامات'],
  threshold: ['Below the smallest value shown?', 'أقل من أصغر قيمة معروضة؟'],
  rounding: ['Rounded for display', 'مقرَّبة للعرض'],
} as const satisfies Texts;

export const VEHICLE = {
  motorcycle_gasoline: ['Gasoline motorcycle', 'دراجة نارية تعمل بالبنزين'],
  car_gasoline: ['Gasoline car', 'سيارة تعمل بالبنزين'],
} as const satisfies Texts;
