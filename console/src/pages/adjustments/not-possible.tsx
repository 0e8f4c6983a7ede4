import { Alert, Text } from '@mantine/core';
import { formatWhole } from '../../format/points.ts';
import { FieldRefusal } from '../../parts/problem.tsx';
import { useMay, useSession } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { Detail } from './adjustment-change.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';
import { OutsideOfWorth } from './outside-of-worth.tsx';

/** Whether it can never be posted as things stand: then it is only rejected. */
export function isImpossible({ problems }: Detail): boolean {
  return problems.length > 0;
}

/** Why an adjustment cannot be posted, and what to do. */
export function NotPossible({ detail }: { readonly detail: Detail }) {
  const t = useTexts(ADJUSTMENT);
  const { operatorId } = useSession().operator;
  const isOwn = detail.adjustment.drafted_by === operatorId;
  const mayEnd = useMay('operator');
  // Where a rule differs from the audit, the adjustment can be posted once the rule is restored.
  const isForGood = detail.effect !== null;
  return (
    <Alert color="yellow" title={t.problems}>
      {detail.problems.map((problem) => (
        <Text size="sm" key={problem.field}>
          <Why detail={detail} problem={problem} />
        </Text>
      ))}
      {mayEnd && isForGood && <Text size="sm">{isOwn ? t.withdrawIt : t.rejectIt}</Text>}
    </Alert>
  );
}

interface WhyProps {
  readonly detail: Detail;
  readonly problem: Detail['problems'][number];
}

/** The service's own sentence where it says more than that a limit is exceeded. */
function Why({ detail, problem }: WhyProps) {
  const t = useTexts(ADJUSTMENT);
  const { adjustment, effect, currency, needs_beyond_worth_reason: isBeyondWorth } = detail;
  if (!effect || problem.code !== 'out_of_bounds')
    return <FieldRefusal problem={problem} label={problem.field === 'amount_delta' ? t.changeAmount : t.change} />;
  if (isBeyondWorth) return <OutsideOfWorth effect={effect} currency={currency} />;
  const { settled_points_before: settled, settled_points_after: left } = effect;
  return t.outsideOfPoints(formatWhole(settled), formatWhole(adjustment.contribution_points), formatWhole(left));
}
