import { shortId } from '../../format/short-id.ts';
import { AddressLink } from '../address-link.tsx';

/** A link to a record by its id in short. */
export function ShortLink({ to, id }: { readonly to: string; readonly id: string }) {
  return (
    <AddressLink to={to} className="id text-link figure">
      {shortId(id)}
    </AddressLink>
  );
}
