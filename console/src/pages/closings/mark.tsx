import { Text } from '@mantine/core';
import { Icon } from '../../parts/icon.tsx';

interface MarkProps {
  readonly isGood: boolean;
  /** Worse than something to look at. */
  readonly isWrong?: boolean;
}

/** Before a line of the checklist, on the middle of its text. */
export function Mark({ isGood, isWrong = false }: MarkProps) {
  const color = isWrong ? 'var(--mantine-color-error)' : 'var(--console-warning)';
  return (
    <Text component="span" c={isGood ? 'forest' : color} pt={3} lh={1} style={{ flex: 'none' }}>
      <Icon name={isGood ? 'check' : 'alert'} />
    </Text>
  );
}
