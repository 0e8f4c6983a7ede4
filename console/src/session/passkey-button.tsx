import { Alert, Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Icon } from '../parts/icon.tsx';
import { Problem } from '../parts/problem.tsx';
import { useTexts } from '../texts/language.tsx';
import { NoPasskeyGiven } from './passkey.ts';
import type { SessionAnswer } from './session-answer.ts';
import { SESSION } from './session-texts.ts';

interface PasskeyButtonProps {
  readonly send: () => Promise<SessionAnswer>;
  readonly onSignedIn: (session: SessionAnswer) => void;
}

export function PasskeyButton({ send, onSignedIn }: PasskeyButtonProps) {
  const t = useTexts(SESSION);
  const signIn = useMutation({ mutationFn: send, onSuccess: onSignedIn, meta: { isSignIn: true } });
  const { error } = signIn;
  return (
    <Stack gap="sm">
      <Button
        variant="default"
        leftSection={<Icon name="key" size={16} />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate()}
        fullWidth
      >
        {t.usePasskey}
      </Button>
      {error instanceof NoPasskeyGiven ? (
        <Alert color="yellow" role="alert">
          {t.noPasskeyGiven}
        </Alert>
      ) : (
        <Problem error={error} />
      )}
    </Stack>
  );
}
