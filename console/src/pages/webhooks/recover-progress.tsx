import { Group, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { formatBounded } from '../../format/points.ts';
import { quartersOf, ToldProgress } from '../../parts/progress/told-progress.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { EndpointActivity } from './use-endpoint-activity.ts';
import { WEBHOOK } from './webhook-texts.ts';

const LOOK_EVERY_MS = 1_000;
/** Where it is not known how many they are in all. */
const TOLD_EACH = 10_000;
/** The clocks of the service and of the database may differ. */
const SKEW_MS = 5_000;

interface RecoverProgressProps {
  readonly endpointId: string;
  /** How many deliveries are exhausted, as far as they are counted; `undefined` until it is known. */
  readonly exhausted: EndpointActivity['exhausted'] | undefined;
}

/** How far a recovery has come: each thousand of it has an entry in the audit, committed with it. */
export function RecoverProgress({ endpointId, exhausted }: RecoverProgressProps) {
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
  const done = counts.reduce((sum, each) => sum + each, 0);
  const text = t.recovering(done, exhausted ? formatBounded(exhausted) : '–');
  const step = exhausted?.is_more ? Math.floor(done / TOLD_EACH) : quartersOf(done, exhausted?.count ?? 0);
  return (
    <Group gap="xs">
      <Loader size="xs" />
      <Text size="sm">{text}</Text>
      <ToldProgress text={text} step={step} />
    </Group>
  );
}
