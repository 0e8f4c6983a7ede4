import { Box, Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, actions, children }: SectionProps) {
  return (
    <Box component="section">
      <Group justify="space-between" mb="sm">
        <Title order={2}>{title}</Title>
        {actions}
      </Group>
      {children}
    </Box>
  );
}
