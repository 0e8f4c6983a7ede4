import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { formatDecimal, formatMoney } from '../../format/points.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { usePartner } from '../../parts/partner.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';

type Entry = components['schemas']['TimelineEntry'];

interface ContributionPath {
  readonly partner_id: string;
  readonly transaction_id: string;
}

/** What happened to a contribution. */
export function useTimeline({ partner_id, transaction_id }: ContributionPath) {
  const path = { partner_id, transaction_id };
  return useQuery({
    queryKey: ['timeline', path],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/contributions/{transaction_id}/timeline', { params: { path } })),
  });
}

/** The adjustments of a contribution that are neither posted nor rejected: a further one would correct the same a second time. */
export function UndecidedAdjustments({ contribution }: { readonly contribution: ContributionPath }) {
  const t = useTexts(ADJUSTMENT);
  const undecided = findUndecided(useTimeline(contribution).data?.entries ?? []);
  const currency = usePartner(contribution.partner_id).data?.currency;
  if (undecided.length === 0) return null;
  const changeOf = ({ points_delta: points, amount_delta: amount }: Entry['facts']) =>
    amount ? t.undecidedAmount(formatMoney(amount, currency)) : t.undecidedOf(formatDecimal(points ?? '0'));
  return (
    <Alert color="yellow" title={t.undecided}>
      <Stack gap={4} align="flex-start">
        {undecided.map(({ subject_id, facts }) => (
          <AddressLink key={subject_id} to={`/adjustments/${contribution.partner_id}/${subject_id}`} className="text-link">
            {changeOf(facts)}
          </AddressLink>
        ))}
      </Stack>
    </Alert>
  );
}

function findUndecided(entries: readonly Entry[]): Entry[] {
  const ended = entries.filter(({ kind }) => kind === 'adjustment_posted' || kind === 'adjustment_rejected');
  const endedIds = new Set(ended.map(({ subject_id }) => subject_id));
  return entries.filter(({ kind, subject_id }) => kind === 'adjustment_drafted' && !endedIds.has(subject_id));
}
