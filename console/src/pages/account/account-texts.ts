import { isolate } from '../../format/isolate.ts';
import type { Texts } from '../../texts/text.ts';

export const ACCOUNT = {
  title: ['Your account', 'حسابك'],
  name: ['Name', 'الاسم'],
  email: ['E-mail address', 'البريد الإلكتروني'],
  role: ['Role', 'الدور'],
  signedIn: ['Identity last confirmed', 'آخر تأكيد لهويتك'],
  ends: ['The session ends', 'تنتهي الجلسة'],
  noPassword: [
    'You have no password: you sign in with a passkey. A one-time link sets one, and an administrator gives it.',
    'ليست لديك كلمة مرور: تسجّل الدخول بمفتاح مرور. تُعيَّن كلمة مرور برابط صالح لمرة واحدة يعطيه المسؤول.',
  ],
  factorNeedless: [
    'It belongs to a password, and you have none: a passkey is two factors by itself.',
    'يخص كلمة المرور، وليست لديك كلمة مرور: مفتاح المرور عاملان بحد ذاته.',
  ],
  password: ['Change the password', 'تغيير كلمة المرور'],
  passwordHelp: ['This ends your other sessions, and not this one.', 'تغييرها يُنهي جلساتك الأخرى دون هذه.'],
  current: ['Current password', 'كلمة المرور الحالية'],
  change: ['Change the password', 'تغيير كلمة المرور'],
  changed: ['The password is changed.', 'غُيّرت كلمة المرور.'],
  factor: ['Second factor', 'العامل الثاني'],
  factorOn: ['A sign-in needs a code of your authenticator app.', 'يحتاج تسجيل الدخول إلى رمز من تطبيق المصادقة لديك.'],
  factorOff: [
    'A sign-in needs the password alone. With a second factor nobody signs in by a stolen password.',
    'يكتفي تسجيل الدخول بكلمة المرور. مع العامل الثاني لا يدخل أحد بكلمة مرور مسروقة.',
  ],
  setUp: ['Set up an authenticator app', 'إعداد تطبيق مصادقة'],
  replace: ['Set up another app', 'إعداد تطبيق آخر'],
  remove: ['Remove the second factor', 'إزالة العامل الثاني'],
  removeConsequence: [
    'From then on the password alone signs in. You can set up an authenticator app again.',
    'بعدها تكفي كلمة المرور وحدها لتسجيل الدخول. ويمكنك إعداد تطبيق مصادقة من جديد.',
  ],
  removed: ['The second factor is removed.', 'أُزيل العامل الثاني.'],
  steps: [
    'Add an account in your authenticator app: scan the picture, type the key, or open the link on the device that has the app. Then enter the code that the app shows.',
    'أضف حسابًا في تطبيق المصادقة: امسح الصورة، أو اكتب المفتاح، أو افتح الرابط على الجهاز الذي عليه التطبيق. ثم أدخل الرمز الذي يعرضه التطبيق.',
  ],
  key: ['Key', 'المفتاح'],
  picture: ['The key as a picture for the authenticator app', 'المفتاح في صورة لتطبيق المصادقة'],
  passkeys: ['Passkeys', 'مفاتيح المرور'],
  passkeysHelp: [
    (host: string) =>
      `A passkey signs in by the PIN, finger or face that opens your device, without a password and without a code. One that you add here works at ${host} only.`,
    (host: string) =>
      `يسجّل مفتاح المرور دخولك بالرقم السري أو البصمة أو الوجه الذي يفتح جهازك، بلا كلمة مرور وبلا رمز. وما تضيفه هنا يعمل على ${isolate(host)} وحده.`,
  ],
  passkeysNowhere: [
    'This browser offers no passkeys here: open the console at a host name, such as localhost, and not at an IP address.',
    'لا يتيح هذا المتصفح مفاتيح المرور هنا: افتح اللوحة باسم مضيف مثل localhost لا بعنوان IP.',
  ],
  passkeyName: ['Name of the passkey', 'اسم مفتاح المرور'],
  passkeyNameHelp: ['Such as the name of the device.', 'مثل اسم الجهاز.'],
  host: ['Host', 'المضيف'],
  addedAt: ['Added', 'تاريخ الإضافة'],
  lastUsed: ['Last used', 'آخر استخدام'],
  addPasskey: ['Add a passkey', 'إضافة مفتاح مرور'],
  addPasskeyHelp: [
    'Your browser asks you to confirm. From then on this passkey signs in too, and confirms steps that need a sign-in of the last 10 minutes.',
    'سيطلب منك المتصفح التأكيد. بعدها يسجّل مفتاح المرور هذا دخولك أيضًا، ويؤكّد الخطوات التي تتطلّب تسجيل دخول خلال آخر 10 دقائق.',
  ],
  passkeyAdded: ['The passkey is added.', 'أُضيف مفتاح المرور.'],
  removePasskey: ['Remove', 'إزالة'],
  removePasskeyConsequence: ['This passkey no longer signs in.', 'لن يسجّل مفتاح المرور هذا الدخول بعد الآن.'],
  passwordStays: ['Your password still does.', 'وتبقى كلمة المرور صالحة.'],
  passkeyRemoved: ['The passkey is removed.', 'أُزيل مفتاح المرور.'],
  openApp: ['Open in the authenticator app', 'فتح في تطبيق المصادقة'],
  once: [
    'It is shown this once. Nothing changes before the first code is right.',
    'يظهر مرة واحدة. لا يتغيّر شيء قبل إدخال رمز صحيح.',
  ],
  confirm: ['Turn on', 'تفعيل'],
  added: ['The second factor is on.', 'فُعّل العامل الثاني.'],
} as const satisfies Texts;
