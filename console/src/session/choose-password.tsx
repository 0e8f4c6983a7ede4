import { Alert, Divider, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../api/client.ts';
import { useTexts } from '../texts/language.tsx';
import { SIGN_IN_REFUSAL } from '../texts/refusals-in-arabic.ts';
import { useLinkInDoubt } from './link-in-doubt.tsx';
import { addPasskeyByLink, askByLink, hasPasskeys } from './passkey.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { PasswordForm } from './password-form.tsx';
import type { SessionAnswer } from './session-answer.ts';
import { SESSION } from './session-texts.ts';
import { SignInFrame } from './sign-in-frame.tsx';

/** Where a one-time link leads, `/sign-in#pi_code_…`. What follows `#` is sent to no server, and leaves the history of the browser at once. */
export function ChoosePassword({ onSignedIn }: { readonly onSignedIn: (session: SessionAnswer) => void }) {
  const t = useTexts(SESSION);
  const [code] = useState(takeCode);
  const { trade, inDoubtOf } = useLinkInDoubt();
  if (code === '') {
    return (
      <SignInFrame title={t.welcome}>
        <Alert color="yellow">{t.noCode}</Alert>
      </SignInFrame>
    );
  }
  const begin = (session: SessionAnswer) => {
    history.replaceState(null, '', '/');
    taken = '';
    onSignedIn(session);
  };
  return (
    <SignInFrame title={t.welcome} help={t.welcomeHelp}>
      <PasswordForm
        isNew
        label={t.setPassword}
        inArabic={SIGN_IN_REFUSAL.link}
        onSignedIn={begin}
        inDoubtOf={inDoubtOf}
        send={(given) => trade('password', answerOf(client.POST('/operator/v1/session/link', { body: { code, ...given } })))}
      />
      {hasPasskeys() && (
        <>
          <Divider label={t.or} />
          <PasskeyButton
            label={t.choosePasskey}
            inDoubtOf={inDoubtOf}
            send={async (totp) => {
              const passkey = await askByLink(t.passkeyOfLink, { code, ...(totp !== undefined && { totp }) });
              return trade('passkey', addPasskeyByLink(passkey));
            }}
            onSignedIn={begin}
          />
          <Text size="sm" c="dimmed">
            {t.choosePasskeyHelp}
          </Text>
        </>
      )}
    </SignInFrame>
  );
}

let taken = '';

function takeCode(): string {
  const [code = ''] = /pi_code_[\w-]+/.exec(location.hash) ?? [];
  if (code !== '') {
    taken = code;
    history.replaceState(null, '', '/sign-in');
  }
  return taken;
}
