import { isolateForeign } from '../../format/isolate.ts';
import type { Texts } from '../../texts/text.ts';

export const OPERATOR = {
  title: ['Operators', 'المشغّلون'],
  help: [
    'The people who run the service. Each role includes the rights of the roles before it: viewer, operator, approver, administrator. Only an administrator adds people.',
    'من يديرون الخدمة. كل دور يشمل صلاحيات ما قبله: مُطّلع، مشغّل، مُعتمِد، مسؤول. لا يضيف الأشخاص إلا المسؤول.',
  ],
  commands: [
    'The command line gives a person without an e-mail address one with `npx partner-impact operator set-email`.',
    'في سطر الأوامر يضيف الأمر `npx partner-impact operator set-email` بريدًا إلكترونيًا لمن ليس له بريد.',
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
  change: ['Change', 'تعديل'],
  changeRole: ['Change the role', 'تغيير الدور'],
  changeRoleConsequence: [
    'The other role applies at once, also to what the person has begun.',
    'يسري الدور الآخر فورًا، وعلى ما بدأه الشخص أيضًا.',
  ],
  roleChanged: [
    (name: string) => `The role of ${isolateForeign(name)} is changed.`,
    (name: string) => `تغيّر دور ${isolateForeign(name)}.`,
  ],
  roleChangedBy: ['Role changed by', 'غيّر الدور'],
  newLink: ['New sign-in', 'دخول جديد'],
  newLinkConsequence: [
    'The person is signed out everywhere at once. The password, the second factor, the passkeys and the tokens end. A one-time link for a new sign-in is shown once and works for a day. For 7 days the account counts as your own where a second person is needed.',
    'يُخرَج الشخص من كل مكان فورًا، وتنتهي كلمة المرور والعامل الثاني ومفاتيح المرور والرموز. يُعرض رابط لمرة واحدة لدخول جديد، ويعمل ليوم واحد. ويُعدّ الحساب حسابك لمدة 7 أيام حيث يلزم شخص ثانٍ.',
  ],
  newLinkDone: [
    (name: string) => `The sign-in of ${isolateForeign(name)} is reset.`,
    (name: string) => `أُعيد ضبط دخول ${isolateForeign(name)}.`,
  ],
  newLinkInDoubt: [
    'No answer came: the sign-in may have been reset. Press the button again: you get the link that was made then.',
    'لم يصل رد، وربما أُعيد ضبط الدخول. اضغط الزر مرة أخرى وستحصل على الرابط الذي أُنشئ حينها.',
  ],
  disable: ['Disable', 'تعطيل'],
  disableConsequence: [
    'The person is signed out everywhere at once and never signs in again with this account. This is final.',
    'يُخرَج الشخص من كل مكان فورًا ولا يدخل بهذا الحساب مرة أخرى. هذا نهائي.',
  ],
  disabledDone: [
    (name: string) => `The operator ${isolateForeign(name)} is disabled.`,
    (name: string) => `عُطّل المشغّل ${isolateForeign(name)}.`,
  ],
  disabledBy: ['Disabled by', 'عطّله'],
  link: ['Give this link to the person', 'أعطِ هذا الرابط للشخص'],
  copyLink: ['Copy the link', 'نسخ الرابط'],
} as const satisfies Texts;
