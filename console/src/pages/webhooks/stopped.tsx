/** Why nothing is sent to an endpoint, and the way to the attempt that did it. */
import { Alert, Stack, Text } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Foreign, Time } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useAttemptAnswer } from './attempt-answer.ts';
import type { EndpointActivity } from './use-endpoint-activity.ts';
import { DISABLED_FOR, WEBHOOK } from './webhook-texts.ts';

type Endpoint = components['schemas']['Endpoint'];

interface StoppedProps {
  readonly endpoint: Endpoint;
  readonly activity: EndpointActivity | undefined;
  readonly zone: string | undefined;
}

/** Whether its circuit is open now. */
export function isPaused({ status, paused_until }: Endpoint): boolean {
  return status === 'active' && paused_until !== null && Date.parse(paused_until) > Date.now();
}

export function Stopped({ endpoint, activity, zone }: StoppedProps) {
  const t = useTexts(WEBHOOK);
  const answerOfAttempt = useAttemptAnswer();
  const { status, paused_until, partner_id } = endpoint;
  const isDisabled = status === 'disabled';
  if (!isDisabled && !isPaused(endpoint)) return null;
  const by = activity?.stopped_by;
  return (
    <Alert color={isDisabled ? 'red' : 'yellow'} icon={<Icon name="alert" />} title={isDisabled ? t.isDisabled : t.isPaused}>
      <Stack gap={4}>
        {by && (
          <Text size="sm" component="div" fw={600}>
            <AddressLink to={`/webhooks/${partner_id}/deliveries/${by.delivery_id}`}>
              {t.stoppedBy(answerOfAttempt(by))} · <Time at={by.attempted_at} zone={zone} style="second" />
            </AddressLink>
          </Text>
        )}
        <Text size="sm" component="div">
          {isDisabled ? (
            <WhyDisabled reason={endpoint.status_reason} />
          ) : (
            <>
              {t.pausedWhy} <Time at={paused_until} zone={zone} style="second" />
            </>
          )}
        </Text>
      </Stack>
    </Alert>
  );
}

/** The reasons of the service itself in the language of the screen, and those of an operator as they were written. */
function WhyDisabled({ reason }: { readonly reason: string | null }) {
  const reasons = useTexts(DISABLED_FOR);
  if (reason !== null && Object.hasOwn(reasons, reason)) return reasons[reason as keyof typeof reasons];
  return <Foreign text={reason} isWhole />;
}
