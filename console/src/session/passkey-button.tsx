import { Alert, Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Problem, problemOf } from '../parts/problem.tsx';
import { useTexts } from '../texts/language.tsx';
import type { InDoubtOf } from './link-in-doubt.tsx';
import { NoPasskeyGiven } from './passkey.ts';
import type { SessionAnswer } from './session-answer.ts';
import { SESSION } from './session-texts.ts';
import { TotpField } from './totp-field.tsx';
import { useOnce } from './use-once.ts';

interface PasskeyButtonProps {
  /** @param totp Once the service has asked for it. */
  readonly send: (totp: string | undefined) => Promise<SessionAnswer>;
  readonly onSignedIn: (session: SessionAnswer) => void;
  readonly label?: string;
  /** Said in place of what says no more than that a new passkey may be added. */
  readonly inDoubtOf?: InDoubtOf;
}

export function PasskeyButton({ send, onSignedIn, label, inDoubtOf }: PasskeyButtonProps) {
  const t = useTexts(SESSION);
  const [totp, setTotp] = useState('');
  const [isCodeAsked, setCodeAsked] = useState(false);
  const signIn = useOnce({
    mutationFn: (_nothing: undefined) => send(totp || undefined),
    onSuccess: onSignedIn,
    onError: (error) => problemOf(error, 'totp') !== undefined && setCodeAsked(true),
    meta: { isSignIn: true },
  });
  const { error } = signIn;
  const inDoubt = inDoubtOf?.(error);
  return (
    <Stack
      component="form"
      gap="sm"
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate(undefined);
      }}
    >
      {isCodeAsked && <TotpField autoFocus value={totp} onChange={setTotp} />}
      <Button type="submit" variant="default" leftSection={<Icon name="key" size={16} />} loading={signIn.isPending} fullWidth>
        {label ?? t.usePasskey}
      </Button>
      {error instanceof NoPasskeyGiven ? (
        <Alert color="yellow" role="alert">
          {t.noPasskeyGiven}
        </Alert>
      ) : (
        <Problem error={inDoubt ? null : error} isOfReading inDoubt={inDoubt} />
      )}
    </Stack>
  );
}
