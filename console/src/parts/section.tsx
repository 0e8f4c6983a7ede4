import { Box, Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps {
  /** For a link from elsewhere on the page. */
  readonly id?: string;
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ id, title, actions, children }: SectionProps) {
  return (
    <Box component="section" {...(id && { id })}>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{title}</Title>
        {actions}
      </Group>
      {children}
    </Box>
  );
}
