import { Stack } from '@mantine/core';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { Page } from '../../layout/page.tsx';
import { AddressLink } from '../../parts/address-link.tsx';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { PartnerFilter, PartnerLink, PartnerTime } from '../../parts/partner.tsx';
import { Person } from '../../parts/person.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { EmptyList } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Foreign, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { DraftFailure } from './draft-failure.tsx';
import { FailureBadge } from './failure-badge.tsx';
import { FailureStepDialog, FailureSteps, type WantedStep } from './failure-steps.tsx';
import { FAILURE } from './failure-texts.ts';

type Failure = components['schemas']['Failure'];

export function FailureList() {
  const t = useTexts(FAILURE);
  const common = useTexts(COMMON);
  const { drafted, approved, rejected } = t;
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['status', 'partner']);
  const { sort, sorting } = useSort(['drafted_at', 'points'], '-drafted_at');
  const wanted = present({ sort, partner_id: filters.partner, status: filters.status as Failure['status'] | undefined });
  const query = usePages(['failures', wanted], (place) =>
    answerOf(client.GET('/operator/v1/failures', { params: { query: { ...wanted, ...place } } })),
  );
  const [asked, setAsked] = useState<WantedStep>();
  return (
    <Page title={t.title} description={t.help} actions={<DraftFailure />}>
      <Filters names={filterNames}>
        <ChoiceFilter
          label={common.status}
          options={{ drafted, approved, rejected }}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
        <PartnerFilter value={filters.partner} onChange={(partner) => setFilters({ partner })} />
      </Filters>
      <RecordPages
        label={t.title}
        query={query}
        sorting={sorting}
        csv={csvAddress('failures', wanted)}
        rowsOf={({ failures }) => failures}
        keyOf={({ failure_id }) => failure_id}
        empty={<EmptyList isFiltered={isFiltered} texts={t} icon="cross" />}
        columns={[
          { label: common.partner, show: ({ partner_id }) => <PartnerLink id={partner_id} /> },
          {
            label: t.eventAndOrder,
            show: ({ partner_event_id: event, partner_order_ref: order }) => (
              <TwoLines first={<Foreign text={event} />} second={<Foreign text={order} />} />
            ),
          },
          { label: common.points, isFigure: true, sort: 'points', show: ({ points }) => <Points value={points} /> },
          { label: t.why, isSentences: true, show: ({ reason }) => <Foreign text={reason} /> },
          {
            label: t.draftedAt,
            sort: 'drafted_at',
            show: ({ partner_id, drafted_by, drafted_at }) => (
              <TwoLines first={<PartnerTime partnerId={partner_id} at={drafted_at} />} second={<Person id={drafted_by} />} />
            ),
          },
          { label: common.status, show: (failure) => <State failure={failure} onStep={setAsked} /> },
        ]}
      />
      {asked && <FailureStepDialog {...asked} onClose={() => setAsked(undefined)} />}
    </Page>
  );
}

/** With what may be done about it, or the way to what was recorded. */
function State({ failure, onStep }: { readonly failure: Failure; readonly onStep: (wanted: WantedStep) => void }) {
  const { status, partner_id, transaction_id } = failure;
  const badge = <FailureBadge status={status} />;
  if (transaction_id !== null) return <AddressLink to={`/contributions/${partner_id}/${transaction_id}`}>{badge}</AddressLink>;
  return (
    <Stack gap={6}>
      {badge}
      {status === 'drafted' && <FailureSteps failure={failure} onStep={onStep} />}
    </Stack>
  );
}
