import { Group, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { useTexts } from '../../texts/language.tsx';
import { WEBHOOK } from './webhook-texts.ts';

const LOOK_EVERY_MS = 1_000;
/** The clocks of the service and of the database may differ. */
const SKEW_MS = 5_000;

/** How far a recovery has come: each thousand of it has an entry in the audit, committed with it. */
export function RecoverProgress({ endpointId, total }: { readonly endpointId: string; readonly total: string }) {
  const t = useTexts(WEBHOOK);
  const [since] = useState(() => new Date(serviceNow() - SKEW_MS).toISOString());
  const query = { subject_id: endpointId, since, limit: '200' };
  const entries = useQuery({
    queryKey: ['recovery', query],
    queryFn: () => answerOf(client.GET('/operator/v1/audit', { params: { query: query as never } })),
    refetchInterval: LOOK_EVERY_MS,
  });
  const counts = (entries.data?.entries ?? [])
    .filter(({ action }) => action === 'delivery.recover')
    .map(({ after_json }) => (JSON.parse(after_json ?? '{}') as { deliveries?: number }).deliveries ?? 0);
  return (
    <Group gap="xs" role="status">
      <Loader size="xs" />
      <Text size="sm">
        {t.recovering(
          counts.reduce((sum, each) => sum + each, 0),
          total,
        )}
      </Text>
    </Group>
  );
}
