import { Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { components } from '../../api/operator-types.ts';
import { Loading } from '../../parts/state.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';
import { BeforeAfter } from './before-after.tsx';
import { useSettlementRows } from './settlement-rows.ts';

interface DraftPreviewProps {
  readonly preview: UseQueryResult<components['schemas']['AdjustmentPreview'], Error>;
  /** Whether the reader may draft it nevertheless. */
  readonly isAllowed: boolean;
}

const NONE = { effect: null, currency: null, settlement: null };

/** What is carried stands there only where something is, before or after. */
function isNotNothing({ before, after }: { readonly before: string | null; readonly after: string | null }): boolean {
  return [before, after].some((value) => /[1-9]/.test(value ?? ''));
}

/** Points and money before and after, for the contribution and for the settlement. The form says what stands against the change. */
export function DraftPreview({ preview, isAllowed }: DraftPreviewProps) {
  const t = useTexts(ADJUSTMENT);
  const { effect, currency, settlement } = preview.data ?? NONE;
  const { payable, carried } = useSettlementRows(settlement, currency);
  if (preview.isLoading) return <Loading />;
  if (!preview.data || (preview.data.problems.length > 0 && !isAllowed)) return null;
  const ofSettlement = [...payable, ...carried.filter(isNotNothing)];
  return (
    <Stack gap="xs">
      {effect && (
        <BeforeAfter
          rows={[
            { label: t.settledPoints, before: effect.settled_points_before, after: effect.settled_points_after },
            { label: t.settledAmount, before: effect.settled_amount_before, after: effect.settled_amount_after, currency },
            ...ofSettlement.map((row) => ({ ...row, label: `${row.label} · ${settlement?.period_label}` })),
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
