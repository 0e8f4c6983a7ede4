import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useState } from 'react';
import { useUnsaved } from '../app/unsaved.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { Icon } from './icon.tsx';

/** A secret that no other answer shows. The page is not left unasked until it is copied. */
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
  const clipboard = useClipboard();
  const [isCopied, setCopied] = useState(false);
  if (clipboard.copied && !isCopied) setCopied(true);
  useUnsaved(!isCopied, 'secret');
  const isJustCopied = clipboard.copied && !clipboard.error;
  return (
    <Alert color="yellow" title={title} role="status">
      <Stack gap="xs">
        <Text size="sm">{t.shownOnce}</Text>
        <Code
          block
          className="secret"
          onCopy={() => {
            setCopied(true);
            clipboard.reset();
          }}
        >
          {value}
        </Code>
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name={isJustCopied ? 'check' : 'copy'} size={14} />}
            onClick={() => clipboard.copy(value)}
          >
            {isJustCopied ? t.copied : copyLabel}
          </Button>
        </Group>
        {clipboard.error && (
          <Text size="sm" fw={600} role="alert">
            {t.copyRefused}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
