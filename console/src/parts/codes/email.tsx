import { Absent } from '../values.tsx';
import { Breaking } from './breaking.tsx';

/** An e-mail address, which goes on in the next line at its host. */
export function Email({ address }: { readonly address: string | null }) {
  if (address === null) return <Absent />;
  return (
    <bdi dir="ltr" className="foreign">
      <Breaking text={address} at={/(?=@)/} />
    </bdi>
  );
}
