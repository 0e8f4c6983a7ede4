import { Text } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { DecidedBefore } from '../../parts/dialogs/decided-before.tsx';
import { useTexts } from '../../texts/language.tsx';
import { RECORDED_BY } from './impact-texts.ts';

type Change = components['schemas']['ImpactBatchDetail']['changes'][number];

/** Who recorded it meanwhile, and when. */
export function FasterChange({ change: { change_type, status, operator_id, occurred_at } }: { readonly change: Change }) {
  const labels = useTexts(RECORDED_BY);
  const what = (change_type === 'advanced' ? status : change_type) as keyof typeof RECORDED_BY;
  return (
    <Text>
      <DecidedBefore partnerId={undefined} label={labels[what]} by={operator_id} at={occurred_at} />
    </Text>
  );
}
