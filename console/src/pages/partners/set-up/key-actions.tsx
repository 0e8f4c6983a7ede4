import { Group, Stack, Text } from '@mantine/core';
import { answerOf, client } from '../../../api/client.ts';
import type { components } from '../../../api/operator-types.ts';
import { serviceNow } from '../../../api/service-clock.ts';
import { type Change, useChange } from '../../../api/use-change.ts';
import { useUnsaved } from '../../../app/unsaved.ts';
import { isolateForeign } from '../../../format/isolate.ts';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog.tsx';
import { DecidedBefore } from '../../../parts/dialogs/decided-before.tsx';
import { PartnerTime } from '../../../parts/partner.tsx';
import { RowButton } from '../../../parts/row-button.tsx';
import { useMay } from '../../../session/session.tsx';
import { COMMON } from '../../../texts/common-texts.ts';
import { useTexts } from '../../../texts/language.tsx';
import { readLastEntry, useLastEntry } from '../../audit/done-before.tsx';
import { SET_UP } from './set-up-texts.ts';

type Key = components['schemas']['ApiKey'];
type Issued = components['schemas']['IssuedApiKey'];
type Step = 'rotate' | 'revoke';

/** What the person is about to do with a key. */
export interface WantedKeyStep {
  readonly apiKey: Key;
  readonly step: Step;
}

interface KeyActionsProps {
  readonly apiKey: Key;
  /** Whether it may have been replaced: then it ends within a day, and the same step brings the new key. */
  readonly isInDoubt: boolean;
  readonly onStep: (wanted: WantedKeyStep) => void;
}

/** For so long an old key works beside the new one. */
const OVERLAP_MS = 86_400_000;

/** Of another key the new one would end with the old one, so that the service refuses it. */
function outlivesOverlap({ expires_at }: Key): boolean {
  return expires_at === null || Date.parse(expires_at) > serviceNow() + OVERLAP_MS;
}

/** Replaces a key, with a day for the change, or revokes it at once. */
export function KeyActions({ apiKey, isInDoubt, onStep }: KeyActionsProps) {
  const t = useTexts(SET_UP);
  const { name, revoked_at } = apiKey;
  const isRevoked = revoked_at !== null;
  if (!useMay('operator') || (isRevoked && !isInDoubt)) return null;
  const mayReplace = isInDoubt || outlivesOverlap(apiKey);
  return (
    <Stack gap={6}>
      {!mayReplace && (
        <Text size="sm" c="dimmed">
          {t.notReplaced}
        </Text>
      )}
      <Group gap={6} wrap="nowrap">
        {mayReplace && <RowButton label={t.rotate} about={name} onClick={() => onStep({ apiKey, step: 'rotate' })} />}
        {!isRevoked && <RowButton label={t.revoke} about={name} isRefusal onClick={() => onStep({ apiKey, step: 'revoke' })} />}
      </Group>
    </Stack>
  );
}

/** Beside the list: after an answer that did not come, the same request brings the key that it made, also where the dialog was closed. */
export function useReplacement(onIssued: (issued: Issued) => void) {
  const t = useTexts(SET_UP);
  const replace = useChange({
    send: (key_id: string, key) =>
      answerOf(
        client.POST('/operator/v1/keys/{key_id}/rotate', { params: { path: { key_id }, header: { 'Idempotency-Key': key } } }),
      ),
    done: (issued) => t.issued(issued.key.name),
    onDone: onIssued,
    isContested: true,
  });
  useUnsaved(replace.isPending || replace.inDoubt.length > 0, 'doubt');
  return replace;
}

interface StepDialogProps extends WantedKeyStep {
  readonly replace: Change<string, Issued>;
  readonly onClose: () => void;
}

/** Beside the list, so that it stays where a colleague revokes the key, also where the key leaves the list. */
export function KeyStepDialog({ apiKey: { key_id, partner_id, name, expires_at }, step, replace, onClose }: StepDialogProps) {
  const t = useTexts(SET_UP);
  const common = useTexts(COMMON);
  const { entry } = useLastEntry(key_id, 'key.revoke');
  const revoke = useChange({
    send: (_nothing: undefined, key) =>
      answerOf(
        client.POST('/operator/v1/keys/{key_id}/revoke', { params: { path: { key_id }, header: { 'Idempotency-Key': key } } }),
      ),
    done: t.revokeDone(name),
    onDone: onClose,
    isContested: true,
    isMadeNow: async () => (await readLastEntry(key_id, 'key.revoke')) !== null,
  });
  const isInDoubt = step === 'rotate' && replace.inDoubt.includes(key_id);
  const revoked = isInDoubt ? undefined : entry;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`${t[step]}: ${isolateForeign(name)}`}
      consequence={revoked ? common.changedMeanwhile : t[`${step}Consequence`]}
      label={t[step]}
      color={step === 'revoke' && !revoked ? 'red' : 'forest'}
      isDone={revoked !== undefined}
      change={step === 'rotate' ? replace : revoke}
      inDoubt={isInDoubt && t.issueInDoubt}
      onConfirm={() => (step === 'rotate' ? replace.mutate(key_id) : revoke.mutate(undefined))}
    >
      {step === 'rotate' && !revoked && !isInDoubt && expires_at !== null && (
        <Text size="sm">
          {t.keepsEnd} <PartnerTime partnerId={partner_id} at={expires_at} />
        </Text>
      )}
      {revoked && (
        <Text>
          <DecidedBefore partnerId={partner_id} label={t.revokedBy} by={revoked.operator_id} at={revoked.recorded_at} />
        </Text>
      )}
    </ConfirmDialog>
  );
}
