import { Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { components } from '../../api/operator-types.ts';
import { Loading } from '../../parts/state.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';
import { BeforeAfter } from './before-after.tsx';

interface DraftPreviewProps {
  readonly preview: UseQueryResult<components['schemas']['AdjustmentPreview'], Error>;
}

/** Points and money before and after, for the contribution and for the settlement. The form says what stands against the change. */
export function DraftPreview({ preview }: DraftPreviewProps) {
  const t = useTexts(ADJUSTMENT);
  if (preview.isLoading) return <Loading />;
  if (!preview.data || preview.data.problems.length > 0) return null;
  const { effect, currency, settlement } = preview.data;
  return (
    <Stack gap="xs">
      {effect && (
        <BeforeAfter
          rows={[
            { label: t.settledPoints, before: effect.settled_points_before, after: effect.settled_points_after },
            { label: t.settledAmount, before: effect.settled_amount_before, after: effect.settled_amount_after, currency },
            ...(settlement?.before && settlement.after
              ? [
                  {
                    label: `${t.payablePoints} · ${settlement.period_label}`,
                    before: settlement.before.payable_points,
                    after: settlement.after.payable_points,
                  },
                  {
                    label: `${t.payableAmount} · ${settlement.period_label}`,
                    currency,
                    before: settlement.before.payable_amount,
                    after: settlement.after.payable_amount,
                  },
                ]
              : []),
          ]}
        />
      )}
      {effect && effect.settled_amount_before === null && (
        <Text size="sm">
          {t.changeAmount}: {t.noPrice}
        </Text>
      )}
    </Stack>
  );
}
