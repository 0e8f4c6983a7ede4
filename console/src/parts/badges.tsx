import { Badge } from '@mantine/core';
import { useTexts } from '../texts/language.tsx';
import { STATUS } from '../texts/record-texts.ts';

const COLORS: Readonly<Record<keyof typeof STATUS, string>> = {
  confirmed: 'forest',
  pending: 'yellow',
  not_answered: 'gray',
  failed: 'red',
  active: 'forest',
  suspended: 'red',
  not_decided: 'yellow',
  draft: 'yellow',
  drafted: 'yellow',
  approved: 'blue',
  posted: 'forest',
  rejected: 'red',
  disabled: 'red',
  removed: 'gray',
  waiting: 'yellow',
  held: 'yellow',
  delivered: 'forest',
  exhausted: 'red',
  dropped: 'gray',
  open: 'blue',
  closed: 'gray',
  accepted: 'forest',
  disputed: 'red',
  receiving: 'blue',
  comparing: 'blue',
  done: 'forest',
};

/** What the partner answered to a settlement. */
export function AnswerBadge({ answer }: { readonly answer: 'pending' | 'accepted' | 'disputed' }) {
  return <StatusBadge status={answer === 'pending' ? 'not_answered' : answer} />;
}

export function StatusBadge({ status }: { readonly status: keyof typeof STATUS }) {
  const t = useTexts(STATUS);
  return <Badge color={COLORS[status]}>{t[status]}</Badge>;
}
