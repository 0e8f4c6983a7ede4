import type { Texts } from '../../texts/text.ts';

export const AUDIT = {
  title: ['Audit', 'سجل التدقيق'],
  help: [
    'Every change. This shows the chain of entries; the job of the schedule verifies it.',
    'كل تغيير. هنا عرض سلسلة القيود، وتتحقّق منها المهمة المجدولة.',
  ],
  nothing: ['No entry fits these filters', 'لا قيد يطابق عوامل التصفية'],
  entry: ['Entry', 'القيد'],
  at: ['When', 'الوقت'],
  by: ['By', 'بواسطة'],
  role: ['Role', 'الدور'],
  service: ['Service', 'الخدمة'],
  action: ['Action', 'الإجراء'],
  subject: ['About', 'بشأن'],
  subjectId: ['Id of the record', 'معرّف السجل'],
  before: ['Before', 'قبل'],
  after: ['After', 'بعد'],
  nothingThere: ['nothing', 'لا شيء'],
} as const satisfies Texts;
