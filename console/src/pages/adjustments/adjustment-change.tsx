/** What an adjustment changes, and of which contribution. */
import type { ReactNode } from 'react';
import type { components } from '../../api/operator-types.ts';
import { subtractDecimals } from '../../format/points.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { PartnerWithId } from '../../parts/partner.tsx';
import { Foreign, Money, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';

export type Detail = components['schemas']['AdjustmentDetail'];

/** What it reverses and what reverses it, the points, and the amount unless nobody knows it. */
export function useChangeFacts({ adjustment, effect, currency, reversal }: Detail) {
  const t = useTexts(ADJUSTMENT);
  const amount = changeOfAmount(adjustment, effect, currency);
  const { partner_id: partnerId, reversal_of: reversed } = adjustment;
  const link = (id: string) => <AddressLink to={`/adjustments/${partnerId}/${id}`}>{id}</AddressLink>;
  const links: Fact[] = reversed === null ? [] : [{ label: t.reverses, value: link(reversed) }];
  if (reversal)
    links.push({ label: t.reversedBy, value: <Reversal link={link(reversal.adjustment_id)} status={reversal.status} /> });
  return [
    ...links,
    { label: t.change, value: <Points value={adjustment.points_delta} /> },
    ...(amount === null ? [] : [{ label: t.changeAmount, value: amount ?? t.noPrice }]),
  ];
}

function Reversal({ link, status }: { readonly link: ReactNode; readonly status: Detail['adjustment']['status'] }) {
  return (
    <>
      {link} <StatusBadge status={status} />
    </>
  );
}

/** Before a step that is decided by it. */
export function SubjectOfStep({ detail }: { readonly detail: Detail }) {
  const common = useTexts(COMMON);
  const { partner_id, partner_order_ref } = detail.adjustment;
  const subject = [
    { label: common.partner, value: <PartnerWithId id={partner_id} /> },
    { label: common.order, value: <Foreign text={partner_order_ref} isWhole /> },
  ];
  return <Facts columns={3} facts={[...subject, ...useChangeFacts(detail)]} />;
}

/** `undefined` where the contribution has no amount, and `null` where nobody knows: it was rejected. */
function changeOfAmount({ amount_delta: stated }: Detail['adjustment'], effect: Detail['effect'], currency: string | null) {
  if (stated !== null) return <Money amount={stated} currency={currency} />;
  if (!effect) return null;
  const { settled_amount_before: before, settled_amount_after: after } = effect;
  if (before === null || after === null) return undefined;
  return <Money amount={subtractDecimals(after, before)} currency={currency} />;
}

/** Rejected by whoever drafted it. */
export function isWithdrawn({ drafted_by, rejected_by }: Detail['adjustment']): boolean {
  return rejected_by === drafted_by;
}
