import { Text } from '@mantine/core';
import { formatBounded } from '../../format/points.ts';
import { AddressLink } from '../../parts/address-link.tsx';

interface CountToDecideProps {
  readonly left: { readonly count: number; readonly is_more: boolean };
  /** The list that the number counts. */
  readonly to: string;
}

/** How many records an operator has to decide. A number above zero is a link to their list. */
export function CountToDecide({ left, to }: CountToDecideProps) {
  if (left.count === 0) return <Zero />;
  return (
    <AddressLink to={to} className="text-link figure">
      <bdi dir="ltr">{formatBounded(left)}</bdi>
    </AddressLink>
  );
}

/** The number 0, dimmed: it needs nobody. */
export function Zero() {
  return (
    <Text span inherit c="dimmed" className="figure">
      0
    </Text>
  );
}
