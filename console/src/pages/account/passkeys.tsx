/** The own passkeys: added with a name, listed with their last use, removed. */
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { Records } from '../../parts/records.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Foreign, Time } from '../../parts/values.tsx';
import { addPasskey, hasPasskeys, NoPasskeyGiven, type Passkey } from '../../session/passkey.ts';
import { SESSION_KEY } from '../../session/session-gate.tsx';
import { SESSION } from '../../session/session-texts.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ACCOUNT } from './account-texts.ts';

const PASSKEYS_KEY = ['passkeys'] as const;

export function Passkeys({ hasPassword }: { readonly hasPassword: boolean }) {
  const t = useTexts(ACCOUNT);
  const { actions } = useTexts(COMMON);
  const passkeys = useQuery({ queryKey: PASSKEYS_KEY, queryFn: () => answerOf(client.GET('/operator/v1/session/passkeys')) });
  return (
    <Stack gap="md">
      <Text maw={620}>{t.passkeysHelp(location.hostname)}</Text>
      <Loaded query={passkeys}>
        {(answer) =>
          answer.passkeys.length > 0 && (
            <Records
              label={t.passkeys}
              rows={answer.passkeys}
              keyOf={({ passkey_id }) => passkey_id}
              empty={null}
              columns={[
                { label: t.passkeyName, show: ({ name }) => <Foreign text={name} /> },
                { label: t.host, show: ({ host }) => <bdi dir="ltr">{host}</bdi> },
                { label: t.addedAt, show: ({ created_at }) => <Time at={created_at} style="day" /> },
                { label: t.lastUsed, show: ({ last_used_at }) => <Time at={last_used_at} /> },
                {
                  label: actions,
                  isLabelHidden: true,
                  show: (passkey) => <RemovePasskey passkey={passkey} hasPassword={hasPassword} />,
                },
              ]}
            />
          )
        }
      </Loaded>
      {hasPasskeys() ? <AddPasskey /> : <Alert color="gray">{t.passkeysNowhere}</Alert>}
    </Stack>
  );
}

function useReadAgain(): () => void {
  const queries = useQueryClient();
  return () => {
    void queries.invalidateQueries({ queryKey: PASSKEYS_KEY });
    void queries.refetchQueries({ queryKey: SESSION_KEY });
  };
}

function AddPasskey() {
  const t = useTexts(ACCOUNT);
  const words = useTexts(SESSION);
  const readAgain = useReadAgain();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const add = useChange({
    send: (wanted: string) => addPasskey(wanted),
    done: t.passkeyAdded,
    onDone() {
      setOpen(false);
      setName('');
      readAgain();
    },
  });
  const isTurnedAway = add.error instanceof NoPasskeyGiven;
  return (
    <Group>
      <Button leftSection={<Icon name="key" size={16} />} onClick={() => setOpen(true)}>
        {t.addPasskey}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.addPasskey}
        consequence={t.addPasskeyHelp}
        label={t.addPasskey}
        change={isTurnedAway ? { ...add, error: null } : add}
        fields={['name']}
        isTyped={name !== ''}
        onConfirm={() => add.mutate(name.trim())}
      >
        <TextInput
          label={t.passkeyName}
          description={t.passkeyNameHelp}
          required
          data-autofocus
          dir="auto"
          maxLength={100}
          value={name}
          error={problemOf(add.error, 'name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {isTurnedAway && <Alert color="yellow">{words.noPasskeyGiven}</Alert>}
      </ConfirmDialog>
    </Group>
  );
}

interface RemovePasskeyProps {
  readonly passkey: Passkey;
  readonly hasPassword: boolean;
}

function RemovePasskey({ passkey: { passkey_id, name }, hasPassword }: RemovePasskeyProps) {
  const t = useTexts(ACCOUNT);
  const readAgain = useReadAgain();
  const [isOpen, setOpen] = useState(false);
  const remove = useChange({
    send: (_nothing: undefined) =>
      answerOf(client.DELETE('/operator/v1/session/passkeys/{passkey_id}', { params: { path: { passkey_id } } })),
    done: t.passkeyRemoved,
    onDone() {
      setOpen(false);
      readAgain();
    },
  });
  return (
    <>
      <RowButton label={t.removePasskey} about={name} isRefusal onClick={() => setOpen(true)} />
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.removePasskey}
        consequence={hasPassword ? `${t.removePasskeyConsequence} ${t.passwordStays}` : t.removePasskeyConsequence}
        label={t.removePasskey}
        color="red"
        change={remove}
        onConfirm={() => remove.mutate(undefined)}
      />
    </>
  );
}
