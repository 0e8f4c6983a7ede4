import { AddressLink } from '../parts/address-link.tsx';
import { Id } from '../parts/values.tsx';
import { pageOfId } from './record-pages.ts';

/** The way to a record of a partner by its id; an id without a page is copied by a click. */
export function RecordLink({ partnerId, id }: { readonly partnerId: string; readonly id: string }) {
  const to = pageOfId(partnerId, id);
  if (to === undefined) return <Id id={id} />;
  return (
    <AddressLink to={to} className="text-link id">
      {id}
    </AddressLink>
  );
}
