import { Stack } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { pathOf } from '../../api/path-of.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { StatusBadge } from '../../parts/badges.tsx';
import { CodeLabelInFull } from '../../parts/code-label.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../../parts/filters.tsx';
import { PartnerTime } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { EmptyList } from '../../parts/state.tsx';
import { Age, Points } from '../../parts/values.tsx';
import { EVENT_TYPE } from '../../texts/code-texts.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { OrderLink } from './order-link.tsx';
import { TRIGGER, WEBHOOK } from './webhook-texts.ts';

type Status = components['schemas']['Delivery']['status'];

export function DeliveryList({ partnerId, endpointId }: { readonly partnerId: string; readonly endpointId: string }) {
  const t = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const triggers = useTexts(TRIGGER);
  const eventTypes = useTexts(EVENT_TYPE);
  const { waiting, held, delivered, exhausted, failed, dropped } = useTexts(STATUS);
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['status', 'type', 'event']);
  const { sort, sorting } = useSort(['occurred_at'], '-occurred_at');
  const wanted = present({
    sort,
    endpoint_id: endpointId,
    status: filters.status as Status | undefined,
    event_type: filters.type,
    event_id: filters.event,
  });
  const query = usePages(['deliveries', partnerId, wanted], (place) =>
    answerOf(
      client.GET('/operator/v1/partners/{partner_id}/deliveries', {
        params: { path: { partner_id: partnerId }, query: { ...wanted, ...place } },
      }),
    ),
  );
  return (
    <Stack gap="sm">
      <Filters names={filterNames}>
        <ChoiceFilter
          label={common.status}
          options={{ waiting, held, delivered, exhausted, failed, dropped }}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
        <ChoiceFilter label={t.event} options={eventTypes} value={filters.type} onChange={(type) => setFilters({ type })} />
        <TextFilter
          label={t.eventId}
          dir="ltr"
          placeholder="evt_…"
          value={filters.event}
          onChange={(event) => setFilters({ event })}
        />
      </Filters>
      <RecordPages
        label={t.deliveries}
        query={query}
        sorting={sorting}
        csv={csvAddress(pathOf`partners/${partnerId}/deliveries`, wanted)}
        rowsOf={({ deliveries }) => deliveries}
        keyOf={({ delivery_id }) => delivery_id}
        linkOf={({ delivery_id }) => `/webhooks/${partnerId}/deliveries/${delivery_id}`}
        empty={
          <EmptyList
            isFiltered={isFiltered}
            texts={{ nothing: t.noDelivery, nothingYet: t.noDeliveryYet, nothingYetHelp: t.noDeliveryYetHelp }}
            icon="webhook"
          />
        }
        columns={[
          { label: t.event, narrow: 'title', show: ({ event_type }) => <CodeLabelInFull code={event_type} words={eventTypes} /> },
          { label: common.order, narrow: 'plain', show: (delivery) => <OrderLink delivery={delivery} /> },
          { label: common.status, narrow: 'end', show: ({ status }) => <StatusBadge status={status} /> },
          { label: t.trigger, narrow: 'plain', show: ({ trigger }) => triggers[trigger] },
          { label: t.attempts, isFigure: true, show: ({ attempts }) => <Points value={String(attempts)} /> },
          { label: t.next, show: ({ next_attempt_at }) => <Age at={next_attempt_at} /> },
          {
            label: t.occurred,
            sort: 'occurred_at',
            narrow: 'plain',
            show: ({ occurred_at }) => <PartnerTime partnerId={partnerId} at={occurred_at} style="second" />,
          },
        ]}
      />
    </Stack>
  );
}
