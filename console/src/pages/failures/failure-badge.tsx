/** The status of a failure, in its list and in the search. */
import { Badge } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { useTexts } from '../../texts/language.tsx';
import { FAILURE } from './failure-texts.ts';

export type FailureStatus = components['schemas']['Failure']['status'];

const COLORS: Readonly<Record<FailureStatus, string>> = { drafted: 'yellow', approved: 'red', rejected: 'gray' };

export function FailureBadge({ status }: { readonly status: FailureStatus }) {
  const t = useTexts(FAILURE);
  return <Badge color={COLORS[status]}>{t[status]}</Badge>;
}
