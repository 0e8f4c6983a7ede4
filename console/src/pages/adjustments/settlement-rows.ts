import type { components } from '../../api/operator-types.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';

type Target = NonNullable<components['schemas']['AdjustmentPreview']['settlement']>;

/** What an adjustment changes of its settlement, for `BeforeAfter`; nothing unless the settlement is open. */
export function useSettlementRows(settlement: Target | null, currency: string | null) {
  const t = useTexts(ADJUSTMENT);
  const { before, after } = settlement ?? {};
  if (!before || !after) return { net: [], payable: [], carried: [] };
  const row = (label: string, name: keyof typeof before) => ({ label, before: before[name], after: after[name] });
  return {
    net: [row(t.netPoints, 'net_points'), { ...row(t.netAmount, 'net_amount'), currency }],
    payable: [row(t.payablePoints, 'payable_points'), { ...row(t.payableAmount, 'payable_amount'), currency }],
    carried: [row(t.carriedOut, 'carried_out_points'), { ...row(t.carriedOutAmount, 'carried_out_amount'), currency }],
  };
}
