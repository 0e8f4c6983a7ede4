import { Badge } from '@mantine/core';
import type { components } from '../api/operator-types.ts';
import { useTexts } from '../texts/language.tsx';
import { ENDPOINT_STATUS, STATUS } from '../texts/record-texts.ts';

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
  waiting: 'yellow',
  held: 'yellow',
  delivered: 'forest',
  exhausted: 'red',
  dropped: 'gray',
  open: 'blue',
  closed: 'gray',
  accepted: 'forest',
  disputed: 'red',
  dispute_answered: 'yellow',
  receiving: 'blue',
  comparing: 'blue',
  done: 'forest',
};

export type EndpointStatus = components['schemas']['Endpoint']['status'];

const ENDPOINT_COLORS: Readonly<Record<EndpointStatus, string>> = { active: 'forest', disabled: 'red', removed: 'gray' };

type Answered = Pick<components['schemas']['Settlement'], 'acknowledgement' | 'is_dispute_answered'>;

/** What the partner answered to a settlement, and whether its dispute was answered. */
export function AnswerBadge({ settlement: { acknowledgement, is_dispute_answered } }: { readonly settlement: Answered }) {
  const { status } = acknowledgement;
  if (status === 'pending') return <StatusBadge status="not_answered" />;
  return <StatusBadge status={is_dispute_answered ? 'dispute_answered' : status} />;
}

export function StatusBadge({ status }: { readonly status: keyof typeof STATUS }) {
  const t = useTexts(STATUS);
  return <Badge color={COLORS[status]}>{t[status]}</Badge>;
}

export function EndpointBadge({ status }: { readonly status: EndpointStatus }) {
  const t = useTexts(ENDPOINT_STATUS);
  return <Badge color={ENDPOINT_COLORS[status]}>{t[status]}</Badge>;
}
