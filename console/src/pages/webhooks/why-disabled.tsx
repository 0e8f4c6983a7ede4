/** Why an endpoint is disabled, since when and by whom. */
import { Text } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { Person } from '../../parts/person.tsx';
import { Foreign, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { useLastEntry } from '../audit/done-before.tsx';
import { DISABLED_FOR, WEBHOOK } from './webhook-texts.ts';

type Endpoint = components['schemas']['Endpoint'];

interface WhyDisabledProps {
  readonly endpoint: Endpoint;
  readonly zone: string | undefined;
}

export function WhyDisabled({ endpoint: { endpoint_id, status_reason }, zone }: WhyDisabledProps) {
  const t = useTexts(WEBHOOK);
  const { reason } = useTexts(COMMON);
  const { entry } = useLastEntry(endpoint_id, 'endpoint.disable');
  return (
    <>
      <Text size="sm" component="div">
        {reason}: <Reason reason={status_reason} />
      </Text>
      {entry && (
        <Text size="sm" component="div">
          {t.disabledBy} <Person id={entry.operator_id} /> · <Time at={entry.recorded_at} zone={zone} style="second" />
        </Text>
      )}
    </>
  );
}

/** The reasons of the service itself in the language of the screen, and those of an operator as they were written. */
function Reason({ reason }: { readonly reason: string | null }) {
  const reasons = useTexts(DISABLED_FOR);
  if (reason !== null && Object.hasOwn(reasons, reason)) return reasons[reason as keyof typeof reasons];
  return <Foreign text={reason} isWhole />;
}
