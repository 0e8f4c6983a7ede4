import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ApiError } from '../../api/api-error.ts';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { ownZone } from '../../format/time.ts';
import { Page } from '../../layout/page.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PartnerLink, usePartner } from '../../parts/partner.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Id, Points, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { EndpointCounts } from './endpoint-counts.tsx';
import { EndpointHours } from './endpoint-hours.tsx';
import { Health } from './endpoint-list.tsx';
import { EndpointTrouble, isPaused } from './endpoint-trouble.tsx';
import { paceOf, useEndpointActivity } from './use-endpoint-activity.ts';
import { WEBHOOK } from './webhook-texts.ts';

type Endpoint = components['schemas']['Endpoint'];

export function EndpointPage() {
  const t = useTexts(WEBHOOK);
  const { partnerId = '', endpointId = '' } = useParams({ strict: false });
  const path = { partner_id: partnerId, endpoint_id: endpointId };
  const activity = useEndpointActivity(partnerId, endpointId);
  const endpoint = useQuery({
    queryKey: ['endpoint', path],
    // A failed attempt changes its health and no count.
    refetchInterval: paceOf(activity.data),
    queryFn: () => readEndpoint(path),
  });
  const known = endpoint.data && (asRemoved(endpoint.data, endpoint.error) ?? endpoint.data);
  const zone = usePartner(partnerId).data?.time_zone;
  return (
    <Page
      title={endpoint.data?.url ?? t.endpoint}
      description={<Id id={endpointId} />}
      actions={known && <EndpointActions endpoint={known} activity={activity.data} readNow={() => readNow(known)} />}
    >
      <Loaded query={endpoint}>
        {(record) => (
          <Stack gap="xl">
            <EndpointTrouble endpoint={record} activity={activity.data} zone={zone} />
            <EndpointFacts endpoint={record} zone={zone} />
            <Loaded query={activity}>
              {(known) => (
                <Stack gap="xl">
                  <EndpointCounts endpoint={record} activity={known} zone={zone} />
                  <EndpointHours hours={known.hours} zone={zone ?? ownZone()} />
                </Stack>
              )}
            </Loaded>
            <Section title={t.deliveries} id="deliveries">
              <DeliveryList partnerId={partnerId} endpointId={endpointId} />
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function readEndpoint(path: Pick<Endpoint, 'partner_id' | 'endpoint_id'>): Promise<Endpoint> {
  return answerOf(client.GET('/operator/v1/partners/{partner_id}/endpoints/{endpoint_id}', { params: { path } }));
}

async function readNow(known: Endpoint): Promise<Endpoint> {
  try {
    return await readEndpoint(known);
  } catch (error) {
    const removed = asRemoved(known, error);
    if (removed) return removed;
    throw error;
  }
}

/** The service shows no removed endpoint: what was read before it was removed. */
function asRemoved(known: Endpoint, error: unknown): Endpoint | undefined {
  return error instanceof ApiError && error.status === 404 ? { ...known, status: 'removed' } : undefined;
}

function EndpointFacts({ endpoint, zone }: { readonly endpoint: Endpoint; readonly zone: string | undefined }) {
  const t = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const { status, failing_since, paused_until, secret_rotates_at } = endpoint;
  const timeOf = (label: string, at: string | null) => (at ? [{ label, value: <Time at={at} zone={zone} /> }] : []);
  return (
    <Facts
      columns={3}
      facts={[
        { label: t.state, value: <Health endpoint={endpoint} /> },
        { label: common.partner, value: <PartnerLink id={endpoint.partner_id} /> },
        { label: t.failures, value: <Points value={String(endpoint.failures_in_row)} /> },
        { label: t.types, value: endpoint.event_types.join(', ') || t.allTypes },
        { label: common.created, value: <Time at={endpoint.created_at} zone={zone} /> },
        ...timeOf(t.since, status === 'active' ? failing_since : null),
        ...timeOf(t.paused, isPaused(endpoint) ? paused_until : null),
        ...timeOf(t.rotates, secret_rotates_at),
      ]}
    />
  );
}
