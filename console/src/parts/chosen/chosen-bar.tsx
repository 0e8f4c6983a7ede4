import { Box, Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

const BAR = 'chosen';
const COUNT = 'chosen-count';

interface ChosenBarProps {
  readonly isNone: boolean;
  /** How many are chosen, and of how many points. */
  readonly count: string;
  /** What else is known of them. */
  readonly details?: ReactNode;
  /** What can be done with them. */
  readonly children: ReactNode;
}

/** Below a list: stays in sight while something is chosen, is announced to screen readers at each tick, and is skipped to from the list. */
export function ChosenBar({ isNone, count, details, children }: ChosenBarProps) {
  return (
    <Paper
      component="section"
      p="sm"
      id={BAR}
      tabIndex={-1}
      aria-labelledby={COUNT}
      className="chosen-bar"
      mod={{ none: isNone }}
    >
      <Group justify="space-between">
        <Box flex={1} miw={220}>
          <Text fw={600} id={COUNT} role="status">
            {count}
          </Text>
          {details}
        </Box>
        <Group gap="xs">{children}</Group>
      </Group>
    </Paper>
  );
}

export function focusChosenBar(): void {
  document.getElementById(BAR)?.focus();
}
