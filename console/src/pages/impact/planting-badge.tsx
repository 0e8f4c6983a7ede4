import { Badge } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { useTexts } from '../../texts/language.tsx';
import { PLANTING } from './impact-texts.ts';

export type PlantingStatus = components['schemas']['ImpactBatch']['status'];

export const PLANTING_STATUSES = Object.keys(PLANTING) as readonly PlantingStatus[];

const COLORS: Readonly<Record<PlantingStatus, string>> = {
  recorded: 'gray',
  allocated: 'blue',
  funded: 'blue',
  in_progress: 'yellow',
  delivered: 'yellow',
  verified: 'forest',
};

export function PlantingBadge({ status }: { readonly status: PlantingStatus }) {
  const t = useTexts(PLANTING);
  return <Badge color={COLORS[status]}>{t[status]}</Badge>;
}
