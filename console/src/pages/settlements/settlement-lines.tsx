import { Stack } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { pathOf } from '../../api/path-of.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { ShortLink } from '../../parts/codes/short-link.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../../parts/filters.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, EmptyList } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Absent, Foreign, Money, Points } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from '../adjustments/adjustment-texts.ts';
import { DraftOfLine } from '../adjustments/draft-of-line.tsx';
import { useOpenAdjustments } from '../adjustments/open-adjustments.tsx';
import { LINE_KIND, SETTLEMENT } from './settlement-texts.ts';

type Line = components['schemas']['SettlementLine'];

interface SettlementLinesProps {
  readonly partnerId: string;
  readonly settlementId: string;
}

/** All lines, or those of what a partner speaks of. */
export function SettlementLines({ partnerId, settlementId }: SettlementLinesProps) {
  const t = useTexts(SETTLEMENT);
  const common = useTexts(COMMON);
  const adjustment = useTexts(ADJUSTMENT);
  const kinds = useTexts(LINE_KIND);
  const mayDraft = useMay('operator');
  const open = useOpenAdjustments({ partnerId, settlementId });
  const { filterNames, filters, setFilters } = useFilters(['of', 'type']);
  const { of } = filters;
  const { sort, sorting } = useSort(['line_no'], 'line_no', 'lines');
  const wanted = present({ sort, of, line_type: filters.type as Line['line_type'] | undefined });
  const path = { partner_id: partnerId, settlement_id: settlementId };
  const query = usePages(['lines', path, wanted], (place) =>
    answerOf(
      client.GET('/operator/v1/partners/{partner_id}/settlements/{settlement_id}/lines', {
        params: { path, query: { ...wanted, ...place } },
      }),
    ),
  );
  return (
    <Section id="lines" title={t.lines}>
      <Stack gap="md">
        <Filters names={filterNames}>
          <TextFilter
            label={t.find}
            placeholder={t.findHelp}
            isSearch
            value={of}
            onChange={(text) => setFilters({ of: text })}
            width={380}
          />
          <ChoiceFilter label={t.kind} options={kinds} value={filters.type} onChange={(type) => setFilters({ type })} />
        </Filters>
        <RecordPages
          label={t.lines}
          query={query}
          sorting={sorting}
          csv={csvAddress(pathOf`partners/${partnerId}/settlements/${settlementId}/lines`, wanted)}
          rowsOf={({ lines }) => lines}
          keyOf={({ line_no }) => String(line_no)}
          empty={
            of !== undefined && filters.type === undefined ? (
              <Empty title={t.find} icon="coins">
                {t.notOnIt}
              </Empty>
            ) : (
              <EmptyList isFiltered={Boolean(filters.type)} texts={{ nothingYet: t.noLines }} icon="coins" />
            )
          }
          columns={[
            { label: t.line, sort: 'line_no', sortKind: 'size', show: ({ line_no }) => <Points value={String(line_no)} /> },
            { label: t.kind, narrow: 'plain', show: (line) => <Kind partnerId={partnerId} line={line} /> },
            {
              label: t.orderAndEvent,
              narrow: 'title',
              show: (line) => (
                <TwoLines first={<Foreign text={line.partner_order_ref} />} second={<Foreign text={line.partner_event_id} />} />
              ),
            },
            {
              label: common.contribution,
              narrow: 'plain',
              show: (line) => <ContributionLink partnerId={partnerId} line={line} />,
            },
            { label: common.points, isFigure: true, narrow: 'end', show: ({ points }) => <Points value={points} /> },
            {
              label: common.amount,
              isFigure: true,
              isGiven: ({ amount }) => amount !== null,
              show: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
            },
            ...(mayDraft
              ? [
                  {
                    label: adjustment.detail,
                    show: ({ line_type, transaction_id, partner_order_ref: order }: Line) =>
                      line_type === 'contribution' &&
                      transaction_id !== null && (
                        <DraftOfLine contribution={{ partner_id: partnerId, transaction_id }} order={order} open={open} />
                      ),
                  },
                ]
              : []),
          ]}
        />
      </Stack>
    </Section>
  );
}

/** With the way to what an adjustment says. */
function Kind({ partnerId, line: { line_type, adjustment_id: id } }: { readonly partnerId: string; readonly line: Line }) {
  const kinds = useTexts(LINE_KIND);
  if (id === null) return kinds[line_type];
  return <AddressLink to={`/adjustments/${partnerId}/${id}`}>{kinds[line_type]}</AddressLink>;
}

function ContributionLink({ partnerId, line: { transaction_id: id } }: { readonly partnerId: string; readonly line: Line }) {
  if (id === null) return <Absent />;
  return <ShortLink to={`/contributions/${partnerId}/${id}`} id={id} />;
}

interface AdjustmentLinesProps {
  readonly settlement: Pick<components['schemas']['Settlement'], 'partner_id' | 'settlement_id' | 'status' | 'adjustment_count'>;
}

/** To the lines of a closed settlement that are adjustments. */
export function AdjustmentLinesLink({ settlement }: AdjustmentLinesProps) {
  const t = useTexts(SETTLEMENT);
  const { partner_id, settlement_id, status, adjustment_count: count } = settlement;
  if (status !== 'closed' || count === '0') return null;
  return (
    <AddressLink to={`/settlements/${partner_id}/${settlement_id}?type=adjustment#lines`}>
      {t.showAdjustmentLines(count)}
    </AddressLink>
  );
}
