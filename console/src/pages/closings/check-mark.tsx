import { Text } from '@mantine/core';
import { Icon } from '../../parts/icon.tsx';

interface CheckMarkProps {
  readonly isGood: boolean;
  /** Whether it is an error, and no warning. */
  readonly isWrong?: boolean;
}

/** The icon before a line of the checklist: a check, a warning or an error. */
export function CheckMark({ isGood, isWrong = false }: CheckMarkProps) {
  const color = isWrong ? 'var(--mantine-color-error)' : 'var(--console-warning)';
  return (
    <Text component="span" c={isGood ? 'forest' : color} pt={3} lh={1} style={{ flex: 'none' }}>
      <Icon name={isGood ? 'check' : 'alert'} />
    </Text>
  );
}
