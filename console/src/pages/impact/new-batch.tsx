import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { inDigits } from '../../format/as-meant.ts';
import { Page } from '../../layout/page.tsx';
import { type Chosen, useChosenRows } from '../../parts/chosen/chosen.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { problemOf } from '../../parts/problem.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { IMPACT } from './impact-texts.ts';
import { PickSettlements } from './pick-settlements.tsx';
import { ChosenWorth, PickedBar } from './pool-dialog.tsx';
import { poolSettlements, type ShareOfPartner, sharesOf } from './pool-settlements.ts';
import type { Poolable } from './pooled-settlements.tsx';

/** Settlements first: what they pay says how many trees to order. */
export function NewBatch() {
  const t = useTexts(IMPACT);
  if (!useMay('operator')) {
    return (
      <Page title={t.create}>
        <Alert color="gray">{t.notAllowed}</Alert>
      </Page>
    );
  }
  return (
    <Page title={t.create} description={t.createHelp}>
      <PickSettlements>{(chosen) => <CreateBar chosen={chosen} />}</PickSettlements>
    </Page>
  );
}

interface Wanted {
  readonly name: string;
  readonly quantity: string;
  readonly shares: readonly ShareOfPartner[];
}

/** Creates a batch for a number of trees with the chosen settlements, and leads to it. */
function CreateBar({ chosen }: { readonly chosen: Chosen<Poolable> }) {
  const t = useTexts(IMPACT);
  const navigate = useNavigate();
  const settlements = [...useChosenRows(chosen).values()];
  const [isOpen, setOpen] = useState(false);
  const [sent, setSent] = useState(0);
  const [stated, setStated] = useState({ name: '', quantity: '' });
  const shares = sharesOf(settlements);
  /** By what is stated of it: the key under which a batch may have been created. Another choice of settlements is for the same one. */
  const begun = useRef(new Map<string, string>());
  const create = useChange({
    async send({ shares: wanted, ...body }: Wanted, key, sender) {
      const stated = JSON.stringify(body);
      const batchKey = begun.current.get(stated) ?? key;
      begun.current.set(stated, batchKey);
      const params = { header: { 'Idempotency-Key': batchKey } };
      const batch = await answerOf(client.POST('/operator/v1/impact-batches', { params, body }));
      let isWhole = true;
      // The batch is there, and is gone on with.
      const onRefused = () => {
        isWhole = false;
      };
      await poolSettlements({ batchId: batch.impact_batch_id, shares: wanted, key, sender, onProgress: setSent, onRefused });
      return { batch, isWhole };
    },
    done: ({ batch: { name } }) => t.created(name),
    failed: ({ batch: { name }, isWhole }) => (isWhole ? undefined : t.createdWithout(name)),
    onDone: ({ batch: { impact_batch_id } }) => void navigate({ href: `/impact/${impact_batch_id}`, ignoreBlocker: true }),
  });
  // The batch is there then, and the same name and number lead to it.
  const isInDoubt = create.inDoubt.length > 0;
  return (
    <>
      <PickedBar
        chosen={chosen}
        label={t.createWith}
        onNext={() => setOpen(true)}
        exception={
          <Button variant="subtle" onClick={() => setOpen(true)}>
            {t.createEmpty}
          </Button>
        }
      />
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.create}
        consequence={settlements.length === 0 ? t.createConsequence : t.createWithConsequence(settlements.length, shares.length)}
        label={t.create}
        change={create}
        fields={['name', 'quantity']}
        inDoubt={isInDoubt && t.createInDoubt}
        isTyped={stated.name + stated.quantity !== ''}
        onConfirm={() => create.mutate({ name: stated.name.trim(), quantity: stated.quantity.trim(), shares })}
      >
        <Stack gap="md">
          <ChosenWorth settlements={settlements} sent={create.isPending ? sent : undefined} />
          <TextInput
            label={t.name}
            description={t.nameHelp}
            required
            data-autofocus
            dir="auto"
            maxLength={200}
            disabled={create.isLocked}
            value={stated.name}
            error={problemOf(create.error, 'name')}
            onChange={(event) => setStated({ ...stated, name: event.currentTarget.value })}
          />
          <TextInput
            label={t.trees}
            description={t.treesHelp}
            required
            dir="ltr"
            inputMode="numeric"
            maxLength={19}
            disabled={create.isLocked}
            value={stated.quantity}
            error={problemOf(create.error, 'quantity')}
            onChange={(event) => setStated({ ...stated, quantity: inDigits(event.currentTarget.value) })}
          />
        </Stack>
      </ConfirmDialog>
    </>
  );
}
