import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { Icon } from '../../parts/icon.tsx';
import { Foreign, Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
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
      title={isOpen ? t.disputed : t.endedDispute}
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
        <Text fw={600}>{dispute.note === null ? t.disputedNoNote : <Foreign text={dispute.note} isWhole />}</Text>
        {isOpen && (
          <>
            <Text size="sm">{t.ways}</Text>
            <Group gap="lg">
              <a className="text-link" href="#reconciliations">
                {t.toReconciliations}
              </a>
              {mayAnswer && (
                <a className="text-link" href="#reply">
                  {t.toReply}
                </a>
              )}
            </Group>
          </>
        )}
      </Stack>
    </Alert>
  );
}
