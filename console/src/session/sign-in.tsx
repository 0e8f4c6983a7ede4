import { Alert, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../api/client.ts';
import { useTexts } from '../texts/language.tsx';
import { SIGN_IN_REFUSAL } from '../texts/refusals-in-arabic.ts';
import { hasPasskeys, signInByPasskey } from './passkey.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { PasswordForm } from './password-form.tsx';
import type { SessionAnswer } from './session-answer.ts';
import { SESSION } from './session-texts.ts';
import { SignInFrame } from './sign-in-frame.tsx';

interface SignInProps {
  readonly hasEnded: boolean;
  readonly onSignedIn: (session: SessionAnswer) => void;
}

export function SignIn({ hasEnded, onSignedIn }: SignInProps) {
  const t = useTexts(SESSION);
  const [login, setLogin] = useState('');
  return (
    <SignInFrame title={t.signIn}>
      {hasEnded && <Alert color="yellow">{t.ended}</Alert>}
      <PasswordForm
        label={t.signIn}
        inArabic={SIGN_IN_REFUSAL.password}
        onSignedIn={onSignedIn}
        send={(given) => answerOf(client.POST('/operator/v1/session', { body: { login: login.trim(), ...given } }))}
        before={
          <TextInput
            label={t.login}
            autoComplete="username"
            required
            autoFocus
            dir="auto"
            value={login}
            onChange={(event) => setLogin(event.currentTarget.value)}
          />
        }
      />
      {hasPasskeys() && <PasskeyButton send={signInByPasskey} onSignedIn={onSignedIn} />}
      <Text size="sm" c="dimmed">
        {t.noPassword}
      </Text>
    </SignInFrame>
  );
}
