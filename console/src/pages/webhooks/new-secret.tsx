import { Button } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { endpointName } from '../../format/endpoint-name.ts';
import { WithCode } from '../../parts/codes/with-code.tsx';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { hint } from '../../parts/hint.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { DoneBefore } from '../audit/done-before.tsx';
import { WEBHOOK } from './webhook-texts.ts';

type Endpoint = components['schemas']['Endpoint'];

interface NewSecretProps {
  readonly endpoint: Endpoint;
  /** The endpoint as it is now. */
  readonly readNow: () => Promise<Endpoint>;
}

/** Makes a second secret for an endpoint whose partner has lost the first, or fears that somebody else knows it. Shown once. */
export function NewSecret({ endpoint, readNow }: NewSecretProps) {
  const t = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const [isOpen, setOpen] = useState(false);
  const rotate = useRotation({ endpoint, readNow });
  const isInDoubt = rotate.inDoubt.length > 0;
  useUnsaved(rotate.isPending || isInDoubt, 'doubt');
  const isOwn = rotate.isPending || rotate.isSuccess || isInDoubt;
  const before = isOwn ? undefined : doneBefore(endpoint);
  return (
    <>
      {endpoint.status !== 'removed' && (
        <Offer {...{ endpoint }} isWaiting={!isOpen && before !== undefined} onClick={() => setOpen(true)} />
      )}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.newSecretTitle}
        consequence={before ? common.changedMeanwhile : <WithCode text={t.newSecretConsequence} />}
        label={t.newSecret}
        change={rotate}
        inDoubt={isInDoubt && t.newSecretInDoubt}
        isDone={rotate.isSuccess || before !== undefined}
        onConfirm={() => rotate.mutate(undefined)}
      >
        {before && (
          <DoneBefore
            partnerId={endpoint.partner_id}
            subjectId={endpoint.endpoint_id}
            action={`endpoint.${before}`}
            label={before === 'remove' ? t.removedBy : t.newSecretBy}
          />
        )}
        {rotate.data && <ShownOnce value={rotate.data.secret} title={t.newSecretIs} copyLabel={t.copySecret} />}
      </ConfirmDialog>
    </>
  );
}

interface OfferProps {
  readonly endpoint: Endpoint;
  readonly isWaiting: boolean;
  readonly onClick: () => void;
}

/** @param isWaiting Whether the endpoint has a new secret that is not the only one yet: it says so by its hint. */
function Offer({ endpoint: { partner_id, endpoint_id }, isWaiting, onClick }: OfferProps) {
  const t = useTexts(WEBHOOK);
  const command = `npx partner-impact endpoint rotate-secret --partner ${partner_id} --endpoint ${endpoint_id} --replace`;
  if (isWaiting)
    return (
      <Button variant="default" data-disabled aria-disabled {...hint(t.newSecretWaits(command))}>
        {t.newSecret}
      </Button>
    );
  return (
    <Button variant="default" onClick={onClick}>
      {t.newSecret}
    </Button>
  );
}

/** What a colleague, or the partner, did meanwhile that leaves no place for a new secret. */
function doneBefore({ status, secret_rotates_at }: Endpoint): 'remove' | 'rotate-secret' | undefined {
  if (status === 'removed') return 'remove';
  return secret_rotates_at === null ? undefined : 'rotate-secret';
}

/** After an answer that did not come, the same request brings the secret that it made. */
function useRotation({ endpoint, readNow }: NewSecretProps) {
  const t = useTexts(WEBHOOK);
  const { partner_id, endpoint_id, url } = endpoint;
  return useChange({
    send(_nothing: undefined, key) {
      const params = { path: { partner_id, endpoint_id }, header: { 'Idempotency-Key': key } };
      return answerOf(client.POST('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}/rotate-secret', { params }));
    },
    done: t.newSecretDone(endpointName(url)),
    isContested: true,
    isMadeNow: async (_nothing, isInDoubt) => !isInDoubt && doneBefore(await readNow()) !== undefined,
  });
}
