import { PartnerTime } from '../partner.tsx';
import { Person } from '../person.tsx';

export interface Decided {
  /** What was done, before the name: `Posted by`. */
  readonly label: string;
  readonly by: string | null | undefined;
  readonly at: string | null;
}

interface DecidedBeforeProps extends Decided {
  /** `undefined` for what belongs to no partner: its time is in the reader's zone. */
  readonly partnerId: string | undefined;
}

/** Who did it meanwhile, and when. */
export function DecidedBefore({ partnerId, label, by, at }: DecidedBeforeProps) {
  return (
    <>
      {label} {by && <Person id={by} />} · <PartnerTime partnerId={partnerId} at={at} />
    </>
  );
}
