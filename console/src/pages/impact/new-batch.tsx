import { Button, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { IMPACT } from './impact-texts.ts';

/** Creates a batch for a number of trees, and leads to it. */
export function NewBatch() {
  const t = useTexts(IMPACT);
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [quantity, setQuantity] = useState('');
  const create = useChange({
    send: (body: { name: string; quantity: string }, key) =>
      answerOf(client.POST('/operator/v1/impact-batches', { params: { header: { 'Idempotency-Key': key } }, body })),
    done: t.created,
    onDone: ({ impact_batch_id }) => void navigate({ href: `/impact/${impact_batch_id}` }),
  });
  if (!useMay('operator')) return null;
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpen(true)}>
        {t.create}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.create}
        consequence={t.createConsequence}
        label={t.create}
        change={create}
        fields={['name', 'quantity']}
        onConfirm={() => create.mutate({ name: name.trim(), quantity: quantity.trim() })}
      >
        <Stack gap="md">
          <TextInput
            label={t.name}
            description={t.nameHelp}
            required
            data-autofocus
            dir="auto"
            maxLength={200}
            value={name}
            error={problemOf(create.error, 'name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={t.trees}
            description={t.treesHelp}
            required
            dir="ltr"
            inputMode="numeric"
            maxLength={19}
            value={quantity}
            error={problemOf(create.error, 'quantity')}
            onChange={(event) => setQuantity(event.currentTarget.value)}
          />
        </Stack>
      </ConfirmDialog>
    </>
  );
}
