import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useChange } from '../../api/use-change.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Points } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { SETTLEMENT } from './settlement-texts.ts';

type Settlement = components['schemas']['Settlement'];

/** Closes a settlement before its period ends, with what is still open in sight. */
export function CloseSettlement({ settlement }: { readonly settlement: Settlement }) {
  const t = useTexts(SETTLEMENT);
  const [isOpen, setOpen] = useState(false);
  const { partner_id, settlement_id } = settlement;
  const close = useChange({
    send: (_nothing: undefined, key) =>
      answerOf(
        client.POST('/operator/v1/partners/{partner_id}/settlements/{settlement_id}/close', {
          params: { path: { partner_id, settlement_id }, header: { 'Idempotency-Key': key } },
        }),
      ),
    done: t.closeDone,
    onDone: () => setOpen(false),
  });
  if (!useMay('approver')) return null;
  return (
    <>
      <Button color="red" variant="light" onClick={() => setOpen(true)}>
        {t.close}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t.closeTitle}
        consequence={t.closeConsequence}
        label={t.close}
        color="red"
        error={close.error}
        isPending={close.isPending}
        onConfirm={() => close.mutate(undefined)}
      >
        <Checklist settlement={settlement} />
      </ConfirmDialog>
    </>
  );
}

function Checklist({ settlement: { partner_id, settlement_id, net_points } }: { readonly settlement: Settlement }) {
  const t = useTexts(SETTLEMENT);
  const reviews = useQuery({
    queryKey: ['reviews-of', partner_id],
    queryFn: () => answerOf(client.GET('/operator/v1/reviews', { params: { query: { partner_id, limit: 200 } } })),
  });
  const adjustments = useQuery({
    queryKey: ['approved-of', partner_id],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/adjustments', { params: { query: { partner_id, status: 'approved', limit: 200 } } })),
  });
  const settlements = useQuery({
    queryKey: ['settlements-of', partner_id],
    queryFn: () =>
      answerOf(
        client.GET('/operator/v1/partners/{partner_id}/settlements', { params: { path: { partner_id }, query: { limit: 2 } } }),
      ),
  });
  const last = settlements.data?.settlements.find((each) => each.settlement_id !== settlement_id);
  return (
    <Stack gap={6}>
      <Text fw={600}>{t.before}</Text>
      <Check label={t.pendingLeft} count={reviews.data?.reviews.length} to={`/reviews?partner=${partner_id}`} />
      <Check
        label={t.notPosted}
        count={adjustments.data?.adjustments.length}
        to={`/adjustments?partner=${partner_id}&status=approved`}
      />
      <Text size="sm">
        {t.netPoints}: {t.ofThisMonth} <Points value={net_points} /> · {t.lastPeriod} <Points value={last?.net_points} />
      </Text>
    </Stack>
  );
}

function Check({ label, count, to }: { readonly label: string; readonly count: number | undefined; readonly to: string }) {
  return (
    <Group gap={8}>
      <Icon name={count === 0 ? 'check' : 'alert'} size={16} />
      <AddressLink to={to}>{label}</AddressLink>
      <Points value={count === undefined ? undefined : String(count)} />
    </Group>
  );
}
