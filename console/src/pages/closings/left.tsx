import { Text } from '@mantine/core';
import { formatBounded } from '../../format/points.ts';
import { AddressLink } from '../../parts/address-link.tsx';

interface LeftProps {
  readonly left: { readonly count: number; readonly is_more: boolean };
  /** The list that the number counts. */
  readonly to: string;
}

/** What is left to decide: nothing is quiet, anything else leads to its list. */
export function Left({ left, to }: LeftProps) {
  if (left.count === 0) return <Zero />;
  return (
    <AddressLink to={to} className="text-link figure">
      {formatBounded(left)}
    </AddressLink>
  );
}

/** A count of nothing. */
export function Zero() {
  return (
    <Text span inherit c="dimmed" className="figure">
      0
    </Text>
  );
}
