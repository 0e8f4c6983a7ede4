/** The frame of the pages before a sign-in. */
import { Box, Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import markAddress from '../app/mark.svg';
import { setPageTitle } from '../app/page-title.ts';
import { Preferences } from '../layout/account.tsx';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { SESSION } from './session-texts.ts';

interface SignInFrameProps {
  readonly title: string;
  readonly help?: string | undefined;
  readonly children: ReactNode;
}

export function SignInFrame({ title, help, children }: SignInFrameProps) {
  const t = useTexts(SESSION);
  const { product } = useTexts(COMMON);
  useEffect(() => {
    setPageTitle(title);
  }, [title]);
  return (
    <Center component="main" mih="100vh" p="md" data-sign-in>
      <Stack w="100%" maw={420} gap="lg">
        <Group justify="space-between">
          <Group gap="sm">
            <img src={markAddress} width={34} height={34} alt="" />
            <Box>
              <Text fw={700} lh={1.2}>
                {product}
              </Text>
              <Text size="sm" c="dimmed">
                {t.title}
              </Text>
            </Box>
          </Group>
          <Preferences />
        </Group>
        <Paper p="xl" shadow="xs">
          <Stack gap="md">
            <Box>
              <Title order={1} size="h3">
                {title}
              </Title>
              {help && (
                <Text size="sm" c="dimmed" mt={4}>
                  {help}
                </Text>
              )}
            </Box>
            {children}
          </Stack>
        </Paper>
        <Text size="xs" c="dimmed" ta="center">
          {t.protectedBy}
        </Text>
      </Stack>
    </Center>
  );
}
