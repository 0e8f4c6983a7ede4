/** Asks for a password, and for the code of the second factor once the service says that there is one. */
import { Button, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SecretField } from '../parts/fields/secret-field.tsx';
import { Problem, problemOf } from '../parts/problem.tsx';
import { useTexts } from '../texts/language.tsx';
import type { InDoubtOf } from './link-in-doubt.tsx';
import type { SessionAnswer } from './session-answer.ts';
import { SESSION } from './session-texts.ts';
import { TotpField } from './totp-field.tsx';
import { useOnce } from './use-once.ts';

export interface Given {
  readonly password: string;
  readonly totp?: string;
}

interface PasswordFormProps {
  readonly send: (given: Given) => Promise<SessionAnswer>;
  readonly onSignedIn: (session: SessionAnswer) => void;
  readonly label: string;
  /** A new password is asked for twice. */
  readonly isNew?: boolean;
  readonly before?: ReactNode;
  /** Said in place of what says no more than that a new password may be set. */
  readonly inDoubtOf?: InDoubtOf;
  /** What a refusal of this form means in Arabic. */
  readonly inArabic?: Readonly<Record<string, string>>;
}

export function PasswordForm({ send, onSignedIn, label, isNew = false, before, inDoubtOf, inArabic = {} }: PasswordFormProps) {
  const t = useTexts(SESSION);
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const [totp, setTotp] = useState('');
  const signIn = useOnce({ mutationFn: send, onSuccess: onSignedIn, meta: { isSignIn: true } });
  const asksCode = problemOf(signIn.error, 'totp') !== undefined || totp !== '';
  const inDoubt = inDoubtOf?.(signIn.error);
  const isDifferent = isNew && repeated !== '' && repeated !== password;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isNew || repeated === password) signIn.mutate({ password, ...(totp && { totp }) });
      }}
    >
      <Stack gap="md">
        {before}
        <SecretField
          label={isNew ? t.newPassword : t.password}
          description={isNew && t.passwordHelp}
          autoComplete={isNew ? 'new-password' : 'current-password'}
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {isNew && (
          <SecretField
            label={t.repeatPassword}
            autoComplete="new-password"
            required
            error={isDifferent && t.passwordsDiffer}
            value={repeated}
            onChange={(event) => setRepeated(event.currentTarget.value)}
          />
        )}
        {asksCode && <TotpField autoFocus value={totp} onChange={setTotp} />}
        <Problem error={inDoubt ? null : signIn.error} inArabic={inArabic} isOfReading={!isNew} inDoubt={inDoubt} />
        <Button type="submit" loading={signIn.isPending} disabled={isDifferent} fullWidth>
          {label}
        </Button>
      </Stack>
    </form>
  );
}
