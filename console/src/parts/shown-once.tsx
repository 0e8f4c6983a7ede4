import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
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
  const [isCopied, setCopied] = useState(false);
  useUnsaved(!isCopied, 'secret');
  return (
    <Alert color="yellow" title={title} role="status">
      <Stack gap="xs">
        <Text size="sm">{t.shownOnce}</Text>
        <Code block className="secret" onCopy={() => setCopied(true)}>
          {value}
        </Code>
        <Group>
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button
                size="xs"
                variant="default"
                leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
                onClick={() => {
                  copy();
                  setCopied(true);
                }}
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
