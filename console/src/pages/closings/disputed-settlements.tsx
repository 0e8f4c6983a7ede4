import { Fragment } from 'react';
import type { components } from '../../api/operator-types.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { PeriodLabel } from '../../parts/period.tsx';
import { useTexts } from '../../texts/language.tsx';
import { CLOSING } from './closing-texts.ts';
import { Zero } from './count-to-decide.tsx';

type Closing = components['schemas']['Closing'];

/** The settlements that a partner disputes, each with its page: the latest first, and whether there are more. */
export function DisputedSettlements({ closing: { partner_id, disputed_settlements } }: { readonly closing: Closing }) {
  const t = useTexts(CLOSING);
  const { settlements, is_more } = disputed_settlements;
  if (settlements.length === 0) return <Zero />;
  return (
    <>
      {settlements.map(({ settlement_id, period_label }, index) => (
        <Fragment key={settlement_id}>
          {index > 0 && t.comma}
          <AddressLink to={`/settlements/${partner_id}/${settlement_id}`} className="text-link figure">
            <PeriodLabel label={period_label} />
          </AddressLink>
        </Fragment>
      ))}
      {is_more && t.andEarlier}
    </>
  );
}
