import { Badge } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { components } from '../../api/operator-types.ts';
import type { Sorting } from '../../app/use-sort.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { PartnerLink, PartnerTime } from '../../parts/partner.tsx';
import { PeriodLabel } from '../../parts/period.tsx';
import { Person } from '../../parts/person.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { EmptyList } from '../../parts/state.tsx';
import { Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { RECONCILIATION } from './reconciliation-texts.ts';
import { countDifferences, type Reconciliation } from './verdicts.ts';

interface ReconciliationRecordsProps {
  readonly query: UseInfiniteQueryResult<InfiniteData<components['schemas']['ReconciliationPage']>, Error>;
  readonly sorting?: Sorting;
  readonly csv?: string;
  readonly isFiltered?: boolean;
  /** Where all are of one settlement. */
  readonly isOfOne?: boolean;
}

export function ReconciliationRecords({ query, sorting, csv, isFiltered = false, isOfOne = false }: ReconciliationRecordsProps) {
  const t = useTexts(RECONCILIATION);
  const common = useTexts(COMMON);
  return (
    <RecordPages
      label={t.title}
      query={query}
      {...(csv !== undefined && { csv })}
      {...(sorting && { sorting })}
      rowsOf={({ reconciliations }) => reconciliations}
      keyOf={({ reconciliation_id }) => reconciliation_id}
      linkOf={({ partner_id, reconciliation_id }) => `/reconciliations/${partner_id}/${reconciliation_id}`}
      empty={<EmptyList isFiltered={isFiltered} texts={t} icon="compare" />}
      columns={[
        {
          label: t.began,
          isName: true,
          sort: 'created_at',
          show: ({ partner_id, created_at }) => <PartnerTime partnerId={partner_id} at={created_at} />,
        },
        ...(isOfOne
          ? []
          : [
              { label: common.partner, show: ({ partner_id }: Reconciliation) => <PartnerLink id={partner_id} /> },
              { label: t.settlement, show: (record: Reconciliation) => <SettlementLink record={record} /> },
            ]),
        { label: t.sender, show: ({ uploaded_by }) => (uploaded_by === null ? t.thePartner : <Person id={uploaded_by} />) },
        { label: common.status, show: (record) => <ReconciliationBadge record={record} /> },
        { label: t.lines, isFigure: true, show: ({ listed_lines }) => <Points value={listed_lines} /> },
      ]}
    />
  );
}

export function SettlementLink({ record }: { readonly record: Reconciliation }) {
  return (
    <AddressLink to={`/settlements/${record.partner_id}/${record.settlement_id}`} className="text-link">
      <PeriodLabel label={record.period_label} />
    </AddressLink>
  );
}

/** How it stands; of one that ended, how many differ. */
export function ReconciliationBadge({ record }: { readonly record: Reconciliation }) {
  const t = useTexts(RECONCILIATION);
  const { done } = useTexts(STATUS);
  if (record.status !== 'done') return <StatusBadge status={record.status} />;
  const count = countDifferences(record);
  return <Badge color={count === 0 ? 'forest' : 'red'}>{`${done}: ${t.differs(String(count))}`}</Badge>;
}
