/** Why an endpoint fails, or why nothing is sent to it, and the way to the attempt that shows it. */
import { Alert, Stack, Text } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { beginningOf } from '../../format/beginning-of.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useAttemptAnswer } from './attempt-answer.ts';
import type { EndpointActivity } from './use-endpoint-activity.ts';
import { WEBHOOK } from './webhook-texts.ts';
import { WhyDisabled } from './why-disabled.tsx';

type Endpoint = components['schemas']['Endpoint'];

/** What a line or two say of an answer; the page of the delivery has more. */
const EXCERPT_CHARACTERS = 200;

interface EndpointTroubleProps {
  readonly endpoint: Endpoint;
  readonly activity: EndpointActivity | undefined;
  readonly zone: string | undefined;
}

/** Whether its circuit is open now. */
export function isPaused({ status, paused_until }: Endpoint): boolean {
  return status === 'active' && paused_until !== null && Date.parse(paused_until) > serviceNow();
}

export function EndpointTrouble({ endpoint, activity, zone }: EndpointTroubleProps) {
  const t = useTexts(WEBHOOK);
  const { status, failing_since, failures_in_row } = endpoint;
  const isDisabled = status === 'disabled';
  if (!isDisabled && failing_since === null) return null;
  const title = isDisabled ? t.isDisabled : isPaused(endpoint) ? t.isPaused : t.isFailing;
  return (
    <Alert color={isDisabled ? 'red' : 'yellow'} icon={<Icon name="alert" />} title={title}>
      <Stack gap={4}>
        {isDisabled && <WhyDisabled endpoint={endpoint} zone={zone} />}
        <Cause endpoint={endpoint} activity={activity} zone={zone} />
        {failing_since && failures_in_row > 1 && (
          <Text size="sm" component="div">
            {t.inRow(failures_in_row)} <Time at={failing_since} zone={zone} style="second" />
          </Text>
        )}
        {!isDisabled && <WhatFollows endpoint={endpoint} zone={zone} />}
      </Stack>
    </Alert>
  );
}

/** The attempt that stopped it or failed last, with the beginning of the answer. */
function Cause({ endpoint: { partner_id }, activity, zone }: EndpointTroubleProps) {
  const t = useTexts(WEBHOOK);
  const answerOfAttempt = useAttemptAnswer();
  const attempt = activity?.stopped_by ?? activity?.last_failure;
  if (!attempt) return null;
  const answer = answerOfAttempt(attempt);
  return (
    <>
      <Text size="sm" component="div">
        <AddressLink to={`/webhooks/${partner_id}/deliveries/${attempt.delivery_id}`}>
          {activity?.stopped_by ? t.stoppedBy(answer) : t.failedLast(answer)} ·{' '}
          <Time at={attempt.attempted_at} zone={zone} style="second" />
        </AddressLink>
      </Text>
      {attempt.excerpt && (
        <Text size="sm" className="foreign">
          {t.wrote(beginningOf(attempt.excerpt, EXCERPT_CHARACTERS))}
        </Text>
      )}
    </>
  );
}

function WhatFollows({ endpoint, zone }: Pick<EndpointTroubleProps, 'endpoint' | 'zone'>) {
  const t = useTexts(WEBHOOK);
  const mayTest = useMay('operator');
  return (
    <>
      <Text size="sm" component="div">
        {isPaused(endpoint) ? t.pausedFollows : t.failingFollows}{' '}
        {isPaused(endpoint) && <Time at={endpoint.paused_until} zone={zone} style="second" />}
      </Text>
      {mayTest && <Text size="sm">{t.testHelp}</Text>}
    </>
  );
}
