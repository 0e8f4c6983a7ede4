/** What became of the deliveries that an operator sent again. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { formatBounded } from '../../format/points.ts';
import { Person } from '../../parts/person.tsx';
import { Time } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { WEBHOOK } from './webhook-texts.ts';

type Endpoint = components['schemas']['Endpoint'];
type Entry = components['schemas']['AuditEntry'];

const DAY_MS = 86_400_000;
const ENTRIES_MAX = 50;
/** More are counted as more. */
const COUNTED_MAX = 200;

interface RecoveryOutcomeProps {
  readonly endpoint: Endpoint;
  readonly zone: string | undefined;
}

/** What became of deliveries that were sent again within the last day; nothing where nobody sent any again. */
export function RecoveryOutcome({ endpoint, zone }: RecoveryOutcomeProps) {
  const t = useTexts(WEBHOOK);
  const { endpoint_id, status } = endpoint;
  const [since] = useState(() => new Date(serviceNow() - DAY_MS).toISOString());
  const query = { subject_id: endpoint_id, action: 'delivery.recover', since, limit: ENTRIES_MAX };
  const audited = useQuery({
    queryKey: ['audit', query],
    queryFn: () => answerOf(client.GET('/operator/v1/audit', { params: { query } })),
  });
  const [last, ...before] = audited.data?.entries ?? [];
  const open = useSentAgain(endpoint, status === 'disabled' ? 'held' : 'waiting', last);
  const exhausted = useSentAgain(endpoint, 'exhausted', last);
  if (!last || !open || !exhausted) return null;
  const isDelivered = [open, exhausted].every(({ count, is_more }) => count === 0 && !is_more);
  // Each thousand of a recovery has an entry.
  const entries = [last, ...before].filter(({ correlation_id }) => correlation_id === last.correlation_id);
  return (
    <Text size="sm" c="dimmed" mt="xs" component="div">
      {t.sentAgain(entries.reduce((sum, entry) => sum + deliveriesOf(entry), 0))} ·{' '}
      <Time at={last.recorded_at} zone={zone} style="second" /> · <Person id={last.operator_id} />
      <br />
      {isDelivered ? t.sentAgainDelivered : t.sentAgainLeft(formatBounded(open), formatBounded(exhausted))}
    </Text>
  );
}

function deliveriesOf({ after_json }: Entry): number {
  return (JSON.parse(after_json ?? '{}') as { deliveries?: number }).deliveries ?? 0;
}

/** How many deliveries of this status were sent again; `undefined` until it is known. */
function useSentAgain(
  { partner_id, endpoint_id }: Endpoint,
  status: 'waiting' | 'held' | 'exhausted',
  last: Entry | undefined,
): { readonly count: number; readonly is_more: boolean } | undefined {
  const query = { endpoint_id, status, limit: COUNTED_MAX };
  const deliveries = useQuery({
    // With the list of deliveries it is read again where a count has changed.
    queryKey: ['deliveries', partner_id, 'sent-again', query],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/deliveries', { params: { path: { partner_id }, query } })),
    enabled: last !== undefined,
  });
  if (!deliveries.data || !last) return undefined;
  const { deliveries: found, has_more } = deliveries.data;
  return { count: found.filter(({ trigger }) => trigger === 'recover').length, is_more: has_more };
}
