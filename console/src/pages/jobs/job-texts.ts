import { isolate, isolateForeign } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import type { Texts } from '../../texts/text.ts';

export const JOB = {
  title: ['Jobs', 'المهام المجدولة'],
  help: [
    'What the service does by the clock. A run by hand does now what the next run would do. What a run fails or removes stays so.',
    'ما تفعله الخدمة حسب الوقت. التشغيل اليدوي يفعل الآن ما كان سيفعله التشغيل التالي. وما يسجّل التشغيل فشله أو يحذفه لا رجعة فيه.',
  ],
  job: ['Job', 'المهمة'],
  does: ['What it does', 'عملها'],
  good: ['As planned', 'كما هو مقرر'],
  running: ['Running', 'قيد التشغيل'],
  failing: ['Failing', 'متعثّرة'],
  noJob: ['No job fits this filter', 'لا مهمة تطابق عامل التصفية'],
  failures: [
    (count: number) => `${countEnglish(count, 'failure')} in a row`,
    (count: number) => countArabic(count, ['إخفاق واحد', 'إخفاقان متتاليان', 'إخفاقات متتالية', 'إخفاقًا متتاليًا', 'إخفاق متتالٍ']),
  ],
  lastSuccess: ['Last success', 'آخر نجاح'],
  notRun: ['Not run yet', 'لم تُشغَّل بعد'],
  never: ['not yet', 'لم يحدث بعد'],
  next: ['Next run', 'التشغيل القادم'],
  run: ['Run now', 'تشغيل الآن'],
  runConsequence: [
    'The job begins at once, beside what the service does. The list below says how it ends.',
    'تبدأ المهمة فورًا إلى جانب عمل الخدمة، وتُبيّن القائمة أدناه كيف تنتهي.',
  ],
  begun: [
    (name: string) => `The run of “${isolateForeign(name)}” has begun.`,
    (name: string) => `بدأ تشغيل «${isolateForeign(name)}».`,
  ],
  runs: ['Runs', 'مرات التشغيل'],
  noRuns: ['No job has run yet', 'لم تُشغَّل أي مهمة بعد'],
  outcome: ['Outcome', 'النتيجة'],
  trigger: ['Started by', 'بدأها'],
  schedule: ['The clock', 'الجدولة التلقائية'],
  hand: ['An operator', 'مشغّل'],
  started: ['Started', 'البداية'],
  did: ['What it did', 'ما أنجزته'],
  succeeded: ['Succeeded', 'نجحت'],
  failed: ['Failed', 'فشلت'],
  stopped: ['Stopped', 'أُوقفت'],
  abandoned: ['Abandoned', 'انقطعت'],
  verification: ['Last verification', 'آخر تحقّق'],
  verified: [
    (checked: string) =>
      `${checked} ${checked === '1' ? 'record was' : 'records were'} verified. None was modified outside of the service.`,
    (checked: string) => `جرى التحقّق من السجلات وعددها ${checked}، ولم يُغيَّر أي منها خارج الخدمة.`,
  ],
  modified: [
    (differences: string, checked: string) =>
      `${differences} of ${checked} records were modified outside of the service. Run partner-impact verify, and follow “Verify everything” in docs/operating.md.`,
    (differences: string, checked: string) =>
      `عدد السجلات التي غُيّرت خارج الخدمة: ${differences} من ${checked}. شغّل ${isolate('partner-impact verify')} واتبع قسم ${isolate('Verify everything')} في ${isolate('docs/operating.md')}.`,
  ],
  late: [
    'That is more than two days ago. It runs every day: see its last runs.',
    'مضى على ذلك أكثر من يومين، وهو يعمل كل يوم: اطّلع على آخر مرات تشغيله.',
  ],
  laterFailed: [
    'The latest run did not succeed; the page of the jobs shows why. It ended:',
    'لم ينجح آخر تشغيل، وتعرض صفحة المهام المجدولة السبب. انتهى في:',
  ],
  notVerified: [
    'No verification has succeeded yet. Run “Verify all records” by hand, or wait for its next run.',
    'لم ينجح أي تحقّق بعد. شغّل «التحقّق من جميع السجلات» يدويًا أو انتظر تشغيلها القادم.',
  ],
} as const satisfies Texts;

const HOURS = ['ساعة واحدة', 'ساعتين', 'ساعات', 'ساعة', 'ساعة'] as const;
const DAYS = ['يوم واحد', 'يومين', 'أيام', 'يومًا', 'يوم'] as const;

/** What each job does, of some with the number in the description of the service; a job that is not here is described by the service. */
export const DOES = {
  'close-settlements': ['Opens and closes settlements that are due.', 'تفتح التسويات وتُقفلها عند حلول موعدها.'],
  'expire-pending': [
    (hours: string) => `Fails for good what no operator decided within ${countEnglish(hours, 'hour')}.`,
    (hours: string) => `تسجّل نهائيًا فشل ما لم يُبتّ فيه خلال ${countArabic(hours, HOURS)}.`,
  ],
  'remove-old-events': [
    (days: string) => `Removes events with their deliveries and attempts after ${countEnglish(days, 'day')}.`,
    (days: string) => `تزيل الإشعارات مع عمليات تسليمها ومحاولاتها بعد ${countArabic(days, DAYS)}.`,
  ],
  'remove-reconciliations': [
    (days: string) => `Removes the lines of lists ${countEnglish(days, 'day')} after they were compared. Their counts stay.`,
    (days: string) => `تزيل سطور القوائم بعد ${countArabic(days, DAYS)} من مقارنتها، وتبقى أعدادها.`,
  ],
  'remove-shown-secrets': [
    'Removes the stored copies of keys, one-time links and secrets a day after they were shown to an operator. It ends no key and no secret.',
    'تزيل النسخ المحفوظة من المفاتيح والروابط الصالحة لمرة واحدة والأسرار بعد يوم من عرضها على المشغّل، ولا تُلغي مفتاحًا ولا سرًّا.',
  ],
  'seal-contributions': [
    'Seals contributions that an earlier release has written.',
    'تختم المساهمات التي كتبها إصدار سابق من الخدمة.',
  ],
  'report-break-glass': [
    'Reports in the log of the service each command with `--break-glass`, which goes past the sign-in.',
    'تُبلّغ في سجل الخدمة عن كل أمر مع `--break-glass`، وهو يتجاوز تسجيل الدخول.',
  ],
  verify: ['Verifies every record that prices, permits or authorises.', 'تتحقّق من كل سجل يُسعّر أو يسمح أو يُخوّل.'],
  'prune-job-runs': [
    (days: string) => `Removes runs from the list below ${countEnglish(days, 'day')} after they ended.`,
    (days: string) => `تزيل من القائمة أدناه مرات التشغيل بعد ${countArabic(days, DAYS)} من انتهائها.`,
  ],
} as const satisfies Texts;

/** What a run counts, by the names in its result. */
export const DID = {
  nothing: ['Nothing was due', 'لم يحن موعد شيء'],
  opened: ['Settlements opened', 'تسويات فُتحت'],
  closed: ['Settlements closed', 'تسويات أُقفلت'],
  failed: ['Contributions failed', 'مساهمات فشلت'],
  decided: ['Decided meanwhile', 'بُتّ فيها أثناء ذلك'],
  busy: ['Left to the next run', 'تُركت للتشغيل التالي'],
  events: ['Events removed', 'إشعارات أُزيلت'],
  lines: ['Lines removed', 'سطور أُزيلت'],
  secrets: ['Secrets removed', 'أسرار أُزيلت'],
  runs: ['Runs removed', 'مرات تشغيل أُزيلت'],
  uses: ['Uses reported', 'استعمالات أُبلغ عنها'],
  checked: ['Records checked', 'سجلات جرى التحقّق منها'],
  differences: ['Differences', 'فروق'],
  sealed: ['Contributions sealed', 'مساهمات خُتمت'],
} as const satisfies Texts;
