import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Page } from '../../layout/page.tsx';
import { Email } from '../../parts/codes/email.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Section } from '../../parts/section.tsx';
import { Foreign, Time } from '../../parts/values.tsx';
import { readSession, SESSION_KEY } from '../../session/session-gate.tsx';
import { useTexts } from '../../texts/language.tsx';
import { SHELL } from '../../texts/shell-texts.ts';
import { ACCOUNT } from './account-texts.ts';
import { ChangePassword } from './change-password.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';

export function AccountPage() {
  const t = useTexts(ACCOUNT);
  const roles = useTexts(SHELL);
  const { data: session } = useQuery({ queryKey: SESSION_KEY, queryFn: readSession, staleTime: Number.POSITIVE_INFINITY });
  if (typeof session !== 'object' || session === null) return null;
  const { operator } = session;
  return (
    <Page title={t.title}>
      <Stack gap="xl">
        <Facts
          columns={3}
          facts={[
            { label: t.name, value: <Foreign text={operator.name} isWhole /> },
            { label: t.email, value: <Email address={operator.email} /> },
            { label: t.role, value: roles[operator.role] },
            { label: t.signedIn, value: <Time at={session.signed_in_at} /> },
            { label: t.ends, value: <Time at={session.expires_at} /> },
          ]}
        />
        <Section title={t.passkeys}>
          <Passkeys hasPassword={session.has_password} />
        </Section>
        <Section title={t.factor}>
          {session.has_password || session.has_second_factor ? (
            <SecondFactor isOn={session.has_second_factor} />
          ) : (
            <Text maw={620}>{t.factorNeedless}</Text>
          )}
        </Section>
        <Section title={t.password}>
          {session.has_password ? (
            <ChangePassword hasSecondFactor={session.has_second_factor} />
          ) : (
            <Text maw={620}>{t.noPassword}</Text>
          )}
        </Section>
      </Stack>
    </Page>
  );
}
