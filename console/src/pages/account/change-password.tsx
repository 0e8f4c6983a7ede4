import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { present } from '../../api/present.ts';
import { SecretField } from '../../parts/fields/secret-field.tsx';
import { notify } from '../../parts/notify.tsx';
import { Problem, problemOf } from '../../parts/problem.tsx';
import { beginSession } from '../../session/session-gate.tsx';
import { SESSION } from '../../session/session-texts.ts';
import { TotpField } from '../../session/totp-field.tsx';
import { useOnce } from '../../session/use-once.ts';
import { useTexts } from '../../texts/language.tsx';
import { SIGN_IN_REFUSAL } from '../../texts/refusals-in-arabic.ts';
import { ACCOUNT } from './account-texts.ts';

const EMPTY = { password: '', new_password: '', totp: '' };

export function ChangePassword({ hasSecondFactor }: { readonly hasSecondFactor: boolean }) {
  const t = useTexts(ACCOUNT);
  const words = useTexts(SESSION);
  const queries = useQueryClient();
  const [values, setValues] = useState(EMPTY);
  const [repeated, setRepeated] = useState('');
  const set = (name: keyof typeof EMPTY) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    setValues((before) => ({ ...before, [name]: value }));
  };
  const change = useOnce({
    mutationFn: (_nothing: undefined) => {
      const { password, new_password, totp } = values;
      return answerOf(client.POST('/operator/v1/session/password', { body: { password, new_password, ...present({ totp }) } }));
    },
    // A wrong password ends no session.
    meta: { isSignIn: true },
    onSuccess(session) {
      beginSession(queries, session);
      setValues(EMPTY);
      setRepeated('');
      notify(t.changed);
    },
  });
  const differs = repeated !== '' && repeated !== values.new_password;
  return (
    <Paper p="lg" maw={520}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (repeated === values.new_password) change.mutate(undefined);
        }}
      >
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t.passwordHelp}
          </Text>
          <SecretField
            label={t.current}
            autoComplete="current-password"
            required
            value={values.password}
            onChange={set('password')}
          />
          <SecretField
            label={words.newPassword}
            description={words.passwordHelp}
            autoComplete="new-password"
            required
            error={problemOf(change.error, 'new_password')}
            value={values.new_password}
            onChange={set('new_password')}
          />
          <SecretField
            label={words.repeatPassword}
            autoComplete="new-password"
            required
            error={differs && words.passwordsDiffer}
            value={repeated}
            onChange={(event) => setRepeated(event.currentTarget.value)}
          />
          {hasSecondFactor && <TotpField value={values.totp} onChange={(totp) => setValues((before) => ({ ...before, totp }))} />}
          <Problem error={change.error} fields={['new_password']} inArabic={SIGN_IN_REFUSAL.again} />
          <Group justify="flex-end">
            <Button type="submit" loading={change.isPending} disabled={differs}>
              {t.change}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
