import type { Texts } from '../texts/text.ts';

export const SESSION = {
  signIn: ['Sign in', 'تسجيل الدخول'],
  login: ['E-mail address or operator id', 'البريد الإلكتروني أو معرّف المشغّل'],
  password: ['Password', 'كلمة المرور'],
  newPassword: ['New password', 'كلمة مرور جديدة'],
  repeatPassword: ['The same password again', 'كلمة المرور نفسها مرة أخرى'],
  passwordsDiffer: ['The two passwords differ.', 'كلمتا المرور مختلفتان.'],
  passwordHelp: [
    '12 to 128 characters, at least 5 of them different, without your name or e-mail address. A sentence that only you know is good.',
    'من 12 إلى 128 حرفًا، منها 5 أحرف مختلفة على الأقل، ودون اسمك أو بريدك الإلكتروني. جملة لا يعرفها سواك خيار جيد.',
  ],
  totp: ['Code of your authenticator app', 'رمز تطبيق المصادقة'],
  totpHelp: ['Six digits.', 'ستة أرقام.'],
  noPassword: [
    'No password yet, or forgotten? Open the one-time link that an administrator gave you.',
    'ليس لديك كلمة مرور أو نسيتها؟ افتح الرابط الصالح لمرة واحدة الذي أعطاك إياه المسؤول.',
  ],
  welcome: ['Choose how you sign in', 'اختر طريقة تسجيل الدخول'],
  welcomeHelp: [
    'The one-time link works once. From then on you sign in with what you choose here.',
    'يعمل الرابط مرة واحدة فقط، وبعدها تسجّل الدخول بما تختاره هنا.',
  ],
  or: ['or', 'أو'],
  choosePasskey: ['Use a passkey instead', 'استخدام مفتاح مرور بدلًا منها'],
  choosePasskeyHelp: [
    'The PIN, finger or face that opens this device signs you in, without a password.',
    'يسجّل دخولك الرقم السري أو البصمة أو الوجه الذي يفتح هذا الجهاز، بلا كلمة مرور.',
  ],
  passkeyOfLink: ['Passkey of the one-time link', 'مفتاح مرور الرابط الصالح لمرة واحدة'],
  noCode: [
    'This link is not whole: the part after # is missing. Copy all of it from the terminal or the message.',
    'هذا الرابط غير كامل: الجزء الذي يلي # مفقود. انسخه كاملًا من الطرفية أو من الرسالة.',
  ],
  passwordInDoubt: [
    'No answer came: the password may be set, and the link is used up then. Sign in with this password. Only if that is refused, open the link again.',
    'لم يصل رد: ربما عُيّنت كلمة المرور، وعندئذ لا يعمل الرابط مرة أخرى. سجّل الدخول بكلمة المرور هذه. وافتح الرابط من جديد إن رُفضت فقط.',
  ],
  passkeyInDoubt: [
    'No answer came: the passkey may be added, and the link is used up then. Sign in with this passkey. Only if that is refused, open the link again.',
    'لم يصل رد: ربما أُضيف مفتاح المرور، وعندئذ لا يعمل الرابط مرة أخرى. سجّل الدخول بمفتاح المرور هذا. وافتح الرابط من جديد إن رُفض فقط.',
  ],
  setPassword: ['Set the password and sign in', 'تعيين كلمة المرور وتسجيل الدخول'],
  ended: [
    'Your session has ended. Sign in again; you come back to the same page, with what you typed.',
    'انتهت جلستك. سجّل الدخول من جديد لتعود إلى الصفحة نفسها بما كتبته فيها.',
  ],
  again: ['Confirm that it is you', 'أكّد هويتك'],
  againPasswordHelp: [
    'This step needs a sign-in of the last 10 minutes. Give your password again; your change is then sent.',
    'تتطلب هذه الخطوة تسجيل دخول خلال آخر 10 دقائق. أدخل كلمة المرور مرة أخرى ثم يُرسل التغيير.',
  ],
  againPasskeyHelp: [
    'This step needs a sign-in of the last 10 minutes. Use your passkey again; your change is then sent.',
    'تتطلب هذه الخطوة تسجيل دخول خلال آخر 10 دقائق. استخدم مفتاح المرور مرة أخرى ثم يُرسل التغيير.',
  ],
  againHelp: [
    'This step needs a sign-in of the last 10 minutes. Give your password or your passkey again; your change is then sent.',
    'تتطلب هذه الخطوة تسجيل دخول خلال آخر 10 دقائق. أدخل كلمة المرور أو استخدم مفتاح المرور مرة أخرى ثم يُرسل التغيير.',
  ],
  usePasskey: ['Use a passkey', 'استخدام مفتاح مرور'],
  noPasskeyGiven: [
    'No passkey was given. Try again, or use your password.',
    'لم يُقدَّم مفتاح مرور. حاول مرة أخرى أو استخدم كلمة المرور.',
  ],
  goOn: ['Continue', 'متابعة'],
  protectedBy: ['The console talks to this service only.', 'لا تتصل اللوحة إلا بهذه الخدمة.'],
  title: ["Operators' console", 'لوحة المشغّلين'],
} as const satisfies Texts;
