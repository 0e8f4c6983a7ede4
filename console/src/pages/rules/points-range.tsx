import { formatWhole } from '../../format/points.ts';
import { useTexts } from '../../texts/language.tsx';
import { RULE } from './rule-texts.ts';

/** The most that a number of points can be. */
const UNLIMITED = '9223372036854775807';

interface PointsRangeProps {
  readonly least: string | null;
  readonly most: string | null;
}

/** The least and the most points of a contribution, in the direction of the language, as their label names them. */
export function PointsRange({ least, most }: PointsRangeProps) {
  const { noLimit } = useTexts(RULE);
  return (
    <span className="figure">
      <bdi>{formatWhole(least ?? '')}</bdi> – <bdi>{most === UNLIMITED ? noLimit : formatWhole(most ?? '')}</bdi>
    </span>
  );
}
