/** The frame of every page: its title, what it is for, what can be done, and one way to show that something is not there. */
import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, description, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Partner Impact`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box maw={720} miw={0}>
          <Title order={1} className="foreign">
            {title}
          </Title>
          {description && (
            <Text c="dimmed" size="sm" mt={4} component="div">
              {description}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
