import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { operations } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { asMeant, inDigits } from '../../format/as-meant.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { PartnerFilter } from '../../parts/partner.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { FAILURE } from './failure-texts.ts';

type DraftBody = operations['draftFailure']['requestBody']['content']['application/json'];
type Field = Exclude<keyof DraftBody, 'reason'>;

const EMPTY = { partner_id: '', partner_event_id: '', partner_order_ref: '', points: '' };

/** The first of two operators states an event that can never be confirmed. */
export function DraftFailure() {
  const t = useTexts(FAILURE);
  const common = useTexts(COMMON);
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState<Readonly<Record<Field, string>>>(EMPTY);
  /** Whether the person tried to send it: from then on an empty field says that it is required. */
  const [isTried, setTried] = useState(false);
  const values = meantBy(typed);
  const draft = useChange({
    send: (body: DraftBody, key) =>
      answerOf(client.POST('/operator/v1/failures', { params: { header: { 'Idempotency-Key': key } }, body })),
    done: t.draftDone(values.partner_event_id),
    onDone: () => {
      close();
      setTyped(EMPTY);
    },
  });
  // It is drafted then, and the same request brings it.
  const [sent] = draft.inDoubt;
  const close = () => {
    setOpen(false);
    setTried(false);
  };
  if (!useMay('operator')) return null;
  const set = (name: Field, value: string) => setTyped((before) => ({ ...before, [name]: value }));
  const wrongWith = (name: Field, label: string) =>
    isTried && values[name] === '' ? common.isRequired : problemOf(draft.error, name, label);
  const fields = [
    { name: 'partner_event_id', label: t.partnerEvent, help: t.eventHelp },
    { name: 'partner_order_ref', label: t.order, help: undefined },
    { name: 'points', label: t.points, help: t.pointsHelp },
  ] as const;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t.draft}</Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={close}
        title={t.draft}
        consequence={t.draftConsequence}
        label={t.draft}
        asksReason
        sentReason={sent?.reason}
        change={draft}
        fields={Object.keys(EMPTY)}
        inDoubt={sent !== undefined && t.draftInDoubt}
        isTyped={typed !== EMPTY}
        onConfirm={(reason) => {
          setTried(true);
          if (Object.values(values).every((value) => value !== '')) draft.mutate(sent ?? { ...values, reason });
        }}
      >
        <Stack gap="md">
          <PartnerFilter
            value={typed.partner_id || undefined}
            onChange={(id) => set('partner_id', id ?? '')}
            isRequired
            isWide
            disabled={draft.isLocked}
            error={wrongWith('partner_id', common.partner)}
          />
          {fields.map(({ name, label, help }) => (
            <TextInput
              key={name}
              label={label}
              description={help}
              withAsterisk
              aria-required
              dir="ltr"
              disabled={draft.isLocked}
              value={typed[name]}
              error={wrongWith(name, label)}
              onChange={(event) => set(name, event.currentTarget.value)}
            />
          ))}
        </Stack>
      </ConfirmDialog>
    </>
  );
}

/** Without the white space around what was pasted. */
function meantBy({ partner_id, partner_event_id, partner_order_ref, points }: Readonly<Record<Field, string>>) {
  return {
    partner_id,
    partner_event_id: asMeant(partner_event_id),
    partner_order_ref: asMeant(partner_order_ref),
    points: inDigits(asMeant(points)),
  };
}
