import { Stack } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useAllPages } from '../../api/use-all-pages.ts';
import { usePages } from '../../api/use-pages.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { usePartner } from '../../parts/partner.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Money } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { ADJUSTMENT } from './adjustment-texts.ts';

type Adjustment = components['schemas']['Adjustment'];
type Open = Extract<Adjustment['status'], 'draft' | 'approved'>;

interface OfSettlement {
  readonly partnerId: string;
  readonly settlementId: string;
}

/** The open adjustments of each contribution, by its id. */
export type OpenAdjustments = ReadonlyMap<string, readonly Adjustment[]>;

/**
 * What is drafted or approved for contributions that have their line on a settlement; `undefined` until all of it is read.
 *
 * @param isShown Nothing is read for what is not shown.
 */
export function useOpenAdjustments(of: OfSettlement, isShown = true): OpenAdjustments | undefined {
  const isEnabled = useMay('operator') && isShown;
  const drafts = useOpen(of, 'draft', isEnabled);
  const approved = useOpen(of, 'approved', isEnabled);
  return useMemo(
    () => (drafts && approved ? Map.groupBy([...drafts, ...approved], ({ transaction_id }) => transaction_id) : undefined),
    [drafts, approved],
  );
}

function useOpen({ partnerId, settlementId }: OfSettlement, status: Open, isEnabled: boolean): readonly Adjustment[] | undefined {
  const wanted = { partner_id: partnerId, settlement_id: settlementId, status };
  const query = usePages(
    ['adjustments', wanted],
    (place) => answerOf(client.GET('/operator/v1/adjustments', { params: { query: { ...wanted, ...place } } })),
    { isEnabled, isLive: false },
  );
  const { pages, isWhole } = useAllPages(query);
  return useMemo(
    () => (isWhole || query.isError ? pages.flatMap(({ adjustments }) => adjustments) : undefined),
    [pages, isWhole, query.isError],
  );
}

interface OpenOrDraftProps {
  readonly open: OpenAdjustments | undefined;
  readonly transactionId: string;
  /** What drafts one, where none is open. */
  readonly children: ReactNode;
}

/** The adjustments of a contribution that are not posted yet, with the way to each; where there is none, the offer to draft one. */
export function OpenOrDraft({ open, transactionId, children }: OpenOrDraftProps) {
  if (open === undefined) return null;
  const own = open.get(transactionId);
  if (own === undefined) return children;
  return (
    <Stack gap={2}>
      {own.map((adjustment) => (
        <OpenLink key={adjustment.adjustment_id} adjustment={adjustment} />
      ))}
    </Stack>
  );
}

/** A restatement changes the amount, and any other adjustment the points. */
function OpenLink({ adjustment }: { readonly adjustment: Adjustment }) {
  const t = useTexts(ADJUSTMENT);
  const statuses = useTexts(STATUS);
  const { adjustment_id, partner_id, status, points_delta, amount_delta } = adjustment;
  const currency = usePartner(partner_id).data?.currency;
  return (
    <TwoLines
      first={
        <AddressLink to={`/adjustments/${partner_id}/${adjustment_id}`}>
          {amount_delta === null ? t.changeOf(points_delta) : <Money amount={amount_delta} currency={currency} />}
        </AddressLink>
      }
      second={statuses[status]}
    />
  );
}
