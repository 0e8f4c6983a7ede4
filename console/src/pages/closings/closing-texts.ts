import { isolate } from '../../format/isolate.ts';
import { countArabic, countEnglish } from '../../format/plural.ts';
import { formatWhole } from '../../format/points.ts';
import type { Texts } from '../../texts/text.ts';

const MODIFIED = [
  'سجل واحد مُغيَّر خارج الخدمة',
  'سجلان مُغيَّران خارج الخدمة',
  'سجلات مُغيَّرة خارج الخدمة',
  'سجلًا مُغيَّرًا خارج الخدمة',
  'سجل مُغيَّر خارج الخدمة',
] as const;

export const CLOSING = {
  title: ['Close of the month', 'إقفال الشهر'],
  help: [
    'What to look at before the open settlement of each partner closes. It closes by itself 5 minutes after the end of its period. A row opens its checklist.',
    'ما ينبغي النظر فيه قبل إقفال التسوية المفتوحة لكل شريك. تُقفل من تلقاء نفسها بعد 5 دقائق من نهاية فترتها. ويفتح كل صف قائمة التحقق.',
  ],
  noPartner: ['There is no partner yet', 'لا شريك بعد'],
  period: ['Period', 'الفترة'],
  ends: ['Ends', 'تنتهي'],
  overdue: ['Not closed yet', 'لم تُقفل بعد'],
  noneOpen: ['None open', 'لا تسوية مفتوحة'],
  pending: ['Pending contributions', 'مساهمات قيد المعالجة'],
  pendingHelp: [
    'What is not confirmed before the end is not in this settlement. Confirmed later, it belongs to a later one.',
    'ما لا يتأكّد قبل النهاية لا يدخل في هذه التسوية، وإن تأكّد بعدها دخل في تسوية لاحقة.',
  ],
  drafts: ['Adjustments to approve', 'تعديلات بانتظار الاعتماد'],
  approved: ['Adjustments to post', 'تعديلات بانتظار الترحيل'],
  adjustmentsHelp: [
    'An adjustment that is not posted before the end belongs to a later settlement.',
    'التعديل الذي لا يُرحَّل قبل النهاية يدخل في تسوية لاحقة.',
  ],
  disputed: ['Disputed settlements', 'تسويات معترَض عليها'],
  disputedHelp: [
    'A dispute does not hold up the close. A correction that is posted before the end is settled by this settlement. Disputes that ended are not listed.',
    'لا يؤخّر الاعتراض الإقفال. والتصحيح الذي يُرحَّل قبل النهاية يدخل في هذه التسوية. ولا تُذكر الاعتراضات التي انتهت.',
  ],
  comma: [', ', '، '],
  andEarlier: [', and earlier ones', '، وأقدم منها'],
  last: ['Previous settlement', 'التسوية السابقة'],
  netOf: [
    (points: string) => `Net points: ${formatWhole(points)}`,
    (points: string) => `صافي النقاط: ${isolate(formatWhole(points))}`,
  ],
  checklist: ['Before it closes', 'قبل الإقفال'],
  verification: ['Verification of its records', 'التحقق من سجلاته'],
  verificationHelp: [
    'Compares every line, contribution, statement and answer of this partner with what the service sealed. It changes nothing.',
    'يقارن كل سطر ومساهمة وكشف تسوية وكل ردّ لهذا الشريك بما ختمته الخدمة. لا يغيّر شيئًا.',
  ],
  verify: ['Verify now', 'تحقّق الآن'],
  notVerified: ['Not verified since the service started.', 'لم يُتحقَّق منها منذ تشغيل الخدمة.'],
  neverVerified: ['Never verified so far.', 'لم يُتحقَّق منها قط.'],
  outdated: ['That is more than a day ago. Verify again.', 'مضى على ذلك أكثر من يوم. أعِد التحقق.'],
  verifying: ['Verifying …', 'جارٍ التحقق …'],
  soFar: [
    (lines: string) => `${lines} ${lines === '1' ? 'line' : 'lines'} so far`,
    (lines: string) => `عدد السطور حتى الآن: ${lines}`,
  ],
  unmodified: [
    (settlements: string, lines: string) =>
      `Nothing is modified: ${countEnglish(settlements, 'settlement')}, ${countEnglish(lines, 'line')}. The open settlement is counted and gets its lines when it closes; its contributions were compared as well.`,
    (settlements: string, lines: string) =>
      `لم يُغيَّر شيء خارج الخدمة: ${countArabic(settlements, ['تسوية واحدة', 'تسويتان', 'تسويات', 'تسوية', 'تسوية'])}، ${countArabic(lines, ['سطر واحد', 'سطران', 'سطور', 'سطرًا', 'سطر'])}. التسوية المفتوحة محسوبة بينها وتظهر سطورها عند إقفالها، وقد قورنت مساهماتها أيضًا.`,
  ],
  modified: [
    (count: string) =>
      `${countEnglish(count, 'modified record')}. Do not close before you know why: run partner-impact verify, and follow “Verify everything” in docs/operating.md.`,
    (count: string) =>
      `${countArabic(count, MODIFIED)}. لا تُقفل قبل معرفة السبب: شغّل ${isolate('partner-impact verify')} واتبع قسم ${isolate('Verify everything')} في ${isolate('docs/operating.md')}.`,
  ],
  notFinished: [
    'The verification could not be finished: the database did not answer. Start it again.',
    'لم يكتمل التحقق لأن قاعدة البيانات لم تُجب. ابدأه مرة أخرى.',
  ],
  started: ['The verification of the records of this partner has begun.', 'بدأ التحقق من سجلات هذا الشريك.'],
  daily: ['The daily verification of all partners:', 'التحقق اليومي لجميع الشركاء:'],
  totals: ['Totals against the period before', 'المجاميع مقارنةً بالفترة السابقة'],
  thisPeriod: ['This period', 'هذه الفترة'],
  lastPeriod: ['The previous period', 'الفترة السابقة'],
} as const satisfies Texts;
