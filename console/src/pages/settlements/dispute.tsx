import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { Icon } from '../../parts/icon.tsx';
import { Person } from '../../parts/person.tsx';
import { Foreign, Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { StartReconciliation } from '../reconciliations/start-reconciliation.tsx';
import { SETTLEMENT } from './settlement-texts.ts';

type Settlement = components['schemas']['Settlement'];

/** What the partner says against a settlement; after an acceptance, that it was disputed first. */
export function Dispute({ settlement }: { readonly settlement: Settlement }) {
  const t = useTexts(SETTLEMENT);
  const mayAnswer = useMay('operator');
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
  return (
    <Alert
      color={isOpen ? 'red' : 'gray'}
      icon={<Icon name={isOpen ? 'alert' : 'check'} />}
      title={
        <Title order={2} size="h2">
          {isOpen ? t.disputed : t.endedDispute}
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
        {isOpen && (
          <>
            <Text size="sm">{t.ways}</Text>
            <Group gap="xs" mt={4}>
              <StartReconciliation partnerId={partner_id} settlementId={settlement_id} />
              {mayAnswer && (
                <Button component="a" variant="default" href="#reply">
                  {t.toReply}
                </Button>
              )}
            </Group>
          </>
        )}
      </Stack>
    </Alert>
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
