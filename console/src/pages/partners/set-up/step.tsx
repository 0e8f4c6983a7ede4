import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../../parts/icon.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { SET_UP } from './set-up-texts.ts';

export type StepState = 'done' | 'open' | 'optional';

const COLORS: Readonly<Record<StepState, string>> = { done: 'forest', open: 'yellow', optional: 'gray' };

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly help: string;
  readonly state: StepState;
  /** Before the partner is there, the steps after the first are shown without what they do. */
  readonly isLocked?: boolean;
  readonly children?: ReactNode;
}

/** One step of setting up a partner, with its state in sight. */
export function Step({ number, title, help, state, isLocked = false, children }: StepProps) {
  const t = useTexts(SET_UP);
  return (
    <Paper p="lg" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs">
            <Text c="dimmed" className="figure" component="span">
              {number}
            </Text>
            <Title order={2}>{title}</Title>
          </Group>
          {isLocked ? (
            <Badge color="gray">{t.locked}</Badge>
          ) : (
            <Badge color={COLORS[state]} {...(state === 'done' && { leftSection: <Icon name="check" size={12} /> })}>
              {t[state]}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {help}
        </Text>
        {!isLocked && children}
      </Stack>
    </Paper>
  );
}
