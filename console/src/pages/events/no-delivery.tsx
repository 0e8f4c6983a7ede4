/** Why an event was sent nowhere, of each endpoint that the partner has now. */
import { Text } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useAllPages } from '../../api/use-all-pages.ts';
import { usePages } from '../../api/use-pages.ts';
import { PartnerTime } from '../../parts/partner.tsx';
import { Empty, Failure } from '../../parts/state.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useLastEntry } from '../audit/done-before.tsx';
import { EndpointLink } from '../webhooks/endpoint-link.tsx';
import { WEBHOOK } from '../webhooks/webhook-texts.ts';

type Event = components['schemas']['EventDetail'];
type Endpoint = components['schemas']['Endpoint'];

export function NoDelivery({ event }: { readonly event: Event }) {
  const t = useTexts(WEBHOOK);
  const { partner_id } = event;
  const query = usePages(['all-endpoints-of', partner_id], (place) =>
    answerOf(client.GET('/operator/v1/endpoints', { params: { query: { partner_id, ...place } } })),
  );
  const { pages, isWhole } = useAllPages(query);
  const endpoints = pages.flatMap((page) => page.endpoints);
  return (
    <>
      <Empty title={t.noDeliveryOfEvent} icon="webhook">
        <Text size="sm">{t.noneGotIt}</Text>
        {isWhole && endpoints.length === 0 && <Text size="sm">{t.noEndpointNow}</Text>}
        {endpoints.map((endpoint) => (
          <Text size="sm" component="div" mt={6} key={endpoint.endpoint_id}>
            <EndpointLink partnerId={partner_id} endpointId={endpoint.endpoint_id} />
            <br />
            <WhyNot event={event} endpoint={endpoint} />
          </Text>
        ))}
      </Empty>
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
    </>
  );
}

interface WhyNotProps {
  readonly event: Event;
  readonly endpoint: Endpoint;
}

function WhyNot({ event, endpoint }: WhyNotProps) {
  const t = useTexts(WEBHOOK);
  const { partner_id, event_types: types, created_at } = endpoint;
  if (Date.parse(created_at) > Date.parse(event.occurred_at))
    return (
      <>
        {t.addedLater} <PartnerTime partnerId={partner_id} at={created_at} style="second" />
      </>
    );
  return types.length === 0 || types.includes(event.event_type) ? <GetsItNow {...{ event, endpoint }} /> : t.notThisType;
}

/** The audit has each change of the event types. */
function GetsItNow({ event, endpoint: { partner_id, endpoint_id } }: WhyNotProps) {
  const t = useTexts(WEBHOOK);
  const { entry, isRead } = useLastEntry(endpoint_id, 'endpoint.update');
  if (entry && Date.parse(entry.recorded_at) > Date.parse(event.occurred_at))
    return (
      <>
        {t.typesChanged} <PartnerTime partnerId={partner_id} at={entry.recorded_at} style="second" />
      </>
    );
  return isRead ? t.notRecorded : null;
}
