import { SimpleGrid } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { figureOf, NumberCard } from '../../parts/number-card.tsx';
import { Section } from '../../parts/section.tsx';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { RecoveryOutcome } from './recovery-outcome.tsx';
import type { EndpointActivity } from './use-endpoint-activity.ts';
import { WEBHOOK } from './webhook-texts.ts';

type Endpoint = components['schemas']['Endpoint'];

interface EndpointCountsProps {
  readonly endpoint: Endpoint;
  readonly activity: EndpointActivity;
  readonly zone: string | undefined;
}

/** What has not reached its receiver, each number with the way to its list. */
export function EndpointCounts({ endpoint, activity, zone }: EndpointCountsProps) {
  const { partner_id, endpoint_id } = endpoint;
  const t = useTexts(WEBHOOK);
  const details = { waiting: t.waitingHelp, held: t.heldHelp, exhausted: t.exhaustedHelp };
  const labels = useTexts(STATUS);
  return (
    <Section title={t.notDelivered}>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        {(['waiting', 'held', 'exhausted'] as const).map((status) => (
          <NumberCard
            key={status}
            label={labels[status]}
            {...figureOf(activity[status])}
            detail={activity[status].count > 0 && details[status]}
            isAlarming={status !== 'waiting' && activity[status].count > 0}
            to={`/webhooks/${partner_id}/${endpoint_id}?status=${status}#deliveries`}
          />
        ))}
      </SimpleGrid>
      <RecoveryOutcome endpoint={endpoint} zone={zone} />
    </Section>
  );
}
