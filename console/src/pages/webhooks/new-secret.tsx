import { Button } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { endpointName } from '../../format/endpoint-name.ts';
import { WithCode } from '../../parts/codes/with-code.tsx';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { hint } from '../../parts/hint.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useTexts } from '../../texts/language.tsx';
import { WEBHOOK } from './webhook-texts.ts';

type Endpoint = components['schemas']['Endpoint'];

/** Makes a second secret for an endpoint whose partner has lost the first, or fears that somebody else knows it. Shown once. */
export function NewSecret({ endpoint }: { readonly endpoint: Endpoint }) {
  const t = useTexts(WEBHOOK);
  const [isOpen, setOpen] = useState(false);
  const rotate = useRotation(endpoint);
  // While the dialog shows the secret, the endpoint has it already.
  const isRotating = !isOpen && endpoint.secret_rotates_at !== null;
  return (
    <>
      <Button
        variant="default"
        {...(isRotating ? { 'data-disabled': true, 'aria-disabled': true, ...hint(t.newSecretWaits) } : {})}
        onClick={() => !isRotating && setOpen(true)}
      >
        {t.newSecret}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.newSecretTitle}
        consequence={<WithCode text={t.newSecretConsequence} />}
        label={t.newSecret}
        change={rotate}
        isDone={rotate.isSuccess}
        onConfirm={() => rotate.mutate(undefined)}
      >
        {rotate.data && <ShownOnce value={rotate.data.secret} title={t.newSecretIs} copyLabel={t.copySecret} />}
      </ConfirmDialog>
    </>
  );
}

function useRotation({ partner_id, endpoint_id, url }: Endpoint) {
  const t = useTexts(WEBHOOK);
  return useChange({
    send: (_nothing: undefined, key) =>
      answerOf(
        client.POST('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/rotate-secret', {
          params: { path: { partner_id, endpoint_id }, header: { 'Idempotency-Key': key } },
        }),
      ),
    done: t.newSecretDone(endpointName(url)),
    isContested: true,
  });
}
