/** Who is signed in, with language, theme and the way out. */
import {
  ActionIcon,
  Button,
  Group,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { setMayBeLost, useHeld } from '../app/unsaved.ts';
import { Icon } from '../parts/icon.tsx';
import { hideDone, notify } from '../parts/notify.tsx';
import { Foreign } from '../parts/values.tsx';
import { useSession } from '../session/session.tsx';
import { useLanguage, useTexts } from '../texts/language.tsx';
import { SHELL } from '../texts/shell-texts.ts';
import { LeaveDialog } from './leave-dialog.tsx';

const ACCOUNT: string = '/account';

export function Account({ onChoose }: { readonly onChoose: () => void }) {
  const { operator } = useSession();
  const t = useTexts(SHELL);
  const leaving = useLeaving();
  const isUnsaved = useHeld() !== undefined;
  const [isAsking, setAsking] = useState(false);
  return (
    <Group justify="space-between" wrap="nowrap" gap={4}>
      <Link to={ACCOUNT} className="account-link" onClick={onChoose}>
        <VisuallyHidden>{t.account}</VisuallyHidden>
        <Text size="sm" fw={600} component="div">
          <Foreign text={operator.name} />
        </Text>
        <Text size="xs" c="dimmed">
          {t[operator.role]}
        </Text>
      </Link>
      <Tooltip label={t.signOut}>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="dimmed"
          size="lg"
          aria-label={t.signOut}
          loading={leaving.isPending}
          onClick={() => (isUnsaved ? setAsking(true) : leaving.mutate())}
        >
          <Icon name="signOut" />
        </ActionIcon>
      </Tooltip>
      <LeaveDialog
        isOpen={isAsking}
        onStay={() => setAsking(false)}
        onLeave={() => {
          setAsking(false);
          setMayBeLost(true);
          leaving.mutate();
        }}
      />
    </Group>
  );
}

/** Ends the session. Whoever leaves the machine has to know where it may still be open. */
function useLeaving() {
  const { signOut } = useSession();
  const { notSignedOut } = useTexts(SHELL);
  const changeId = useId();
  return useMutation({
    mutationFn: signOut,
    onError(error) {
      setMayBeLost(false);
      const hasEnded = error instanceof ApiError && error.status === 401;
      if (!hasEnded) notify(notSignedOut, { changeId, isFailure: true });
    },
  });
}

export function Preferences() {
  const t = useTexts(SHELL);
  const { language, setLanguage } = useLanguage();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Group gap={2} wrap="nowrap">
      <Button
        variant="subtle"
        color="gray"
        c="dimmed"
        size="compact-sm"
        fw={500}
        onClick={() => {
          hideDone();
          setLanguage(language === 'en' ? 'ar' : 'en');
        }}
      >
        <VisuallyHidden>{t.language}: </VisuallyHidden>
        <span lang={language === 'en' ? 'ar' : 'en'}>{t.otherLanguage}</span>
      </Button>
      <Tooltip label={t[other]}>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="dimmed"
          size="lg"
          aria-label={t[other]}
          onClick={() => setColorScheme(other)}
        >
          <Icon name={other === 'dark' ? 'moon' : 'sun'} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
