import { formatWhole } from '../../format/points.ts';
import { useTexts } from '../../texts/language.tsx';
import { RULE } from './rule-texts.ts';

/** The most that a number of points can be. */
const UNLIMITED = '9223372036854775807';

interface PointsRangeProps {
  readonly least: string | null;
  readonly most: string | null;
}

/** The least and the most points of a contribution. */
export function PointsRange({ least, most }: PointsRangeProps) {
  const { range } = useTexts(RULE);
  const limit = most === null || most === UNLIMITED ? undefined : formatWhole(most);
  return range(formatWhole(least ?? '1'), limit);
}
