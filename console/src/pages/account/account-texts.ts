import type { Texts } from '../../texts/text.ts';

export const ACCOUNT = {
  title: ['Your account', 'حسابك'],
  name: ['Name', 'الاسم'],
  email: ['E-mail address', 'البريد الإلكتروني'],
  role: ['Role', 'الدور'],
  signedIn: ['Password given', 'أُدخلت كلمة المرور'],
  ends: ['The session ends', 'تنتهي الجلسة'],
  password: ['Change the password', 'تغيير كلمة المرور'],
  passwordHelp: ['All your other sessions end. This one goes on.', 'تنتهي جميع جلساتك الأخرى وتستمر هذه.'],
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
    'Add an account in your authenticator app: type this key, or open the link on the device that has the app. Then enter the code that the app shows.',
    'أضف حسابًا في تطبيق المصادقة: اكتب هذا المفتاح، أو افتح الرابط على الجهاز الذي عليه التطبيق. ثم أدخل الرمز الذي يعرضه التطبيق.',
  ],
  key: ['Key', 'المفتاح'],
  openApp: ['Open in the authenticator app', 'فتح في تطبيق المصادقة'],
  once: [
    'It is shown this once. Nothing changes before the first code is right.',
    'يظهر مرة واحدة. لا يتغيّر شيء قبل إدخال رمز صحيح.',
  ],
  confirm: ['Turn on', 'تفعيل'],
  added: ['The second factor is on.', 'فُعّل العامل الثاني.'],
} as const satisfies Texts;
