import { Stack } from '@mantine/core';
import { ApiError } from '../../api/api-error.ts';
import type { components } from '../../api/operator-types.ts';
import { DecidedBefore } from '../../parts/dialogs/decided-before.tsx';
import { usePartner } from '../../parts/partner.tsx';
import { Refusal } from '../../parts/problem.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Foreign } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { REVIEW } from './review-texts.ts';

type Contribution = components['schemas']['ContributionSummary'];
type Decided = components['schemas']['ReviewDecision'];

export interface NotDecided {
  readonly contribution: Contribution;
  readonly decision: Decided;
}

/** The contributions that a request left as they were: by order and partner, with who was faster, or why else. */
export function NotDecidedList({ left }: { readonly left: readonly NotDecided[] }) {
  return (
    <Stack gap="sm">
      {left.map((each) => (
        <Line key={each.contribution.transaction_id} {...each} />
      ))}
    </Stack>
  );
}

/** By which a person knows a contribution. */
export function OrderOfPartner({ contribution: { partner_id, partner_order_ref } }: Pick<NotDecided, 'contribution'>) {
  const common = useTexts(COMMON);
  const partner = usePartner(partner_id).data?.name;
  return (
    <>
      {common.order} <Foreign text={partner_order_ref} isWhole /> · <Foreign text={partner ?? partner_id} />
    </>
  );
}

function Line({ contribution, decision }: NotDecided) {
  const { partner_id } = contribution;
  return (
    <TwoLines
      first={<OrderOfPartner contribution={contribution} />}
      second={decision.earlier ? <Earlier partnerId={partner_id} earlier={decision.earlier} /> : <Why decision={decision} />}
    />
  );
}

function Earlier({ partnerId, earlier }: { readonly partnerId: string; readonly earlier: NonNullable<Decided['earlier']> }) {
  const t = useTexts(REVIEW);
  const { status, decided_by, decided_at } = earlier;
  const label = status === 'confirmed' ? t.confirmedBefore : t.failedBefore;
  return <DecidedBefore partnerId={partnerId} label={label} by={decided_by} at={decided_at} />;
}

/** What the service says of it, which nobody else decided. */
function Why({ decision: { error, error_code } }: { readonly decision: Decided }) {
  return <Refusal error={new ApiError(400, { code: error_code ?? '', message: error ?? '' })} />;
}
