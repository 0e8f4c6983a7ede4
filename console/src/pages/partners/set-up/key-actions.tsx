import { Group, Text } from '@mantine/core';
import { answerOf, client } from '../../../api/client.ts';
import type { components } from '../../../api/operator-types.ts';
import { useChange } from '../../../api/use-change.ts';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog.tsx';
import { DecidedBefore } from '../../../parts/dialogs/decided-before.tsx';
import { RowButton } from '../../../parts/row-button.tsx';
import { useMay } from '../../../session/session.tsx';
import { COMMON } from '../../../texts/common-texts.ts';
import { useTexts } from '../../../texts/language.tsx';
import { useLastEntry } from '../../audit/done-before.tsx';
import { SET_UP } from './set-up-texts.ts';

type Key = components['schemas']['ApiKey'];
type Step = 'rotate' | 'revoke';

/** What the person is about to do with a key. */
export interface WantedKeyStep {
  readonly apiKey: Key;
  readonly step: Step;
}

interface KeyActionsProps {
  readonly apiKey: Key;
  readonly onStep: (wanted: WantedKeyStep) => void;
}

/** Replaces a key, with a day for the change, or revokes it at once. */
export function KeyActions({ apiKey, onStep }: KeyActionsProps) {
  const t = useTexts(SET_UP);
  const { name, revoked_at } = apiKey;
  if (!useMay('operator') || revoked_at !== null) return null;
  return (
    <Group gap={6} wrap="nowrap">
      <RowButton label={t.rotate} about={name} onClick={() => onStep({ apiKey, step: 'rotate' })} />
      <RowButton label={t.revoke} about={name} isRefusal onClick={() => onStep({ apiKey, step: 'revoke' })} />
    </Group>
  );
}

interface StepDialogProps extends WantedKeyStep {
  readonly onIssued: (apiKey: string) => void;
  readonly onClose: () => void;
}

/** Beside the list, so that it stays where a colleague revokes the key, also where the key leaves the list. */
export function KeyStepDialog({ apiKey: { key_id, partner_id, name }, step, onIssued, onClose }: StepDialogProps) {
  const t = useTexts(SET_UP);
  const common = useTexts(COMMON);
  const { entry: revoked, refetch } = useLastEntry(key_id, 'key.revoke');
  const change = useChange<undefined, { readonly api_key?: string }>({
    async send(_nothing, key) {
      const params = { path: { key_id }, header: { 'Idempotency-Key': key } };
      if (step === 'rotate') return answerOf(client.POST('/operator/v1/keys/{key_id}/rotate', { params }));
      await answerOf(client.POST('/operator/v1/keys/{key_id}/revoke', { params }));
      return {};
    },
    done: ({ api_key }) => (api_key === undefined ? t.revokeDone(name) : t.issued(name)),
    onDone({ api_key }) {
      onClose();
      if (api_key !== undefined) onIssued(api_key);
    },
    isContested: true,
    isMadeNow: async () => step === 'revoke' && (await refetch()).data?.entries.length === 1,
  });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`${t[step]}: ${name}`}
      consequence={revoked ? common.changedMeanwhile : t[`${step}Consequence`]}
      label={t[step]}
      color={step === 'revoke' && !revoked ? 'red' : 'forest'}
      isDone={revoked !== undefined}
      change={change}
      onConfirm={() => change.mutate(undefined)}
    >
      {revoked && (
        <Text>
          <DecidedBefore partnerId={partner_id} label={t.revokedBy} by={revoked.operator_id} at={revoked.recorded_at} />
        </Text>
      )}
    </ConfirmDialog>
  );
}
