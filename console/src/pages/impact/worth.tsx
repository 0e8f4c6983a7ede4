/** Points and money of settlements beside what trees cost. */
import { Alert, Stack, Text } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { addDecimals, addWhole, compareDecimals, divideWhole, formatDecimal, padDecimal } from '../../format/points.ts';
import { Facts } from '../../parts/facts.tsx';
import { Foreign, Money, Points, Total } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { IMPACT } from './impact-texts.ts';
import type { Poolable } from './pooled-settlements.tsx';

export type Worth = components['schemas']['Worth'];

/**
 * Adds up settlements by currency. One settlement without a value, or without a cost of its trees, leaves the sum of its currency unknown.
 */
export function worthOf(settlements: readonly Poolable[]): Worth[] {
  return [...Map.groupBy(settlements, ({ currency }) => currency)].map(([currency, same]) => {
    const amounts = same.map((each) => each.amount);
    const shares = addShares(same.flatMap((each) => each.tree_shares));
    const isKnown = same.every(({ trees }) => trees !== null);
    return {
      currency,
      minor_units: same[0]?.minor_units ?? null,
      points: String(addWhole(same.map((each) => each.points))),
      amount: amounts.includes(null) ? null : addDecimals(amounts as string[]),
      trees: isKnown ? String(addWhole(shares.map(({ cost, amount }) => String(divideWhole(amount, cost))))) : null,
      tree_costs: shares.map(({ cost }) => cost),
      tree_shares: shares,
    };
  });
}

/** One share for each cost, in ascending order: trees are rounded down once for each, as the service does for a batch. */
function addShares(shares: Worth['tree_shares']): Worth['tree_shares'] {
  return [...Map.groupBy(shares, ({ cost }) => cost)]
    .map(([cost, same]) => ({ cost, amount: addDecimals(same.map((each) => each.amount)) }))
    .sort((one, other) => compareDecimals(one.cost, other.cost));
}

/** `2.70 SAR · 0.50 SAR a tree · pays about 5 trees` */
export function WorthLine({ worth }: { readonly worth: Worth }) {
  const t = useTexts(IMPACT);
  const { amount, currency, minor_units: minorUnits, trees } = worth;
  const costs = costsOf(worth);
  return (
    <Text size="sm" c="dimmed">
      {amount === null ? t.noValue : <Total amount={amount} currency={currency} minorUnits={minorUnits} />}
      {costs.length > 0 && ` · ${t.costEach(`${costs.map(formatDecimal).join(' / ')} ${currency}`)}`}
      {trees !== null && ` · ${t.paysAbout(trees)}`}
    </Text>
  );
}

/** Exact, with the decimals of the currency at least. */
function costsOf({ tree_costs, minor_units }: Worth): string[] {
  return tree_costs.map((cost) => padDecimal(cost, minor_units ?? 0));
}

interface WorthCardsProps {
  readonly worth: readonly Worth[];
  /** Whose settlements stand in which currency; absent where a list beside the cards says it. */
  readonly partnersOf?: (currency: string | null) => readonly string[];
}

/** A card of figures for each currency: those that are known. */
export function WorthCards({ worth, partnersOf }: WorthCardsProps) {
  const t = useTexts(IMPACT);
  const common = useTexts(COMMON);
  return (
    <Stack gap="sm">
      {worth.map((each) => (
        <div key={each.currency}>
          {partnersOf?.(each.currency).map((name) => (
            <Text key={name} fw={600} mb={4}>
              <Foreign text={name} isWhole />
            </Text>
          ))}
          <Facts
            columns={4}
            facts={[
              { label: common.points, value: <Points value={each.points} />, isKnown: true },
              {
                label: t.payable,
                value: <Total amount={each.amount} currency={each.currency} minorUnits={each.minor_units} />,
                isKnown: each.amount !== null,
              },
              { label: t.costOfTree, value: <Costs worth={each} />, isKnown: each.tree_costs.length > 0 },
              { label: t.paysTrees, value: <Points value={each.trees} />, isKnown: each.trees !== null },
            ].filter(({ isKnown }) => isKnown)}
          />
        </div>
      ))}
    </Stack>
  );
}

function Costs({ worth }: { readonly worth: Worth }) {
  return costsOf(worth).map((cost) => (
    <div key={cost}>
      <Money amount={cost} currency={worth.currency} />
    </div>
  ));
}

/** How many trees all of it pays; `undefined` where that is not known of a part. */
export function treesPaidBy(worth: readonly Worth[]): bigint | undefined {
  const known = worth.flatMap(({ trees }) => (trees === null ? [] : [trees]));
  return known.length === worth.length ? addWhole(known) : undefined;
}

/** How many trees several currencies pay, which no card says. */
export function PaidTogether({ worth }: { readonly worth: readonly Worth[] }) {
  const t = useTexts(IMPACT);
  const paid = treesPaidBy(worth);
  if (worth.length < 2 || paid === undefined) return null;
  return <Text fw={600}>{t.payTogether(worth.length, String(paid))}</Text>;
}

interface WorthOfBatchProps {
  readonly worth: readonly Worth[];
  readonly quantity: string;
  /** Whether it takes more settlements. */
  readonly isOpen: boolean;
}

/** With a sentence about the number of trees that the batch is for. */
export function WorthOfBatch({ worth, quantity, isOpen }: WorthOfBatchProps) {
  const t = useTexts(IMPACT);
  const paid = treesPaidBy(worth);
  const isEnough = paid !== undefined && paid >= BigInt(quantity);
  const say = (isEnough && t.enough) || (isOpen ? t.tooFew : t.tooFewFinal);
  return (
    <Stack gap="sm">
      <WorthCards worth={worth} />
      <Alert color={paid !== undefined && !isEnough ? 'yellow' : 'gray'}>
        {paid === undefined ? t.noCost : say(quantity, String(paid))}
      </Alert>
    </Stack>
  );
}
