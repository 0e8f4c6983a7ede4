import { isolateForeign } from '../../format/isolate.ts';
import type { Texts } from '../../texts/text.ts';

export const OPERATOR = {
  title: ['Operators', 'المشغّلون'],
  help: [
    'The people who run the service. Each role includes the rights of the roles before it: viewer, operator, approver, administrator.',
    'من يديرون الخدمة. كل دور يشمل صلاحيات ما قبله: مُطّلع، مشغّل، مُعتمِد، مسؤول.',
  ],
  name: ['Name', 'الاسم'],
  email: ['E-mail address', 'البريد الإلكتروني'],
  role: ['Role', 'الدور'],
  since: ['Since', 'منذ'],
  id: ['Operator id', 'معرّف المشغّل'],
  nothing: ['There is no operator', 'لا مشغّلين'],
  add: ['Add an operator', 'إضافة مشغّل'],
  addConsequence: [
    'The person gets a one-time link, which is shown once and works for a day. For 7 days neither of you can be the second person for what the other did.',
    'يحصل الشخص على رابط صالح لمرة واحدة، يُعرض مرة واحدة ويعمل ليوم واحد. ولمدة 7 أيام لا يمكن لأيٍّ منكما أن يكون الشخص الثاني لما قام به الآخر.',
  ],
  added: [
    (name: string) => `The operator ${isolateForeign(name)} is added.`,
    (name: string) => `أُضيف المشغّل ${isolateForeign(name)}.`,
  ],
  link: ['Give this link to the person', 'أعطِ هذا الرابط للشخص'],
  copyLink: ['Copy the link', 'نسخ الرابط'],
} as const satisfies Texts;
