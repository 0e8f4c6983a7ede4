import type { components } from '../../api/operator-types.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { Absent, Foreign } from '../../parts/values.tsx';

interface OrderLinkProps {
  readonly delivery: components['schemas']['Delivery'];
}

/** The partner's order, by which people speak of a delivery, and the way to its contribution. */
export function OrderLink({ delivery: { partner_id, transaction_id, partner_order_ref } }: OrderLinkProps) {
  if (transaction_id === null) return <Absent />;
  return (
    <AddressLink to={`/contributions/${partner_id}/${transaction_id}`}>
      <Foreign text={partner_order_ref} />
    </AddressLink>
  );
}
