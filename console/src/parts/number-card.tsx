import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatBounded } from '../format/points.ts';
import { AddressLink } from './address-link.tsx';

interface NumberCardProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly detail?: ReactNode;
  /** Something is wrong, or waits too long. */
  readonly isAlarming?: boolean;
  /** There is nothing to do: the card stands back behind the others. */
  readonly isNothing?: boolean;
  /** The list that the number counts, with its filters. */
  readonly to: string;
}

/** The number is drawn first: numbers beside each other stand on one line, however long their labels are. */
export function NumberCard({ label, value, detail, isAlarming = false, isNothing = false, to }: NumberCardProps) {
  const look = (isAlarming && 'alarming') || (isNothing && 'nothing') || 'waiting';
  const card = (
    <Paper p={{ base: 'sm', xs: 'md' }} className="number-card" data-look={look}>
      <Text size="sm">{label}</Text>
      <Text fz={26} fw={650} lh={1.35} className="figure tile-number">
        {value}
      </Text>
      {detail && (
        <Text size="sm" c="dimmed" component="div">
          {detail}
        </Text>
      )}
    </Paper>
  );
  return (
    <AddressLink to={to} className="number-link">
      {card}
    </AddressLink>
  );
}

/** The number of a card, and whether it stands back. */
export function figureOf(counted: { readonly count: number; readonly is_more: boolean }) {
  return { value: <bdi dir="ltr">{formatBounded(counted)}</bdi>, isNothing: counted.count === 0 };
}
