import { isolateForeign } from '../../format/isolate.ts';
import type { Texts } from '../../texts/text.ts';

export const OPERATOR = {
  title: ['Operators', 'المشغّلون'],
  help: [
    'The people who run the service. Each role includes the rights of the roles before it: viewer, operator, approver, administrator. Only an administrator adds people.',
    'من يديرون الخدمة. كل دور يشمل صلاحيات ما قبله: مُطّلع، مشغّل، مُعتمِد، مسؤول. لا يضيف الأشخاص إلا المسؤول.',
  ],
  commands: [
    'The command line changes a role with `npx partner-impact operator change-role`, makes a new one-time link with `npx partner-impact operator reset-sign-in`, and disables a person permanently with `npx partner-impact operator disable`.',
    'في سطر الأوامر يغيّر الأمر `npx partner-impact operator change-role` الدور، ويعطي الأمر `npx partner-impact operator reset-sign-in` رابطًا جديدًا صالحًا لمرة واحدة، ويعطّل الأمر `npx partner-impact operator disable` الشخص نهائيًا.',
  ],
  you: ['you', 'أنت'],
  name: ['Name', 'الاسم'],
  email: ['E-mail address', 'البريد الإلكتروني'],
  role: ['Role', 'الدور'],
  since: ['Since', 'منذ'],
  id: ['Operator id', 'معرّف المشغّل'],
  nothing: ['There is no operator', 'لا مشغّلين'],
  add: ['Add an operator', 'إضافة مشغّل'],
  addConsequence: [
    (time: string) =>
      `The person gets a one-time link, which is shown once and works for a day. Until ${time}, 7 days after the person is added, neither of you can be the second person for what the other did. The same holds between the person and whoever got an account or a new sign-in from you within 7 days, or gave you yours. For everybody else the person can be the second at once.`,
    (time: string) =>
      `يحصل الشخص على رابط صالح لمرة واحدة، يُعرض مرة واحدة ويعمل ليوم واحد. وحتى ${time}، أي خلال 7 أيام من إضافته، لا يمكن لأيٍّ منكما أن يكون الشخص الثاني لما قام به الآخر. ويسري ذلك أيضًا بين هذا الشخص وبين من أنشأت حسابه أو أعدت ضبط الدخول إليه خلال 7 أيام، ومن فعل ذلك بحسابك. ولغيرهم يمكن أن يكون الشخص الثاني فورًا.`,
  ],
  added: [
    (name: string) => `The operator ${isolateForeign(name)} is added.`,
    (name: string) => `أُضيف المشغّل ${isolateForeign(name)}.`,
  ],
  addInDoubt: [
    'No answer came: the person may have been added. Press the button again: if so, you get the link of the same person.',
    'لم يصل رد، وربما أُضيف الشخص. اضغط الزر مرة أخرى: إن كان قد أُضيف فستحصل على رابطه نفسه.',
  ],
  link: ['Give this link to the person', 'أعطِ هذا الرابط للشخص'],
  copyLink: ['Copy the link', 'نسخ الرابط'],
} as const satisfies Texts;
