import { Button, Group, Stack, Text } from '@mantine/core';
import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router';
import { type ReactNode, useContext, useEffect } from 'react';
import { useHeld } from '../app/unsaved.ts';
import { Below } from '../parts/dialogs/below.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { useTexts } from '../texts/language.tsx';
import { SHELL } from '../texts/shell-texts.ts';

/** A filter or an order of the same page loses nothing. */
const leadsAway: ShouldBlockFn = ({ current, next }) => current.pathname !== next.pathname;

interface LeaveGuardProps {
  /** Whether it stands in place of the page, whose dialogs are not shown then. */
  readonly isSignIn?: boolean;
  readonly children: ReactNode;
}

/** Asks before a page is left with what was typed on it, with a change under way, or with a secret that was not copied or not answered; the browser itself asks before it is closed or loaded again. */
export function LeaveGuard({ children, isSignIn = false }: LeaveGuardProps) {
  const isUnsaved = useHeld() !== undefined;
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: leadsAway, disabled: !isUnsaved, withResolver: true });
  const isBlocked = status === 'blocked';
  const isBelow = useContext(Below);
  const isAsking = isBlocked && isUnsaved && !isBelow;
  // What was being saved is saved now: the person goes where the saved thing is. Who is asked for the password answers that first.
  useEffect(() => {
    if (isBlocked && !isAsking) reset?.();
  }, [isBlocked, isAsking, reset]);
  return (
    <>
      <Below value={isBelow || isAsking}>{children}</Below>
      <LeaveDialog isOpen={isAsking} onStay={() => reset?.()} onLeave={() => proceed?.()} withinPortal={!isSignIn} />
    </>
  );
}

interface LeaveDialogProps {
  readonly isOpen: boolean;
  readonly onStay: () => void;
  readonly onLeave: () => void;
  readonly withinPortal?: boolean;
}

/** Whether what the page holds may be lost. */
export function LeaveDialog({ isOpen, onStay, onLeave, withinPortal = true }: LeaveDialogProps) {
  const t = useTexts(SHELL);
  const held = useHeld() ?? 'typed';
  const [help, leave] = {
    secret: [t.leaveSecret, t.leaveAnyway],
    doubt: [t.leaveDoubt, t.leaveAnyway],
    underWay: [t.leaveUnderWay, t.leaveNow],
    typed: [t.leaveHelp, t.leave],
  }[held] as [string, string];
  // In a task of its own: a dialog below hears the same key, and must still be below.
  const stay = () => void setTimeout(onStay);
  return (
    <Dialog opened={isOpen} onClose={stay} title={t.leaveTitle} zIndex={300} withinPortal={withinPortal}>
      <Stack gap="md">
        <Text>{help}</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onStay}>
            {t.stay}
          </Button>
          <Button color="red" onClick={onLeave}>
            {leave}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
