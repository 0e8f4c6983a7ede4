import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Problem, problemOf } from '../../parts/problem.tsx';
import { QrPicture } from '../../parts/qr-picture.tsx';
import { Id } from '../../parts/values.tsx';
import { SESSION_KEY } from '../../session/session-gate.tsx';
import { TotpField } from '../../session/totp-field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ACCOUNT } from './account-texts.ts';

type Begun = components['schemas']['BegunSecondFactor'];

/** A code of an authenticator app besides the password: set up, replaced, or removed. */
export function SecondFactor({ isOn }: { readonly isOn: boolean }) {
  const t = useTexts(ACCOUNT);
  const [begun, setBegun] = useState<Begun>();
  const [isRemoving, setRemoving] = useState(false);
  const readAgain = useReadSessionAgain();
  const begin = useChange({
    send: () => answerOf(client.POST('/operator/v1/session/second-factor')),
    onDone: setBegun,
  });
  const remove = useChange({
    send: () => answerOf(client.DELETE('/operator/v1/session/second-factor')),
    done: t.removed,
    onDone: () => {
      setRemoving(false);
      readAgain();
    },
  });
  return (
    <Paper p="lg" maw={520}>
      <Stack gap="md">
        <Text>{isOn ? t.factorOn : t.factorOff}</Text>
        <Problem error={begin.error} />
        <Group>
          <Button variant={isOn ? 'default' : 'filled'} onClick={() => begin.mutate(undefined)} loading={begin.isPending}>
            {isOn ? t.replace : t.setUp}
          </Button>
          {isOn && (
            <Button variant="light" color="red" onClick={() => setRemoving(true)}>
              {t.remove}
            </Button>
          )}
        </Group>
      </Stack>
      {begun && <Enrol begun={begun} onClose={() => setBegun(undefined)} />}
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={t.remove}
        consequence={t.removeConsequence}
        label={t.remove}
        color="red"
        change={remove}
        onConfirm={() => remove.mutate(undefined)}
      />
    </Paper>
  );
}

function useReadSessionAgain(): () => void {
  const queries = useQueryClient();
  return () => void queries.refetchQueries({ queryKey: SESSION_KEY });
}

function Enrol({ begun, onClose }: { readonly begun: Begun; readonly onClose: () => void }) {
  const t = useTexts(ACCOUNT);
  const [totp, setTotp] = useState('');
  const readAgain = useReadSessionAgain();
  const confirm = useChange({
    send: (body: { enrolment: string; totp: string }) => answerOf(client.PUT('/operator/v1/session/second-factor', { body })),
    done: t.added,
    onDone: () => {
      readAgain();
      onClose();
    },
  });
  return (
    <Dialog opened onClose={onClose} title={t.setUp} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          confirm.mutate({ enrolment: begun.enrolment, totp: totp.trim() });
        }}
      >
        <Stack gap="md">
          <Text size="sm">{t.steps}</Text>
          <QrPicture text={begun.uri} label={t.picture} />
          <div>
            <Text size="sm" c="dimmed">
              {t.key}
            </Text>
            <Id id={begun.secret} />
          </div>
          <a className="text-link" href={begun.uri}>
            {t.openApp}
          </a>
          <Text size="sm" c="dimmed">
            {t.once}
          </Text>
          <TotpField isFirst error={problemOf(confirm.error, 'totp')} value={totp} onChange={setTotp} />
          <Problem error={confirm.error} fields={['totp']} />
          <Group justify="flex-end">
            <Button type="submit" loading={confirm.isPending}>
              {t.confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
