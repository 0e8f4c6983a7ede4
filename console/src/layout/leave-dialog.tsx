import { Button, Group, Stack, Text } from '@mantine/core';
import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useHasUnsaved } from '../app/unsaved.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { useTexts } from '../texts/language.tsx';
import { SHELL } from '../texts/shell-texts.ts';

/** A filter or an order of the same page loses nothing. */
const leadsAway: ShouldBlockFn = ({ current, next }) => current.pathname !== next.pathname;

/** Asks before a page is left with what was typed on it; the browser itself asks before it is closed or loaded again. */
export function LeaveDialog() {
  const t = useTexts(SHELL);
  const isUnsaved = useHasUnsaved();
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: leadsAway, disabled: !isUnsaved, withResolver: true });
  const isBlocked = status === 'blocked';
  // What was being saved is saved now: the person goes where the saved thing is.
  useEffect(() => {
    if (isBlocked && !isUnsaved) reset?.();
  }, [isBlocked, isUnsaved, reset]);
  return (
    <Dialog opened={isBlocked && isUnsaved} onClose={() => reset?.()} title={t.leaveTitle}>
      <Stack gap="md">
        <Text>{t.leaveHelp}</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={reset}>
            {t.stay}
          </Button>
          <Button color="red" onClick={proceed}>
            {t.leave}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
