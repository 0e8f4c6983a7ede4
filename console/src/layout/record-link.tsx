import { shortId } from '../format/short-id.ts';
import { AddressLink } from '../parts/address-link.tsx';
import { hint } from '../parts/hint.tsx';
import { Id } from '../parts/values.tsx';
import { pageOfId } from './record-pages.ts';

/** The way to a record of a partner by its id, which shows whole on hover; an id without a page is copied by a click. */
export function RecordLink({ partnerId, id }: { readonly partnerId: string; readonly id: string }) {
  const to = pageOfId(partnerId, id);
  if (to === undefined) return <Id id={id} isShort />;
  return (
    <AddressLink to={to} className="text-link id">
      <span {...hint(id)}>{shortId(id)}</span>
    </AddressLink>
  );
}
