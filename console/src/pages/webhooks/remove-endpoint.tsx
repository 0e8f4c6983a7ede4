import { Button, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { endpointName } from '../../format/endpoint-name.ts';
import { formatBounded } from '../../format/points.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { DoneBefore } from '../audit/done-before.tsx';
import type { EndpointActivity } from './use-endpoint-activity.ts';
import { WEBHOOK } from './webhook-texts.ts';

type Endpoint = components['schemas']['Endpoint'];

interface RemoveProps {
  readonly endpoint: Endpoint;
  /** `undefined` until it is known. */
  readonly activity: EndpointActivity | undefined;
  /** The endpoint as it is now. */
  readonly readNow: () => Promise<Endpoint>;
}

/** Removes an endpoint for good, and leads to the list, which has it no more. */
export function RemoveEndpoint({ endpoint, activity, readNow }: RemoveProps) {
  const t = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const [isOpen, setOpen] = useState(false);
  const { partner_id, endpoint_id, url, status } = endpoint;
  const name = endpointName(url);
  const remove = useRemoval({ endpoint, readNow });
  // Also by this person, where the answer was lost.
  const isRemoved = status === 'removed' && !remove.isSuccess;
  return (
    <>
      {status !== 'removed' && (
        <Button variant="light" color="red" onClick={() => setOpen(true)}>
          {t.remove}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.removeTitle(name)}
        consequence={isRemoved ? common.changedMeanwhile : t.removeConsequence}
        label={t.remove}
        color={isRemoved ? 'forest' : 'red'}
        isDone={isRemoved}
        change={remove}
        onConfirm={() => remove.mutate(undefined)}
      >
        {isRemoved ? (
          <DoneBefore partnerId={partner_id} subjectId={endpoint_id} action="endpoint.remove" label={t.removedBy} />
        ) : (
          <NeverSent activity={activity} />
        )}
      </ConfirmDialog>
    </>
  );
}

/** What is not delivered yet, and never is after the removal. */
function NeverSent({ activity }: Pick<RemoveProps, 'activity'>) {
  const t = useTexts(WEBHOOK);
  const counted = [
    [t.waitingNow, activity?.waiting],
    [t.heldNow, activity?.held],
    [t.exhaustedNow, activity?.exhausted],
  ] as const;
  return (
    <div>
      {counted.map(([label, count]) => (
        <Text size="sm" key={label}>
          {label}: <bdi className="figure">{count ? formatBounded(count) : '–'}</bdi>
        </Text>
      ))}
    </div>
  );
}

function useRemoval({ endpoint, readNow }: Omit<RemoveProps, 'activity'>) {
  const t = useTexts(WEBHOOK);
  const navigate = useNavigate();
  const { partner_id, endpoint_id, url } = endpoint;
  return useChange({
    send(_nothing: undefined, key) {
      const params = { path: { partner_id, endpoint_id }, header: { 'Idempotency-Key': key } };
      return answerOf(client.DELETE('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}', { params }));
    },
    done: t.removedDone(endpointName(url)),
    onDone: () => void navigate({ href: '/webhooks', ignoreBlocker: true }),
    isContested: true,
    isMadeNow: async () => (await readNow()).status === 'removed',
  });
}
