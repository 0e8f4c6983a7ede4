/** Points and money of settlements beside what trees cost. */
import { Alert, Stack } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { addWhole } from '../../format/points.ts';
import { Records } from '../../parts/records.tsx';
import { Money, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { IMPACT } from './impact-texts.ts';

export type Worth = components['schemas']['Worth'];

export function WorthTable({ worth }: { readonly worth: readonly Worth[] }) {
  const t = useTexts(IMPACT);
  const common = useTexts(COMMON);
  return (
    <Records
      label={t.worth}
      rows={worth}
      keyOf={({ currency }) => currency ?? '-'}
      empty={null}
      columns={[
        { label: common.points, isFigure: true, show: ({ points }) => <Points value={points} /> },
        {
          ...{ label: common.amount, isFigure: true },
          show: ({ amount, currency }) => (amount === null ? t.noValue : <Money amount={amount} currency={currency} />),
        },
        { label: t.paysTrees, isFigure: true, show: ({ trees }) => <Points value={trees} /> },
      ]}
    />
  );
}

/** With a sentence about the number of trees that the batch is for. */
export function WorthOfBatch({ worth, quantity }: { readonly worth: readonly Worth[]; readonly quantity: string }) {
  const t = useTexts(IMPACT);
  const known = worth.flatMap(({ trees }) => (trees === null ? [] : [trees]));
  const paid = addWhole(known);
  const isKnown = known.length === worth.length;
  const isEnough = paid >= BigInt(quantity);
  const say = isEnough ? t.enough : t.tooFew;
  return (
    <Stack gap="sm">
      <WorthTable worth={worth} />
      <Alert color={isKnown && !isEnough ? 'yellow' : 'gray'}>{isKnown ? say(quantity, String(paid)) : t.noCost}</Alert>
    </Stack>
  );
}
