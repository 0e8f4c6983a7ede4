import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useAllPages } from '../../api/use-all-pages.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Person } from '../../parts/person.tsx';
import { Foreign, Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { StartReconciliation } from '../reconciliations/start-reconciliation.tsx';
import { countDifferences } from '../reconciliations/verdicts.ts';
import { useAdjustmentsOf } from './settlement-adjustments.tsx';
import { useDoneReconciliations } from './settlement-reconciliations.tsx';
import { SETTLEMENT } from './settlement-texts.ts';

type Settlement = components['schemas']['Settlement'];

const OPEN = ['red', 'alert', 'disputed'] as const;
const ANSWERED = ['yellow', 'clock', 'disputedAnswered'] as const;
const ENDED = ['gray', 'check', 'endedDispute'] as const;

/** What the partner says against a settlement; after an acceptance, that it was disputed first. */
export function Dispute({ settlement }: { readonly settlement: Settlement }) {
  const t = useTexts(SETTLEMENT);
  const { partner_id, settlement_id, acknowledgement, period_timezone: zone } = settlement;
  const path = { partner_id, settlement_id };
  const answers = useQuery({
    queryKey: ['acknowledgements', path, acknowledgement.status],
    queryFn: () =>
      answerOf(
        client.GET('/operator/v1/partners/{partner_id}/settlements/{settlement_id}/acknowledgements', { params: { path } }),
      ),
    enabled: acknowledgement.status !== 'pending',
  });
  const dispute = answers.data?.acknowledgements.find(({ status }) => status === 'disputed');
  if (!dispute) return null;
  const isOpen = acknowledgement.status === 'disputed';
  const isAnswered = (answers.data?.replies.length ?? 0) > 0;
  const [color, icon, title] = (!isOpen && ENDED) || (isAnswered ? ANSWERED : OPEN);
  return (
    <Alert
      color={color}
      icon={<Icon name={icon} />}
      title={
        <Title order={2} size="h2">
          {t[title]}
        </Title>
      }
    >
      <Stack gap={6}>
        <Text size="sm">
          {t.disputedSince} <Time at={dispute.acknowledged_at} zone={zone} />
          {dispute.reference && (
            <>
              {' · '}
              {t.reference} <Foreign text={dispute.reference} isWhole />
            </>
          )}
        </Text>
        <Text className="foreign">{dispute.note === null ? t.disputedNoNote : t.wrote(dispute.note)}</Text>
        {answers.data?.replies.map((reply, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one is only ever added after the others, and two may have one moment.
          <Reply key={place} reply={reply} zone={zone} />
        ))}
        {isOpen && <WhatNext settlement={settlement} isAnswered={isAnswered} />}
      </Stack>
    </Alert>
  );
}

/** What was compared and corrected so far; before an answer, how to get to one. */
function WhatNext({ settlement, isAnswered }: { readonly settlement: Settlement; readonly isAnswered: boolean }) {
  const t = useTexts(SETTLEMENT);
  const mayAnswer = useMay('operator');
  const of = { partnerId: settlement.partner_id, settlementId: settlement.settlement_id };
  const [compared] = useDoneReconciliations(of).lists ?? [];
  const { pages, isWhole } = useAllPages(useAdjustmentsOf(of));
  const posted = isWhole ? pages.flatMap((page) => page.adjustments).filter(({ status }) => status === 'posted').length : 0;
  return (
    <>
      {compared && (
        <AddressLink to={`/reconciliations/${of.partnerId}/${compared.reconciliation_id}`}>
          {t.compared(String(countDifferences(compared)))}
        </AddressLink>
      )}
      {posted > 0 && (
        <AddressLink to={`/adjustments?partner=${of.partnerId}&settlement=${of.settlementId}&status=posted`}>
          {t.corrected(String(posted))}
        </AddressLink>
      )}
      {!isAnswered && <Text size="sm">{t.ways}</Text>}
      <Group gap="xs" mt={4}>
        {!compared && <StartReconciliation {...of} />}
        {mayAnswer && (
          <Button component="a" variant="default" href="#reply">
            {isAnswered ? t.replyAgain : t.toReply}
          </Button>
        )}
      </Group>
    </>
  );
}

function Reply({ reply, zone }: { readonly reply: components['schemas']['DisputeReply']; readonly zone: string }) {
  const t = useTexts(SETTLEMENT);
  return (
    <div>
      <Text size="sm">
        {t.replied} <Person id={reply.operator_id} /> · <Time at={reply.replied_at} zone={zone} />
      </Text>
      <details>
        <summary>{t.showReply}</summary>
        <Text size="sm" className="foreign" dir="auto">
          {reply.text}
        </Text>
      </details>
    </div>
  );
}
