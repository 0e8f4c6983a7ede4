import { Group } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../../api/client.ts';
import type { components } from '../../../api/operator-types.ts';
import { useChange } from '../../../api/use-change.ts';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog.tsx';
import { RowButton } from '../../../parts/row-button.tsx';
import { useMay } from '../../../session/session.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { SET_UP } from './set-up-texts.ts';

type Key = components['schemas']['ApiKey'];
type Step = 'rotate' | 'revoke';

interface KeyActionsProps {
  readonly apiKey: Key;
  readonly onIssued: (apiKey: string) => void;
}

/** Replaces a key, with a day for the change, or revokes it at once. */
export function KeyActions({ apiKey: { key_id, name, revoked_at }, onIssued }: KeyActionsProps) {
  const t = useTexts(SET_UP);
  const [step, setStep] = useState<Step>();
  const change = useChange<Step, { readonly api_key?: string }>({
    async send(wanted, key) {
      const params = { path: { key_id }, header: { 'Idempotency-Key': key } };
      if (wanted === 'rotate') return answerOf(client.POST('/operator/v1/keys/{key_id}/rotate', { params }));
      await answerOf(client.POST('/operator/v1/keys/{key_id}/revoke', { params }));
      return {};
    },
    done: ({ api_key }) => (api_key === undefined ? t.revokeDone(name) : t.issued(name)),
    onDone({ api_key }) {
      setStep(undefined);
      if (api_key !== undefined) onIssued(api_key);
    },
  });
  if (!useMay('operator') || revoked_at !== null) return null;
  const shown = step ?? 'rotate';
  return (
    <Group gap={6} wrap="nowrap">
      <RowButton label={t.rotate} about={name} onClick={() => setStep('rotate')} />
      <RowButton label={t.revoke} about={name} isRefusal onClick={() => setStep('revoke')} />
      <ConfirmDialog
        isOpen={step !== undefined}
        onClose={() => setStep(undefined)}
        title={`${t[shown]}: ${name}`}
        consequence={t[`${shown}Consequence`]}
        label={t[shown]}
        color={shown === 'revoke' ? 'red' : 'forest'}
        change={change}
        onConfirm={() => change.mutate(shown)}
      />
    </Group>
  );
}
