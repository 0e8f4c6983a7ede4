import type { components } from '../../api/operator-types.ts';
import { formatMoney, formatWhole } from '../../format/points.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';

export type ExceedingEffect = NonNullable<components['schemas']['AdjustmentPreview']['effect']>;

interface OutsideOfWorthProps {
  readonly effect: ExceedingEffect;
  readonly currency: string | null | undefined;
}

/** That the settled amount would exceed the worth of the points, with the three figures. */
export function OutsideOfWorth({ effect, currency }: OutsideOfWorthProps) {
  const t = useTexts(ADJUSTMENT);
  const { settled_points_after: points, settled_amount_after: amount, settled_amount_max: most } = effect;
  return t.outsideOfWorth(formatMoney(amount ?? '0', currency), formatWhole(points), formatMoney(most ?? '0', currency));
}
