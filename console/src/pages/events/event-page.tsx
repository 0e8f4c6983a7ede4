/** An event: what it is about, where it was delivered, and what is sent. */
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { usePages } from '../../api/use-pages.ts';
import { shortId } from '../../format/short-id.ts';
import { Page } from '../../layout/page.tsx';
import { kindOfId } from '../../layout/record-pages.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { CodeLabelInFull } from '../../parts/code-label.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PartnerLink, PartnerTime } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Age, Foreign, Id, Points } from '../../parts/values.tsx';
import { useSession } from '../../session/session.tsx';
import { EVENT_TYPE } from '../../texts/code-texts.ts';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { useAboutFact } from '../webhooks/about-fact.tsx';
import { EndpointAddress } from '../webhooks/endpoint-link.tsx';
import { SentBody } from '../webhooks/sent-body.tsx';
import { TRIGGER, WEBHOOK } from '../webhooks/webhook-texts.ts';
import { NoDelivery } from './no-delivery.tsx';

type Event = components['schemas']['EventDetail'];

export function EventPage() {
  const t = useTexts(WEBHOOK);
  const { partnerId = '', eventId = '' } = useParams({ strict: false });
  const path = { partner_id: partnerId, event_id: eventId };
  const { eventDays } = useSession();
  const event = useQuery({
    queryKey: ['event', path],
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/events/{event_id}', { params: { path } })),
  });
  return (
    <Page title={t.event} id={eventId} description={<Id id={eventId} />}>
      <Loaded query={event} notFound={eventDays === undefined ? undefined : t.removedAfter(eventDays)}>
        {(record) => (
          <Stack gap="xl">
            <EventFacts event={record} />
            <Section title={t.deliveries}>
              <Deliveries event={record} />
            </Section>
            <SentBody eventId={eventId} deliveryId="dlv_…" body={record.body} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function EventFacts({ event }: { readonly event: Event }) {
  const t = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const eventTypes = useTexts(EVENT_TYPE);
  const aboutFact = useAboutFact(event.partner_id);
  return (
    <Facts
      columns={3}
      facts={[
        { label: t.event, value: <CodeLabelInFull code={event.event_type} words={eventTypes} /> },
        { label: common.partner, value: <PartnerLink id={event.partner_id} /> },
        { label: t.occurred, value: <PartnerTime partnerId={event.partner_id} at={event.occurred_at} style="second" /> },
        ...(kindOfId(event.subject_id) === 'contribution' ? [{ label: common.order, value: <Order event={event} /> }] : []),
        ...aboutFact(event.subject_id),
        { label: t.sequence, value: <Points value={event.sequence} /> },
      ]}
    />
  );
}

/** The partner's order, and the way to its contribution. */
function Order({ event: { partner_id, subject_id } }: { readonly event: Event }) {
  const path = { partner_id, transaction_id: subject_id };
  const contribution = useQuery({
    queryKey: ['contribution', path],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/contributions/{transaction_id}', { params: { path } })),
  }).data;
  return (
    <AddressLink to={`/contributions/${partner_id}/${subject_id}`}>
      <Foreign text={contribution?.partner_order_ref ?? shortId(subject_id)} isWhole />
    </AddressLink>
  );
}

function Deliveries({ event }: { readonly event: Event }) {
  const t = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const triggers = useTexts(TRIGGER);
  const { partner_id: partnerId, event_id: eventId } = event;
  const query = usePages(['deliveries', partnerId, { event_id: eventId }], (place) =>
    answerOf(
      client.GET('/operator/v1/partners/{partner_id}/deliveries', {
        params: { path: { partner_id: partnerId }, query: { event_id: eventId, ...place } },
      }),
    ),
  );
  return (
    <RecordPages
      label={t.deliveries}
      query={query}
      rowsOf={({ deliveries }) => deliveries}
      keyOf={({ delivery_id }) => delivery_id}
      linkOf={({ delivery_id }) => `/webhooks/${partnerId}/deliveries/${delivery_id}`}
      empty={<NoDelivery event={event} />}
      columns={[
        {
          label: t.endpoint,
          show: ({ delivery_id, endpoint_id }) => (
            <AddressLink to={`/webhooks/${partnerId}/deliveries/${delivery_id}`}>
              <EndpointAddress partnerId={partnerId} endpointId={endpoint_id} />
            </AddressLink>
          ),
        },
        { label: common.status, show: ({ status }) => <StatusBadge status={status} /> },
        { label: t.trigger, show: ({ trigger }) => triggers[trigger] },
        { label: t.attempts, isFigure: true, show: ({ attempts }) => <Points value={String(attempts)} /> },
        { label: t.next, show: ({ next_attempt_at }) => <Age at={next_attempt_at} /> },
      ]}
    />
  );
}
