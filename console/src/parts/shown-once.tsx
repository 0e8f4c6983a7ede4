import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { Icon } from './icon.tsx';

/** A secret that no other answer shows. */
export function ShownOnce({
  value,
  title,
  copyLabel,
}: {
  readonly value: string;
  readonly title: string;
  readonly copyLabel: string;
}) {
  const t = useTexts(COMMON);
  return (
    <Alert color="yellow" title={title} role="status">
      <Stack gap="xs">
        <Text size="sm">{t.shownOnce}</Text>
        <Code block className="secret">
          {value}
        </Code>
        <Group>
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button
                size="xs"
                variant="default"
                leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
                onClick={copy}
              >
                {copied ? t.copied : copyLabel}
              </Button>
            )}
          </CopyButton>
        </Group>
      </Stack>
    </Alert>
  );
}
