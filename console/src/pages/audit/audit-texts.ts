import type { Texts } from '../../texts/text.ts';

export const AUDIT = {
  title: ['Audit', 'سجل التدقيق'],
  help: [
    'Every change, with who made it and when. The daily verification finds an entry that was changed or removed afterwards; its result is among the jobs.',
    'كل تغيير، ومن أجراه ومتى. يكشف التحقق اليومي أي قيد عُدّل أو حُذف بعد تسجيله، ونتيجته بين المهام المجدولة.',
  ],
  nothing: ['No entry fits these filters', 'لا قيد يطابق عوامل التصفية'],
  entry: ['Entry', 'القيد'],
  at: ['When', 'الوقت'],
  by: ['By', 'بواسطة'],
  role: ['Role', 'الدور'],
  apiKey: ['API key', 'مفتاح API'],
  service: ['Service', 'الخدمة'],
  action: ['Action', 'الإجراء'],
  subject: ['About', 'بشأن'],
  subjectId: ['Id of the record', 'معرّف السجل'],
  before: ['Before', 'قبل'],
  after: ['After', 'بعد'],
  nothingThere: ['nothing', 'لا شيء'],
} as const satisfies Texts;
