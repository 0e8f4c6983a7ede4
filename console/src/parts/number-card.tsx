import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { AddressLink } from './address-link.tsx';

interface NumberCardProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly detail?: ReactNode;
  /** Something is wrong, or waits too long. */
  readonly isAlarming?: boolean;
  /** The list that the number counts, with its filters. */
  readonly to: string;
}

/** The number is drawn first: numbers beside each other stand on one line, however long their labels are. */
export function NumberCard({ label, value, detail, isAlarming = false, to }: NumberCardProps) {
  const card = (
    <Paper p={{ base: 'sm', xs: 'md' }} className="number-card">
      <Text size="sm">{label}</Text>
      <Text fz={26} fw={650} lh={1.35} className="figure tile-number" {...(isAlarming && { c: 'var(--mantine-color-error)' })}>
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
