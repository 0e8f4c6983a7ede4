import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { operations } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { PartnerFilter } from '../../parts/partner.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { FAILURE } from './failure-texts.ts';

type DraftBody = operations['draftFailure']['requestBody']['content']['application/json'];

const EMPTY = { partner_event_id: '', partner_order_ref: '', points: '' };

/** The first of two operators states an event that can never be confirmed. */
export function DraftFailure() {
  const t = useTexts(FAILURE);
  const [isOpen, setOpen] = useState(false);
  const [partner, setPartner] = useState<string>();
  const [values, setValues] = useState(EMPTY);
  const draft = useChange({
    send: (body: DraftBody, key) =>
      answerOf(client.POST('/operator/v1/failures', { params: { header: { 'Idempotency-Key': key } }, body })),
    done: t.draftDone(values.partner_event_id.trim()),
    onDone: () => {
      setOpen(false);
      setValues(EMPTY);
    },
  });
  if (!useMay('operator')) return null;
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
        onClose={() => setOpen(false)}
        title={t.draft}
        consequence={t.draftConsequence}
        label={t.draft}
        asksReason
        change={draft}
        fields={fields.map(({ name }) => name)}
        onConfirm={(reason) => {
          if (partner !== undefined) draft.mutate({ partner_id: partner, ...values, reason });
        }}
      >
        <Stack gap="md">
          <PartnerFilter value={partner} onChange={setPartner} isRequired />
          {fields.map(({ name, label, help }) => (
            <TextInput
              key={name}
              label={label}
              description={help}
              required
              dir="ltr"
              maxLength={128}
              value={values[name]}
              error={problemOf(draft.error, name)}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setValues((before) => ({ ...before, [name]: value }));
              }}
            />
          ))}
        </Stack>
      </ConfirmDialog>
    </>
  );
}
