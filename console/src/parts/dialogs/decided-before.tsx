import { PartnerTime } from '../partner.tsx';
import { Person } from '../person.tsx';

export interface Decided {
  /** What was done, before the name: `Posted by`. */
  readonly label: string;
  readonly by: string | null | undefined;
  readonly at: string | null;
}

/** Who did it meanwhile, and when. */
export function DecidedBefore({ partnerId, label, by, at }: Decided & { readonly partnerId: string }) {
  return (
    <>
      {label} {by && <Person id={by} />} · <PartnerTime partnerId={partnerId} at={at} />
    </>
  );
}
